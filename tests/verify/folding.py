#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with functions against the same without them."""

from verifying import (
    FLOAT,
    call,
    changed,
    function,
    graph,
    helper,
    main,
    model,
    node,
    raw,
    refers,
    value,
    weight,
)

OPSETS = (("", 15), ("m", 1))


def flat(nodes, inputs=("x",), outputs=("y",), weights=(), infos=()):
    return model(graph(nodes, inputs, outputs, weights=weights, infos=infos), ir=7)


def folded(nodes, functions, inputs=("x",), outputs=("y",), weights=(), infos=(), opsets=OPSETS):
    main_graph = graph(nodes, inputs, outputs, weights=weights, infos=infos)
    return model(main_graph, functions, opsets)


def line(nodes, main_nodes, functions):
    count = f"{nodes} node{'' if nodes == 1 else 's'}"
    plural = "" if functions == 1 else "s"
    return f"folded: {count} in a main graph of {main_nodes} and {functions} function{plural}"


LAYER = [node("MatMul", "i w", "h", "mm"), node("Relu", "h", "o", "act")]
TWO = flat(
    [
        node("MatMul", "x w0", "a", "/0/mm"),
        node("Relu", "a", "b", "/0/act"),
        node("MatMul", "b w1", "c", "/1/mm"),
        node("Relu", "c", "y", "/1/act"),
    ],
    weights=[weight("w0"), weight("w1", [5.0, 6.0])],
    infos=[value("b"), value("c", FLOAT, (2,))],
)
CALLS = [call("Layer", "x w0", "b", "/0"), call("Layer", "b w1", "y", "/1")]
FOLDED = folded(
    CALLS,
    [function("Layer", "i w", "o", LAYER)],
    weights=[weight("w1", [5.0, 6.0]), weight("w0")],
    infos=[value("b")],
)


def shared(verifying):
    verifying.says("a shared function", TWO, FOLDED, line(4, 2, 1))
    nested = folded(
        [call("Both", "x w0 w1", "y")],
        [function("Both", "i v w", "o", [call("Layer", "i v", "m"), call("Layer", "m w", "o")]),
         function("Layer", "i w", "o", LAYER)],
        weights=[weight("w0"), weight("w1", [5.0, 6.0])],
    )
    verifying.says("calls in calls", TWO, nested, line(4, 1, 2))
    mixed = changed(FOLDED, lambda made: made.graph.node.insert(0, made.graph.node.pop(1)))
    verifying.says("a call in front of what it reads", TWO, mixed, line(4, 2, 1))
    same = changed(TWO, lambda made: setattr(made.graph.node[1], "name", "other"))
    same.graph.node[1].input[0] = same.graph.node[0].output[0] = "renamed"
    verifying.says("renamed values", TWO, same, line(4, 4, 0), "--as", "folded")


def set_at(getter, name, content):
    def change(made):
        setattr(getter(made), name, content)

    return change


def lose_activation(made):
    made.functions[0].node.pop(1)
    made.functions[0].node[0].output[0] = "o"


def double_name(made):
    made.functions[0].node[1].name = "mm"


def swap_outputs(made):
    """The first call makes what was the result, and the other what was in the middle."""
    first, second = made.graph.node
    first.output[0], second.input[0], second.output[0] = "y", "y", "z"


