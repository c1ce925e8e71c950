# SPDX-License-Identifier: Apache-2.0
"""Models without their weights: protobuf bytes in which long tensors have stand-ins.

A stand-in has a tensor's name, type and shape, and says in place of its contents which tensor it
stands for. What is made of such a model gets the tensors back with `put_back()`, so that weights
are copied once at most, and never walked through.
"""

import functools
import secrets
import struct

# The most bytes of a message that is written as it is.
LONG = 4096

# What a stand-in holds at most besides, as long as names are of ordinary length.
_LONGEST_HEAD = 1 << 10

# Fields and values of onnx.proto.
_LENGTH_DELIMITED = 2
_TENSOR = "onnx.TensorProto"
_NODE = "onnx.NodeProto"
_HOLDERS_IN_NODES = ("onnx.AttributeProto", "onnx.SparseTensorProto")
_EXTERNAL = 1


@functools.lru_cache(maxsize=LONG)
def varint(number):
    """A number as protobuf writes it; negative ones take ten bytes."""
    number &= (1 << 64) - 1
    text = bytearray()
    while number > 0x7F:
        text.append(number & 0x7F | 0x80)
        number >>= 7
    text.append(number)
    return bytes(text)


def number_field(field, number):
    return varint(field << 3) + varint(number)


def field(number, contents):
    """A text, bytes or a message."""
    if isinstance(contents, str):
        contents = contents.encode("utf-8", "surrogateescape")
    return varint(number << 3 | _LENGTH_DELIMITED) + varint(len(contents)) + contents


_LOCATION_KEY = field(1, "location")


class Standins:
    """Tensors that are left out of a model, and the bytes that stand for them.

    `in_nodes`: also those that nodes hold.
    """

    def __init__(self, in_nodes=True):
        self.tensors = []
        self.ranks = {}  # of sizes of tensors in nodes
        # No model can know it.
        self.location = f"onnx_hier:{secrets.token_hex(8)}:"
        self.whole = None if in_nodes else _NODE

    def put(self, name, data_type, shape, tensor, size_in_node=None):
        """The bytes of a TensorProto that stands for `tensor`.

        Long attributes of nodes are alike if they are of one size: so are stand-ins of those.
        """
        self.tensors.append(tensor)
        place = _LOCATION_KEY + field(2, f"{self.location}{len(self.tensors) - 1}")
        standin = b"".join([
            *(number_field(1, size) for size in shape),
            number_field(2, data_type),
            field(8, name) if name else b"",
            field(13, place),
            number_field(14, _EXTERNAL),
        ])
        if size_in_node is None:
            return standin
        rank = self.ranks.setdefault(size_in_node, len(self.ranks))
        return standin + _padding(LONG + rank + _LONGEST_HEAD - len(standin))

    def light(self, message, in_node=False):
        """The bytes of a message of protobuf's, but for long tensors in it."""
        if message.ByteSize() <= LONG or message.DESCRIPTOR.full_name == self.whole:
            return message.SerializePartialToString()
        if message.DESCRIPTOR.full_name == _TENSOR:
            if _is_kept(message):
                return message.SerializePartialToString()
            return self.put(message.name, message.data_type, message.dims, message,
                            message.ByteSize() if in_node else None)
        return b"".join(self._fields(message))

    def _fields(self, message):
        fields = []
        in_node = message.DESCRIPTOR.full_name in _HOLDERS_IN_NODES
        for descriptor, value in message.ListFields():
            if descriptor.message_type is None:
                plain = type(message)()
                _copy_plain(plain, descriptor, value)
                fields.append(plain.SerializePartialToString())
                continue
            head = varint(descriptor.number << 3 | _LENGTH_DELIMITED)
            repeated = descriptor.label == descriptor.LABEL_REPEATED
            for part in value if repeated else (value,):
                # Most are short: light() without the call.
                contents = (part.SerializePartialToString() if part.ByteSize() <= LONG
                            else self.light(part, in_node))
                fields += (head, varint(len(contents)), contents)
        fields += map(_unknown_bytes, _unknown_fields(message))
        return fields

    def put_back(self, message):
        """Gives the tensors of a message back what was left out of it; returns the message."""
        if not self.tensors:
            return message
        for tensor in tensors_in(message):
            index = self._index_of(tensor)
            if index is not None:
                name = tensor.name
                tensor.CopyFrom(self.tensors[index])
                if tensor.name != name:  # it was renamed
                    tensor.name = name
        return message

    def _index_of(self, tensor):
        """Which tensor it stands for, if it does."""
        if tensor.data_location != _EXTERNAL:
            return None
        for entry in tensor.external_data:
            if entry.key == "location" and entry.value.startswith(self.location):
                return int(entry.value[len(self.location):])
        return None


def _padding(size):
    """An entry of a tensor's external_data, a fixed number of bytes longer than `size`."""
    return field(13, field(1, "padding") + field(2, b" " * max(size, 0)))


def _is_kept(tensor):
    """Whether a tensor has no contents to leave out: they are in a file."""
    return tensor.data_location == _EXTERNAL


def _copy_plain(message, descriptor, value):
    if descriptor.label == descriptor.LABEL_REPEATED:
        getattr(message, descriptor.name).extend(value)
    else:
        setattr(message, descriptor.name, value)


def _unknown_fields(message):
    """Fields that this version of onnx does not know, as newer models have them."""
    if hasattr(message, "UnknownFields"):
        return message.UnknownFields()
    from google.protobuf import unknown_fields
    return unknown_fields.UnknownFieldSet(message)


def _unknown_bytes(unknown):
    head = varint(unknown.field_number << 3 | unknown.wire_type)
    if unknown.wire_type == 0:
        return head + varint(unknown.data)
    if unknown.wire_type == 1:
        return head + struct.pack("<Q", unknown.data)
    if unknown.wire_type == 5:
        return head + struct.pack("<I", unknown.data)
    return head + varint(len(unknown.data)) + unknown.data


def tensors_in(message):
    """All tensors of a ModelProto, GraphProto, NodeProto ..., wherever they are in it."""
    if message.DESCRIPTOR.full_name == _TENSOR:
        yield message
        return
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or not _may_hold_tensors(descriptor.message_type):
            continue
        repeated = descriptor.label == descriptor.LABEL_REPEATED
        for part in value if repeated else (value,):
            yield from tensors_in(part)


_HOLDERS = frozenset(
    "onnx." + name
    for name in ("AttributeProto", "FunctionProto", "GraphProto", "NodeProto",
                 "SparseTensorProto", "TensorProto", "TrainingInfoProto")
)


def _may_hold_tensors(descriptor):
    return descriptor.full_name in _HOLDERS


def nodes_in(model, with_graphs):
    """The nodes of a ModelProto in the order of its bytes, those inside of others behind them.

    `with_graphs`: places, in this order, of nodes that have others inside.
    """
    nodes = []
    graphs = [model.graph]
    for training in model.training_info:
        graphs += (training.initialization, training.algorithm)
    for graph in (*graphs, *model.functions):
        _add_nodes(graph, with_graphs, nodes)
    return nodes


def _add_nodes(graph, with_graphs, nodes):
    if not with_graphs:
        nodes += graph.node
        return
    for node in graph.node:
        nodes.append(node)
        if len(nodes) - 1 not in with_graphs:
            continue
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _add_nodes(attribute.g, with_graphs, nodes)
            for inner in attribute.graphs:
                _add_nodes(inner, with_graphs, nodes)
