# SPDX-License-Identifier: Apache-2.0
"""Models that say the same in other words, as programs that join, optimise or convert write them."""

import struct

import onnx


def inner_graphs(node):
    for attribute in node.attribute:
        yield from ([attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else [])
        yield from attribute.graphs


def graphs(graph):
    yield graph
    for node in graph.node:
        for inner in inner_graphs(node):
            yield from graphs(inner)


def renamed(model, rename):
    """A copy; names of functions and what is in them stay."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for graph in graphs(copy.graph):
        for node in graph.node:
            node.name = rename(node.name)
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
        for values in (graph.input, graph.output, graph.value_info, graph.initializer):
            for value in values:
                value.name = rename(value.name)
    return copy


def prefix(text):
    return lambda name: name and text + name


def without_slash(name):
    return name[1:] if name.startswith("/") else name


def separated(text):
    return lambda name: name.replace("/", text)


def after_operators(model, text):
    """A copy with each node's operator in front of its name."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for graph in graphs(copy.graph):
        for node in graph.node:
            node.name = node.name and node.op_type + text + node.name
    return copy


def untrained(model):
    """A copy as of a model that was never trained: biases 0, scales 1."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in copy.graph.initializer:
        is_vector = tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) == 1
        if is_vector and tensor.name.endswith((".bias", ".weight")):
            tensor.ClearField("float_data")
            value = struct.pack("<f", float(tensor.name.endswith(".weight")))
            tensor.raw_data = value * tensor.dims[0]
    return copy


def merged(model):
    """A copy, or none where no two parameters are equal."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    first, kept, parameters = {}, {}, []
    for tensor in copy.graph.initializer:
        unnamed = onnx.TensorProto()
        unnamed.CopyFrom(tensor)
        unnamed.ClearField("name")
        name = first.setdefault(unnamed.SerializeToString(), tensor.name)
        kept[tensor.name] = name
        if name == tensor.name:
            parameters.append(tensor)
    if len(parameters) == len(kept):
        return None
    del copy.graph.initializer[:]
    copy.graph.initializer.extend(parameters)
    for graph in graphs(copy.graph):
        for node in graph.node:
            node.input[:] = [kept.get(name, name) for name in node.input]
    inputs = [value for value in copy.graph.input if kept.get(value.name, value.name) == value.name]
    del copy.graph.input[:]
    copy.graph.input.extend(inputs)
    return copy