WRONG = [
    (
        "another operator",
        set_at(lambda made: made.functions[0].node[1], "op_type", "Tanh"),
        "node 'act' of function 'm:Layer' called by node 0 '/0': no node of IN does the same",
    ),
    (
        "another weight read",
        lambda made: made.graph.node[1].input.__setitem__(1, "w0"),
        "node 'mm' of function 'm:Layer' called by node 1 '/1': no node of IN does the same",
    ),
    (
        "two nodes of one name in a function",
        double_name,
        "function 'm:Layer': has two nodes named 'mm'",
    ),
    (
        "two nodes of one name in the main graph",
        set_at(lambda made: made.graph.node[1], "name", "/0"),
        "graph: has two nodes named '/0'",
    ),
    (
        "a function that does not import the domain of its nodes",
        set_at(lambda made: made.functions[0].opset_import[0], "domain", "ai.onnx"),
        "function 'm:Layer', node 'mm': is of the domain '', which is not imported",
    ),
    (
        "more nodes",
        lambda made: made.functions[0].node.append(node("Neg", "i", "n")),
        "with its functions inlined it has more than the 4 nodes of IN's main graph",
    ),
    (
        "fewer nodes",
        lose_activation,
        "node 'mm' of function 'm:Layer' called by node 1 '/1': no node of IN does the same",
    ),
    (
        "a call gone",
        lambda made: made.graph.node.pop(1),
        "node 2 '/1/mm' of IN: nothing in OUT does the same",
    ),
    (
        "an attribute more",
        lambda made: made.functions[0].node[1].attribute.append(helper.make_attribute("k", 1)),
        "node 'act' of function 'm:Layer' called by node 0 '/0': does not do what node 1 '/0/act' "
        "of IN does with the same inputs",
    ),
    ("another output", swap_outputs, "graph output 'y': is computed in another way"),
    (
        "another weight",
        lambda made: made.graph.initializer[0].float_data.__setitem__(0, 9.0),
        "initializer 'w1': float_data 0 was 5, is 9",
    ),
    (
        "a weight gone",
        lambda made: made.graph.initializer.pop(0),
        "initializer 'w1': is missing",
    ),
    (
        "a weight more",
        lambda made: made.graph.initializer.append(weight("z")),
        "initializer 'z': is added",
    ),
    (
        "an input more",
        lambda made: made.graph.input.append(value("z")),
        "input 'z' is added",
    ),
    (
        "a type between",
        lambda made: made.graph.value_info[0].CopyFrom(value("b", FLOAT, (3,))),
        "value_info 'b', type, tensor_type, shape, dim 0: dim_value was 4, is 3",
    ),
    (
        "a lower version of the format",
        set_at(lambda made: made, "ir_version", 6),
        "ir_version was 7, is 6",
    ),
    (
        "a lower opset",
        set_at(lambda made: made.opset_import[0], "version", 14),
        "opset_import '': version was 15, is 14",
    ),
    (
        "an opset gone",
        lambda made: made.opset_import.pop(0),
        "opset_import '': is missing",
    ),
    (
        "a function of another opset",
        set_at(lambda made: made.functions[0].opset_import[0], "version", 13),
        "function 'm:Layer', opset_import '': version is 13, that of the model 15",
    ),
    (
        "other metadata",
        lambda made: made.metadata_props.add(key="k", value="v"),
        "metadata_props 'k' is added",
    ),
    (
        "too many inputs",
        lambda made: made.graph.node[0].input.append("x"),
        "function 'm:Layer' is called with 3 inputs, it has 2",
    ),
    (
        "too many outputs",
        lambda made: made.graph.node[0].output.append("more"),
        "function 'm:Layer' is called for 2 outputs, it has 1",
    ),
]


def wrong(verifying):
    for what, change, text in WRONG:
        out = changed(FOLDED, change)
        verifying.says(what, TWO, out, f"different: {text}", "--as", "folded")


def fine(verifying):
    """What may be another."""
    allowed = [
        (
            "metadata of ours",
            lambda made: made.metadata_props.add(key="onnx_hier.fold", value="1"),
            line(4, 2, 1) + "; metadata 'onnx_hier.fold'",
        ),
        ("a raised format", set_at(lambda made: made, "ir_version", 9), line(4, 2, 1)),
        ("another maker", set_at(lambda made: made, "producer_name", "onnx-hier"), line(4, 2, 1)),
        ("another name", set_at(lambda made: made.graph, "name", "h"), line(4, 2, 1)),
        (
            "tags",
            set_at(lambda made: made.functions[0].node[0], "doc_string", "tag"),
            line(4, 2, 1),
        ),
        (
            "a node's metadata",
            lambda made: raw(made.functions[0].node[0], (9, b"\n\1k")),
            line(4, 2, 1),
        ),
        (
            "a function that nobody calls",
            lambda made: made.functions.append(function("New", "i", "o", [node("Neg", "i", "o")])),
            line(4, 2, 2),
        ),
        (
            "raised operators",
            lambda made: [
                setattr(o, "version", 16) for o in (
                    made.opset_import[0],
                    made.functions[0].opset_import[0],
                )
            ],
            line(4, 2, 1),
        ),
    ]
    for what, change, text in allowed:
        verifying.says(what, TWO, changed(FOLDED, change), text, "--as", "folded")
    # A value may be described twice, and differently.
    again = lambda made: made.graph.value_info.append(value("b", FLOAT, (3,)))
    twice = changed(TWO, again)
    verifying.says("two types", twice, changed(FOLDED, again), line(4, 2, 1), "--as", "folded")


