#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each kind of difference, and the words for it. Every bit counts."""

import struct

from verifying import (
    FLOAT,
    changed,
    graph,
    helper,
    main,
    model,
    node,
    onnx,
    raw,
    value,
    weight,
)

BASE = model(
    graph(
        [
            node("LeakyRelu", "x", "a", "/enc/act", alpha=0.5),
            node("Constant", "", "k", "/enc/k", value=weight("", [0.0, 1.0])),
            node("Concat", "a k", "c", "", axis=0),
            node(
                "If",
                "p",
                "y",
                "/if",
                then_branch=graph([node("Relu", "c", "t", "in")], [], ["t"]),
            ),
        ],
        ["x", value("p", 9, ())],
        ["y"],
        weights=[weight("w"), helper.make_tensor("r", FLOAT, [2], b"\0" * 8, raw=True)],
        infos=[value("a"), value("c", FLOAT, ("n", 4))],
    ),
    metadata=[("key", "text")],
)
BASE.graph.initializer.add(name="e", data_type=FLOAT, data_location=1).external_data.add(
    key="location", value="w.bin"
)
NAN = struct.unpack("<f", b"\x01\x00\xc0\x7f")[0]


def alpha(number):
    def change(made):
        made.graph.node[0].attribute[0].f = number

    return change


def setting(place, text):
    """Sets the field that a path of names and numbers ends in."""
    *way, last = place.split(".")

    def change(made):
        at = made
        for step in way:
            at = at[int(step)] if step.isdigit() else getattr(at, step)
        if last.isdigit():
            at[int(last)] = text
        else:
            setattr(at, last, text)

    return change


def deleting(place, at):
    def change(made):
        holder = made
        for step in place.split("."):
            holder = holder[int(step)] if step.isdigit() else getattr(holder, step)
        del holder[at]

    return change


N, A = "graph.node", "graph.node.0.attribute.0"
INNER = "graph.node.3.attribute.0.g.node.0"
CASES = [
    ("a number", alpha(0.25), "node 0 '/enc/act', attribute 'alpha': f was 0.5, is 0.25"),
    ("a name", setting(f"{N}.0.name", "b"), "node 0 '/enc/act': name was '/enc/act', is 'b'"),
    ("an operator", setting(f"{N}.2.op_type", "Add"), "node 2: op_type was 'Concat', is 'Add'"),
    ("an input", setting(f"{N}.2.input.1", "a"), "node 2: input 1 was 'k', is 'a'"),
    ("an input gone", deleting(f"{N}.2.input", 1), "node 2: input 1 ('k') is missing"),
    (
        "an input more",
        lambda made: made.graph.node[0].input.append("z"),
        "node 0 '/enc/act': input 1 ('z') is added",
    ),
    ("a node gone", deleting(N, 3), "graph: node 3 '/if' is missing"),
    (
        "a node more",
        lambda made: made.graph.node.append(node("Relu", "y", "z", "more")),
        "graph: node 4 'more' is added",
    ),
    (
        "a node gone in the middle",
        deleting(N, 1),
        "node 1 '/enc/k': input 0 ('a') is added (IN has 4 there, OUT 3)",
    ),
    (
        "an attribute gone",
        deleting(f"{N}.0.attribute", 0),
        "node 0 '/enc/act': attribute 'alpha' is missing",
    ),
    (
        "an attribute's kind",
        setting(f"{A}.type", onnx.AttributeProto.INT),
        "node 0 '/enc/act', attribute 'alpha': type was 1, is 2",
    ),
    (
        "a field gone",
        lambda made: made.graph.node[0].attribute[0].ClearField("f"),
        "node 0 '/enc/act', attribute 'alpha': f (0.5) is missing",
    ),
    (
        "the sign of zero",
        setting("graph.node.1.attribute.0.t.float_data.0", -0.0),
        "node 1 '/enc/k', attribute 'value', t: float_data 0 was 0, is -0",
    ),
    (
        "a weight",
        setting("graph.initializer.0.float_data.2", 3.5),
        "initializer 'w': float_data 2 was 3, is 3.5",
    ),
    (
        "raw bytes",
        setting("graph.initializer.1.raw_data", b"\0" * 5 + b"\1\0\0"),
        "initializer 'r': raw_data differs from byte 5 on",
    ),
    (
        "fewer raw bytes",
        setting("graph.initializer.1.raw_data", b"\0" * 4),
        "initializer 'r': raw_data was 8 bytes, is 4 bytes",
    ),
    (
        "where data lies",
        setting("graph.initializer.2.external_data.0.value", "v.bin"),
        "initializer 'e', external_data 'location': value was 'w.bin', is 'v.bin'",
    ),
    (
        "a shape",
        setting("graph.value_info.1.type.tensor_type.shape.dim.1.dim_value", 5),
        "value_info 'c', type, tensor_type, shape, dim 1: dim_value was 4, is 5",
    ),
    ("an operator inside", setting(f"{INNER}.op_type", "Tanh"),
     "node 3 '/if', attribute 'then_branch', node 0 'in': op_type was 'Relu', is 'Tanh'"),
    (
        "a graph's name inside",
        setting("graph.node.3.attribute.0.g.name", "h"),
        "node 3 '/if', attribute 'then_branch', graph: name was 'g', is 'h'",
    ),
    ("an opset", setting("opset_import.0.version", 16), "opset_import 0: version was 15, is 16"),
    ("the format's version", setting("ir_version", 9), "ir_version was 8, is 9"),
    (
        "metadata",
        setting("metadata_props.0.value", "b"),
        "metadata_props 'key': value was 'text', is 'b'",
    ),
    ("a very long name", setting(f"{N}.0.name", "n" * 500),
     f"node 0 '/enc/act': name was '/enc/act', is '{'n' * 99}…'"),
    (
        "a name that steers",
        setting(f"{N}.0.name", "\x1b[31m\u202e"),
        r"node 0 '/enc/act': name was '/enc/act', is '\x1b[31m\xe2\x80\xae'",
    ),
    (
        "what is newer than onnx 1.12",
        lambda made: raw(made.graph.node[0], (9, b"\n\1k")),
        "node 0 '/enc/act': field 9, which this onnx does not know, is added",
    ),
]


