# SPDX-License-Identifier: Apache-2.0
"""The forms in which functions take a model."""

import os
from urllib.parse import unquote, urlsplit

from . import _core, _ir
from ._wire import Standins, nodes_in


def path_bytes(path):
    """A path as the system takes it."""
    name = os.fsencode(path)
    if name.startswith(b"file://"):
        name = os.fsencode(unquote(urlsplit(os.fspath(path)).path))
    if b"\0" in name:  # where the system would end it, and take another file
        raise ValueError(f"a path holds no null character: {os.fspath(path)!r}")
    return name


class Source:
    """A model that is open, in the form in which it was given."""

    is_file = False

    def __init__(self, model):
        self.model = model  # a _core.Model

    def result(self, contents):
        """A model that was made of this one, in the same form."""
        return contents


class File(Source):
    is_file = True

    def __init__(self, path):
        name = path_bytes(path)
        self.path = os.fsdecode(name)
        super().__init__(_core.Model.open(name))


class Bytes(Source):
    def edited(self, edits):
        return write_to_memory(edits)


class Proto(Source):
    def __init__(self, proto, contents, contents_of_nodes):
        self.proto = proto
        self.standins = Standins(in_nodes=not contents_of_nodes)
        super().__init__(_core.Model.from_bytes(
            proto.SerializePartialToString() if contents else self.standins.light(proto),
            "<ModelProto>"))

    def edited(self, edits):
        _set_texts(nodes_in(self.proto, self.model.nodes_with_graphs()), self.model, edits)
        return self.proto

    def result(self, contents):
        made = type(self.proto)()
        made.ParseFromString(contents)
        return self.standins.put_back(made)


class Ir(Source):
    def __init__(self, ir_model):
        self.ir_model = ir_model
        contents, self.nodes = _ir.light(ir_model, Standins())
        super().__init__(_core.Model.from_bytes(contents, "<onnx_ir.Model>"))

    def edited(self, edits):
        _set_texts(self.nodes, self.model, edits)
        return self.ir_model

    def result(self, contents):
        raise TypeError("onnx_ir.Model: give onnx_ir.to_proto(model) to what makes new models")


def _set_texts(nodes, model, edits):
    if len(nodes) != model.nodes:
        raise RuntimeError(f"{model.name}: was changed by another thread meanwhile")
    for index, is_name, text in edits.texts():
        node = nodes[index]
        attribute = "name" if is_name else "doc_string"
        if text is not None:
            setattr(node, attribute, text)
        elif hasattr(node, "ClearField"):
            node.ClearField(attribute)
        else:
            setattr(node, attribute, None)


def open_source(model, contents=False, contents_of_nodes=False):
    """`contents`: whether those of tensors are asked for, or of those that nodes hold."""
    if isinstance(model, (str, os.PathLike)):
        return File(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Bytes(_core.Model.from_bytes(model, "<bytes>"))
    if hasattr(model, "SerializePartialToString") and hasattr(model, "graph"):
        return Proto(model, contents, contents_of_nodes)
    if hasattr(model, "read") and hasattr(model, "seek"):
        name = getattr(model, "name", None)
        name = name if isinstance(name, str) else "<file>"
        return Bytes(_core.Model.from_file_object(model, name))
    if _ir.is_model(model):
        if contents:
            raise TypeError("onnx_ir.Model: give onnx_ir.to_proto(model) where contents of "
                            "parameters are compared")
        return Ir(model)
    raise TypeError(f"a path, bytes, a binary file, onnx.ModelProto or onnx_ir.Model is wanted, not "
                    f"{type(model).__name__}")


# Numbers of the outputs of a product that are no models: of one that was tagged.
SIDECAR = 1


def write_to_memory(product, number=0):
    """The bytes of one of its outputs."""
    (contents,), _ = product.write([(number, None)], None, force=True, sync=False,
                                   external_data="keep")
    return contents
