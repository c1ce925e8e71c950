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


def copied(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def renamed(model, rename):
    """A copy; names of functions and what is in them stay."""
    copy = copied(model)
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
    copy = copied(model)
    for graph in graphs(copy.graph):
        for node in graph.node:
            node.name = node.name and node.op_type + text + node.name
    return copy


def untrained(model):
    """A copy as of a model that was never trained: biases 0, scales 1."""
    copy = copied(model)
    for tensor in copy.graph.initializer:
        is_vector = tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) == 1
        if is_vector and tensor.name.endswith((".bias", ".weight")):
            tensor.ClearField("float_data")
            value = struct.pack("<f", float(tensor.name.endswith(".weight")))
            tensor.raw_data = value * tensor.dims[0]
    return copy


def merged(model):
    """A copy, or none where no two parameters are equal."""
    copy = copied(model)
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


def without_names(model, every):
    """A copy: one of `every` nodes loses its name, and the values it makes get numbers."""
    copy = copied(model)
    numbers = {}
    nodes = [node for graph in graphs(copy.graph) for node in graph.node]
    outputs = {value.name for graph in graphs(copy.graph) for value in graph.output}
    for i, node in enumerate(nodes):
        if i % every:
            continue
        node.name = ""
        node.DiscardUnknownFields()  # metadata: newer than Debian's onnx
        for name in node.output:
            if name and name not in outputs:
                numbers[name] = f"v{len(numbers)}"
    for node in nodes:
        for names in (node.input, node.output):
            names[:] = [numbers.get(name, name) for name in names]
    for graph in graphs(copy.graph):
        del graph.value_info[:]
    return copy


def numbered_weights(model):
    """A copy whose initializers have numbers for names."""
    numbers = {tensor.name: f"onnx::{i}" for i, tensor in enumerate(model.graph.initializer)}
    return renamed(model, lambda name: numbers.get(name, name))


# What lists and tables have to quote or to leave out.
ODD = (" b", '"q"', "'", ",", ":", "*", "\t", "\n", "\u00e9", ";", "\\", "|", "#%", "<&>", "\x01", "[0]",
       "$(x)", "=", "(?)")


def odd_names(model):
    """A copy whose nodes, and the values that they make, have no names that are plain."""
    names = dict.fromkeys(name for node in model.graph.node for name in (node.name, *node.output))
    odd = {name: name + ODD[i % len(ODD)] for i, name in enumerate(filter(None, names))}
    return renamed(model, lambda name: odd.get(name, name))


def reordered(model):
    """A copy in the order of depth, which torch does not write: what reads nothing stands first."""
    copy = copied(model)
    depth = {}
    for node in copy.graph.node:
        read = [*node.input, *(name for inner in inner_graphs(node) for each in graphs(inner)
                               for its in each.node for name in its.input)]
        here = 1 + max((depth.get(name, 0) for name in read), default=0)
        depth.update(dict.fromkeys(node.output, here))
    nodes = sorted(copy.graph.node, key=lambda node: max(map(depth.get, node.output), default=0))
    del copy.graph.node[:]
    copy.graph.node.extend(nodes)
    return copy


def edited(model):
    """A copy that computes something else here and there: weights, attributes, operators, inputs."""
    copy = copied(model)
    for tensor in copy.graph.initializer[::5]:
        if tensor.raw_data:
            tensor.raw_data = bytes([tensor.raw_data[0] ^ 1]) + tensor.raw_data[1:]
    for i, node in enumerate(copy.graph.node):
        for attribute in node.attribute[: i % 11 == 3]:
            attribute.i, attribute.f = attribute.i + 1, attribute.f / 2
        if i % 13 == 5 and node.op_type == "Relu":
            node.op_type = "Sigmoid"
        if i % 17 == 7 and len(node.input) == 2:
            node.input[:] = reversed(node.input)
        if i % 19 == 11:
            node.doc_string = "edited"
    return copy


def damaged(model):
    """A copy some of whose nodes, at all depths, have an input or output more, fewer, or left out."""
    copy = copied(model)
    nodes = [node for graph in graphs(copy.graph) for node in graph.node]
    nodes += [node for function in copy.functions for node in function.node]
    for i, node in enumerate(nodes):
        if node.input and i % 7 == 2:
            del node.input[-1]
        if node.input and i % 11 == 4:
            node.input[0] = ""
        if i % 13 == 5:
            node.output.append(f"more{i}")
        if i % 5 == 3:
            del node.output[2:]
        if node.input and i % 17 == 7:
            node.input.append(node.input[0])
    return copy


# What a model is called in tables of tests that says the same as it is, and in other words.
PREFIX = "m1_"
WORDINGS = {
    "as_it_is": lambda model: model,
    "prefixed": lambda model: renamed(model, prefix(PREFIX)),
    "without_slash": lambda model: renamed(model, without_slash),
    "merged": lambda model: merged(model) or model,
    "half_the_names": lambda model: without_names(model, 2),
    "no_names": lambda model: without_names(model, 1),
}