def optional(verifying):
    """Inputs that are left out, in the middle and at the end."""
    clips = [
        node("Clip", "x", "a"),
        helper.make_node("Clip", ["a", "", "w"], ["b"]),
        helper.make_node("Clip", ["b", "w"], ["y"]),
    ]
    clip = function("C", "i low high", "o", [node("Clip", "i low high", "o")])
    calls = [
        call("C", "x", "a"),
        helper.make_node("C", ["a", "", "w"], ["b"], domain="m"),
        helper.make_node("C", ["b", "w", ""], ["y"], domain="m"),
    ]
    weights = [weight("w")]
    out = folded(calls, [clip], weights=weights)
    verifying.says("left out", flat(clips, weights=weights), out, line(3, 3, 1))
    swapped = changed(
        out,
        lambda made: made.graph.node[1].input.__setitem__(slice(None), ["a", "w"]),
    )
    verifying.says(
        "another one left out",
        flat(clips, weights=weights),
        swapped,
        "different: node ('Clip') of function 'm:C' called by node 1 ('C'): no node of IN does "
        "the same",
    )


def attributes(verifying):
    """Attributes that a call gives, those that it leaves out, and those with a default."""
    plain = flat(
        [
            node("LeakyRelu", "x", "a", alpha=0.5),
            node("LeakyRelu", "a", "b"),
            node("Elu", "b", "y", alpha=2.0),
        ],
    )
    leaky = function(
        "L",
        "i",
        "o",
        [refers(node("LeakyRelu", "i", "o"), "alpha", "slope")],
        ["slope"],
    )
    elu = function("E", "i", "o", [refers(node("Elu", "i", "o"), "alpha", "a")])
    raw(elu, (11, helper.make_attribute("a", 2.0)))
    through = function("T", "i", "o", [refers(call("L", "i", "o"), "slope", "s")], ["s"])
    out = folded(
        [call("T", "x", "a", s=0.5), call("L", "a", "b"), call("E", "b", "y")],
        [leaky, elu, through],
    )
    verifying.says("by reference", plain, out, line(3, 3, 3))
    given = flat(
        [
            node("LeakyRelu", "x", "a", alpha=0.5),
            node("LeakyRelu", "a", "b"),
            node("Elu", "b", "y", alpha=3.0),
        ],
    )
    over = changed(
        out,
        lambda made: made.graph.node[2].attribute.append(helper.make_attribute("a", 3.0)),
    )
    verifying.says("over a default", given, over, line(3, 3, 3))
    verifying.says(
        "another value",
        given,
        out,
        "different: node ('Elu') of function 'm:E' called by node 2 ('E'): does not do what "
        "node 2 ('Elu') of IN does with the same inputs",
    )


def overloads(verifying):
    """Functions of one name are told apart by their overloads."""
    plain = flat([node("Relu", "x", "a"), node("Tanh", "a", "y")])
    first = raw(function("F", "i", "o", [node("Relu", "i", "o")]), (13, b"r"))
    second = raw(function("F", "i", "o", [node("Tanh", "i", "o")]), (13, b"t"))
    calls = [raw(call("F", "x", "a"), (8, b"r")), raw(call("F", "a", "y"), (8, b"t"))]
    verifying.says("overloads", plain, folded(calls, [first, second]), line(2, 2, 2))