def differences(verifying):
    for what, change, text in CASES:
        out = changed(BASE, change)
        names = [verifying.write("in.onnx", BASE), verifying.write("out.onnx", out)]
        code, result, _ = verifying.json("--as", "tags", *names)
        (entry,) = result["results"]
        verifying.expect(what, (code, entry["difference"]), (1, text))
        code, result, _ = verifying.json("--as", "same", *reversed(names))
        verifying.expect(
            f"{what}, the other way",
            (code, result["results"][0]["holds"]),
            (1, False),
        )


def bits(verifying):
    """Numbers that compare equal, or never do, are told apart by their bits."""
    verifying.says(
        "the same NaN",
        changed(BASE, alpha(NAN)),
        changed(BASE, alpha(NAN)),
        "same: 5 nodes",
    )
    plain = changed(BASE, alpha(float("nan")))
    verifying.says(
        "another NaN",
        plain,
        changed(BASE, alpha(NAN)),
        "different: node 0 '/enc/act', attribute 'alpha': f (nan) has other bits",
    )


def unknown(verifying):
    """Fields that onnx 1.12 does not know count too."""
    first = raw(changed(BASE, lambda made: None), (99, b"one"))
    second = raw(changed(BASE, lambda made: None), (99, b"two"))
    text = "field 99, which this onnx does not know,"
    verifying.says("the same", first, first, "same: 5 nodes")
    verifying.says("another", first, second, f"different: {text} differs")
    verifying.says("none", first, BASE, f"part, not same: {text} is missing", "--as", "same")
    verifying.says("one more", BASE, first, f"different: {text} is added")


def order(verifying):
    """The order of fields in a file does not count: parsing forgets it."""
    content = BASE.SerializeToString()
    version = b"\x08\x08"
    assert content.startswith(version)
    verifying.says("fields in another order", content, content[2:] + version, "same: 5 nodes")


if __name__ == "__main__":
    main(differences, bits, unknown, order)
