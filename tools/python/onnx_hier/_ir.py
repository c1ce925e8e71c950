# SPDX-License-Identifier: Apache-2.0
"""Models of onnx_ir (`onnx_ir.Model`) as protobuf bytes without their weights.

Goes by what such objects have, so that onnx_ir itself is not needed. Only what tells of modules is
written: nodes, names, attributes, initializers; not the types of values.
"""

import struct

from ._wire import LONG, field, number_field, varint

# AttributeProto: the field of a type, as a single one and as a list.
_FLOAT, _INT, _STRING, _TENSOR, _GRAPH = 1, 2, 3, 4, 5
_FLOATS, _INTS, _STRINGS, _TENSORS, _GRAPHS = 6, 7, 8, 9, 10
_STRING_TENSOR = 8  # TensorProto.STRING


def is_model(model):
    """Whether it looks like an onnx_ir.Model."""
    graph = getattr(model, "graph", None)
    return hasattr(model, "ir_version") and hasattr(graph, "initializers")


def light(model, standins):
    """The bytes, and the nodes in their order."""
    writer = _Writer(standins)
    return writer.model(model), writer.nodes


def _text(number, text):
    return field(number, text) if text else b""


def _opsets(number, imports):
    return b"".join(
        field(number, _text(1, domain) + number_field(2, version))
        for domain, version in (imports or {}).items()
    )


def _properties(number, properties):
    return b"".join(
        field(number, field(1, key) + field(2, value))
        for key, value in (properties or {}).items()
    )


def _names(number, values):
    return b"".join(field(number, (value.name or "") if value else "") for value in values)


class _Writer:
    def __init__(self, standins):
        self.standins = standins
        self.nodes = []

    def model(self, model):
        graph = self.graph(model.graph)
        return b"".join([
            number_field(1, model.ir_version or 0),
            _text(2, model.producer_name),
            _text(3, model.producer_version),
            _text(4, model.domain),
            field(7, graph),
            _opsets(8, model.graph.opset_imports),
            _properties(14, model.metadata_props),
            *(field(25, self.function(f)) for f in model.functions.values()),
        ])

    def graph(self, graph):
        return b"".join([
            *(field(1, self.node(node)) for node in graph),
            _text(2, graph.name),
            *(field(5, self.tensor(value.const_value, value.name))
              for value in graph.initializers.values() if value.const_value is not None),
            _text(10, graph.doc_string),
            *(field(11, field(1, value.name or "")) for value in graph.inputs),
            *(field(12, field(1, value.name or "")) for value in graph.outputs),
            _properties(16, graph.metadata_props),
        ])

    def function(self, function):
        return b"".join([
            _text(1, function.name),
            _names(4, function.inputs),
            _names(5, function.outputs),
            *(field(6, name) for name in function.attributes),
            *(field(7, self.node(node)) for node in function),
            _opsets(9, function.opset_imports),
            _text(10, function.domain),
            _text(13, function.overload),
            _properties(14, function.metadata_props),
        ])

    def node(self, node):
        self.nodes.append(node)
        return b"".join([
            _names(1, node.inputs),
            _names(2, node.outputs),
            _text(3, node.name),
            field(4, node.op_type),
            *(field(5, self.attribute(a)) for a in node.attributes.values()),
            _text(6, node.doc_string),
            _text(7, node.domain),
            _text(8, node.overload),
            _properties(9, node.metadata_props),
        ])

    def attribute(self, attribute):
        kind = int(attribute.type)
        reference = getattr(attribute, "ref_attr_name", None)
        contents = field(21, reference) if reference else self.value(kind, attribute.value)
        return field(1, attribute.name) + contents + number_field(20, kind)

    def value(self, kind, value):
        if kind == _FLOAT:
            return varint(2 << 3 | 5) + struct.pack("<f", value)
        if kind == _INT:
            return number_field(3, value)
        if kind == _STRING:
            return field(4, value)
        if kind == _TENSOR:
            return field(5, self.tensor(value, value.name, in_node=True))
        if kind == _GRAPH:
            return field(6, self.graph(value))
        if kind == _FLOATS:
            return b"".join(varint(7 << 3 | 5) + struct.pack("<f", f) for f in value)
        if kind == _INTS:
            return b"".join(number_field(8, i) for i in value)
        if kind == _STRINGS:
            return b"".join(field(9, s) for s in value)
        if kind == _TENSORS:
            return b"".join(field(10, self.tensor(t, t.name, in_node=True)) for t in value)
        if kind == _GRAPHS:
            return b"".join(field(11, self.graph(g)) for g in value)
        return b""  # types, and what there is no value of

    def tensor(self, tensor, name, in_node=False):
        data_type = int(tensor.dtype)
        shape = [int(size) for size in tensor.shape]
        if tensor.nbytes > LONG or data_type == _STRING_TENSOR:
            return self.standins.put(name, data_type, shape, tensor,
                                     tensor.nbytes if in_node else None)
        return b"".join([
            *(number_field(1, size) for size in shape),
            number_field(2, data_type),
            _text(8, name),
            field(9, tensor.tobytes()),
        ])