def captured(verifying):
    """Graphs inside bodies see the body's values, and have names of their own."""

    def branch(reads, made, own="t"):
        return graph([node("Add", f"{reads} {made}", own)], [], [own], own)

    plain = flat(
        [
            node("Relu", "x", "a"),
            node("If", "p", "y", then_branch=branch("a", "w"), else_branch=branch("x", "a", "e")),
        ],
        ["x", value("p", 9, ())],
        weights=[weight("w")],
    )
    body = [
        node("Relu", "i", "r"),
        node(
            "If",
            "c",
            "o",
            then_branch=branch("r", "k", "own"),
            else_branch=branch("i", "r", "own"),
        ),
    ]
    out = folded(
        [call("F", "x p w", "y")],
        [function("F", "i c k", "o", body)],
        ["x", value("p", 9, ())],
        weights=[weight("w")],
    )
    verifying.says("captured values", plain, out, line(2, 1, 1))
    turned = changed(
        out,
        lambda made: made.functions[0].node[1].attribute[0].g.node[0].input.__setitem__(1, "i"),
    )
    text = "does not do what node 1 ('If') of IN does with the same inputs"
    verifying.says(
        "another captured value",
        plain,
        turned,
        f"different: node ('If') of function 'm:F' called by node 0 ('F'): {text}",
    )


def loops(verifying):
    """Inputs of a graph inside are known by their places; calls stand inside graphs too."""

    def loop(names, body):
        inputs = [value(names[0], 7, ()), value(names[1], 9, ()), value(names[2])]
        return graph(body, inputs, [value(names[1], 9, ()), names[3]], "body")

    plain = flat(
        [node("Loop", "n p x", "y", body=loop("jcvo", [node("Relu", "v", "o")]))],
        ["x", value("n", 7, ()), value("p", 9, ())],
    )
    out = folded(
        [
            node(
                "Loop",
                "n p x",
                "y",
                body=loop(["step", "go", "state", "next"], [call("F", "state", "next")]),
            ),
        ],
        [function("F", "i", "o", [node("Relu", "i", "o")])],
        ["x", value("n", 7, ()), value("p", 9, ())],
    )
    verifying.says("a call in a loop", plain, out, line(1, 1, 1))


def unsorted(verifying):
    """Runtimes take nodes in any order."""
    mixed = changed(TWO, lambda made: made.graph.node.insert(0, made.graph.node.pop(3)))
    verifying.says("a flat model out of order", mixed, FOLDED, line(4, 2, 1))


def own_functions(verifying):
    """Functions that both have stay calls, and must be the same."""
    kept = function("K", "i", "o", [node("Relu", "i", "o")], domain="k", opsets=(("", 15),))
    before = model(
        graph([node("K", "x", "a", domain="k"), node("K", "a", "y", domain="k")], ["x"], ["y"]),
        [kept],
        (("", 15), ("k", 1)),
    )
    inside = function(
        "F", "i", "o", [node("K", "i", "h", domain="k"), node("K", "h", "o", domain="k")],
        opsets=(("", 15), ("k", 1)),
    )
    out = folded([call("F", "x", "y")], [kept, inside], opsets=(("", 15), ("k", 1), ("m", 1)))
    verifying.says("a kept function", before, out, line(2, 1, 2))
    other = changed(out, lambda made: setattr(made.functions[0].node[0], "op_type", "Tanh"))
    verifying.says(
        "changed",
        before,
        other,
        "different: function 'k:K', node 0: op_type was 'Relu', is 'Tanh'",
    )
    gone = changed(out, lambda made: made.functions.pop(0))
    verifying.says("gone", before, gone, "different: function 'k:K': is missing")


def domains(verifying):
    """ONNX's own domain has two names."""
    out = changed(FOLDED, lambda made: setattr(made.functions[0].node[0], "domain", "ai.onnx"))
    verifying.says("ai.onnx", TWO, out, line(4, 2, 1))


if __name__ == "__main__":
    main(
        shared,
        wrong,
        fine,
        optional,
        attributes,
        overloads,
        captured,
        loops,
        unsorted,
        own_functions,
        domains,
    )
