#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What makes a model a part of another, and what does not."""

from verifying import (
    FLOAT,
    INT64,
    call,
    changed,
    function,
    graph,
    helper,
    main,
    model,
    node,
    onnx,
    raw,
    refers,
    value,
    weight,
)

DOUBLE = function("Double", "i", "o", [node("Add", "i i", "o")])
WHOLE = model(
    graph(
        [
            node("Relu", "x", "a", "one"),
            node("Add", "a w", "b", "two"),
            call("Double", "b", "c", "three"),
            node("If", "p", "d", "four", then_branch=graph([node("Add", "c v", "t")], [], ["t"])),
            node("Tanh", "d", "y", "five"),
        ],
        ["x", value("p", 9, ())],
        ["y"],
        weights=[weight("w"), weight("v")],
        infos=[value("b"), value("c"), value("d", FLOAT, ("n",))],
    ),
    [DOUBLE],
    (("", 15), ("m", 1)),
    metadata=[("key", "text"), ("more", "text")],
)


def keep(nodes, inputs, outputs, weights="", infos=""):
    """The part of WHOLE with these nodes."""

    def change(made):
        main_graph = made.graph
        kept = [main_graph.node[i] for i in nodes]
        kept_weights = [w for w in main_graph.initializer if w.name in weights.split()]
        kept_infos = [v for v in main_graph.value_info if v.name in infos.split()]
        part = graph(kept, inputs, outputs, weights=kept_weights, infos=kept_infos)
        main_graph.CopyFrom(part)

    return change


def then(first, *others):
    def change(made):
        for one in (first, *others):
            one(made)

    return change


def part(nodes, inputs=1, outputs=1):
    words = [f"{nodes} of 5 nodes"]
    for count, what in ((inputs, "graph input"), (outputs, "graph output")):
        words.append(f"{count} {what}{'' if count == 1 else 's'}")
    return "part: " + ", ".join(words)


MIDDLE = keep([1, 2], ["a"], ["c"], "w", "b")
IFS = keep([3], [value("p", 9, ()), "c"], ["d"], "v", "d")


def no_metadata(made):
    del made.metadata_props[:]


def no_functions(made):
    del made.functions[:]


def no_opset(domain):
    def change(made):
        kept = [opset for opset in made.opset_import if opset.domain != domain]
        del made.opset_import[:]
        made.opset_import.extend(kept)

    return change


def set_input(place, made_value):
    return lambda made: made.graph.input[place].CopyFrom(made_value)


GOOD = [
    ("one node", keep([0], ["x"], ["a"]), part(1)),
    ("with its weight and function", MIDDLE, part(2)),
    ("a captured weight and value", IFS, part(1, 2)),
    ("nodes apart", keep([0, 4], ["x", "d"], ["a", "y"]), part(2, 2, 2)),
    ("no node at all", keep([], ["x"], ["x"]), part(0)),
    ("without metadata", then(MIDDLE, no_metadata), part(2)),
    ("without functions", then(keep([0], ["x"], ["a"]), no_functions), part(1)),
    ("without an opset", then(keep([0], ["x"], ["a"]), no_functions, no_opset("m")), part(1)),
    (
        "metadata of ours",
        then(
            MIDDLE,
            lambda made: made.metadata_props.add(key="onnx_hier.part", value="1"),
        ),
        part(2) + "; metadata 'onnx_hier.part'",
    ),
    (
        "another maker and name",
        then(MIDDLE, lambda made: setattr(made, "producer_name", "onnx-hier")),
        part(2),
    ),
    (
        "tags",
        then(MIDDLE, lambda made: setattr(made.graph.node[0], "doc_string", "tag")),
        part(2),
    ),
    ("another shape of an input", then(MIDDLE, set_input(0, value("a", FLOAT, ("n",)))), part(2)),
    ("a value that IN gives no type", then(MIDDLE, set_input(0, value("a", INT64))), part(2)),
    ("a weight handed on", keep([0], ["x"], ["a", "w"], "w"), part(1, 1, 2)),
    (
        "the whole with a middle value as an output",
        keep([0, 1, 2, 3, 4], ["x", value("p", 9, ())], ["y", "b"], "w v", "c"),
        part(5, 2, 2),
    ),
]

BAD = [
    (
        "another order",
        keep([4, 0], ["d", "x"], ["y", "a"]),
        "node 1 'one': is node 0 of IN, out of order or a second time",
    ),
    (
        "twice",
        keep([0, 0], ["x"], ["a"]),
        "node 1 'one': is node 0 of IN, out of order or a second time",
    ),
    (
        "another node",
        then(keep([0], ["x"], ["a"]), lambda made: setattr(made.graph.node[0], "op_type", "Tanh")),
        "node 0 'one': op_type was 'Relu', is 'Tanh'",
    ),
    (
        "a foreign node",
        then(
            keep([0], ["x"], ["a"]),
            lambda made: made.graph.node.add(op_type="Neg", input=["a"], output=["n"]),
        ),
        "node 1: is no node of IN",
    ),
    (
        "a weight is missing",
        keep([1, 2], ["a"], ["c"]),
        "node 0 'two': reads 'w', which nothing in OUT makes",
    ),
    (
        "a captured weight is missing",
        keep([3], [value("p", 9, ()), "c"], ["d"]),
        "node 0 'four': reads 'v', which nothing in OUT makes",
    ),
    (
        "an input is missing",
        keep([4], [], ["y"]),
        "node 0 'five': reads 'd', which nothing in OUT makes",
    ),
    (
        "another weight",
        then(
            MIDDLE,
            lambda made: made.graph.initializer[0].CopyFrom(weight("w", [9.0, 2.0, 3.0, 4.0])),
        ),
        "initializer 'w': float_data 0 was 1, is 9",
    ),
    (
        "a foreign weight",
        then(MIDDLE, lambda made: made.graph.initializer.append(weight("z"))),
        "initializer 'z': is not in IN",
    ),
    (
        "a weight twice",
        then(MIDDLE, lambda made: made.graph.initializer.append(weight("w"))),
        "initializer 'w': stands there twice",
    ),
    (
        "a weight for an input",
        keep([1], ["a", "w"], ["b"]),
        "graph input 'w': is neither made by a node of IN nor an input of it",
    ),
    (
        "a foreign input",
        keep([0], ["x", "q"], ["a"]),
        "graph input 'q': is neither made by a node of IN nor an input of it",
    ),
    (
        "an input that is made",
        keep([0], ["x", "a"], ["a"]),
        "node 0 'one': makes 'a', which OUT has already",
    ),
    (
        "an output that nothing makes",
        keep([0], ["x"], ["b"]),
        "graph output 'b': is made by nothing in OUT",
    ),
    (
        "the type of an input",
        keep([2], [value("b", INT64)], ["c"]),
        "graph input 'b', type, tensor_type: elem_type was 1, is 7",
    ),
    (
        "the type of an output",
        keep([2], ["b"], [value("c", INT64)]),
        "graph output 'c', type, tensor_type: elem_type was 1, is 7",
    ),
    (
        "no type",
        then(keep([2], ["b"], ["c"]), set_input(0, onnx.ValueInfoProto(name="b"))),
        "graph input 'b', type: tensor_type is missing",
    ),
    (
        "another kind of type",
        keep([2], [helper.make_tensor_sequence_value_info("b", FLOAT, None)], ["c"]),
        "graph input 'b', type: tensor_type is missing",
    ),
    (
        "the shape between",
        then(MIDDLE, lambda made: made.graph.value_info[0].CopyFrom(value("b", FLOAT, (5,)))),
        "value_info 'b', type, tensor_type, shape, dim 0: dim_value was 4, is 5",
    ),
    (
        "no function",
        then(MIDDLE, no_functions),
        "node 'three': calls function 'm:Double', which OUT lacks",
    ),
    (
        "another function",
        then(MIDDLE, lambda made: setattr(made.functions[0].node[0], "op_type", "Mul")),
        "function 'm:Double', node 0: op_type was 'Add', is 'Mul'",
    ),
    (
        "a foreign function",
        then(
            MIDDLE,
            lambda made: made.functions.append(function("New", "i", "o", [node("Neg", "i", "o")])),
        ),
        "function 'm:New': is not in IN",
    ),
    (
        "no opset",
        then(MIDDLE, no_opset("m")),
        "node 'three': its operators' domain 'm' is not imported",
    ),
    (
        "another opset",
        then(MIDDLE, lambda made: setattr(made.opset_import[0], "version", 16)),
        "opset_import '': version was 15, is 16",
    ),
    (
        "a foreign opset",
        then(MIDDLE, lambda made: made.opset_import.add(domain="new", version=1)),
        "opset_import 'new': is not in IN",
    ),
    (
        "the format's version",
        then(MIDDLE, lambda made: setattr(made, "ir_version", 9)),
        "ir_version was 8, is 9",
    ),
    (
        "other metadata",
        then(MIDDLE, lambda made: setattr(made.metadata_props[0], "value", "new")),
        "metadata_props 'key': is not as in IN",
    ),
    (
        "a training graph",
        then(MIDDLE, lambda made: made.training_info.add()),
        "training_info 0: is not in IN",
    ),
    (
        "unknown fields",
        then(MIDDLE, lambda made: raw(made, (99, b"new"))),
        "field 99, which this onnx does not know, is not as in IN",
    ),
]


def good(verifying):
    verifying.table(WHOLE, GOOD, "--as", "part")


def bad(verifying):
    cases = [(what, change, f"different: {text}") for what, change, text in BAD]
    verifying.table(WHOLE, cases, "--as", "part")


def sparse(verifying):
    """Sparse weights, quantization and training graphs come along or stay behind."""

    def add(made):
        tensor = helper.make_sparse_tensor(
            weight("s", [1.0]), helper.make_tensor("i", INT64, [1], [0]), [4]
        )
        made.graph.sparse_initializer.append(tensor)
        made.graph.quantization_annotation.add(tensor_name="a")
        made.training_info.add().algorithm.node.add(op_type="Relu")

    def other(made):
        made.graph.sparse_initializer[0].values.float_data[0] = 2

    whole = changed(WHOLE, add)
    cases = [
        ("all of it", then(lambda made: made.metadata_props.pop()), part(5, 2)),
        ("none of it", keep([0], ["x"], ["a"]), part(1)),
        ("another", other, "different: sparse initializer 's', values: float_data 0 was 1, is 2"),
    ]
    verifying.table(whole, cases, "--as", "part")


def damaged(verifying):
    """What IN lacks itself is no fault of its parts."""
    lacking = changed(WHOLE, lambda made: made.graph.initializer.pop(0))
    verifying.table(lacking, [("a dangling read", keep([1, 2], ["a"], ["c"]), part(2))])
    twice = changed(WHOLE, lambda made: made.graph.value_info.append(value("b", FLOAT, (7,))))
    another = then(MIDDLE, lambda made: made.graph.value_info[1].CopyFrom(value("b", FLOAT, (8,))))
    difference = "different: value_info 'b', type, tensor_type, shape, dim 0: dim_value was 4, is 8"
    cases = [("two types of a value", MIDDLE, part(2)), ("one is another", another, difference)]
    verifying.table(twice, cases, "--as", "part")
    open_output = onnx.ValueInfoProto(name="x")
    untyped = changed(WHOLE, lambda made: made.graph.output.append(open_output))
    cases = [("an output without a type", keep([0], ["x"], [open_output, "a"]), part(1, 1, 2))]
    verifying.table(untyped, cases, "--as", "part")


def bodies(verifying):
    """Parts of a function, in either of its calls, and of a graph inside a node."""
    leaky = refers(node("LeakyRelu", "i", "l"), "alpha", "slope")
    inner = function("F", "i w", "o", [leaky, node("Mul", "l w", "o")], ["slope"], opsets=[("", 14)])
    branch = graph([node("Add", "b v", "t"), node("Neg", "t", "u")], [], ["u"], weights=[weight("v")])
    whole = model(
        graph(
            [
                call("F", "x first", "a", slope=0.5),
                call("F", "a second", "b"),
                node("If", "p", "y", then_branch=branch),
            ],
            ["x", value("p", 9, ())],
            ["y"],
            weights=[weight("first"), weight("second", [5.0])],
        ),
        [inner],
        (("", 15), ("m", 1)),
    )

    def lifted(nodes, inputs, outputs, weights=(), version=14):
        def change(made):
            made.graph.CopyFrom(graph(nodes, inputs, outputs, weights=weights))
            made.opset_import[0].version = version
            del made.functions[:]

        return change

    def inside(words):
        return part(1).replace("1 of 5 nodes", words)

    def scaled(slope, weights):
        scale = node("LeakyRelu", "i", "l", **({"alpha": slope} if slope else {}))
        return lifted([scale, node("Mul", "l w", "o")], ["i"], ["o"], weights)

    of_first = [weight("w")]
    of_second = [weight("w", [5.0])]
    verifying.table(
        whole,
        [
            ("the first call", scaled(0.5, of_first), inside("2 of 3 nodes")),
            ("the second call", scaled(None, of_second), inside("2 of 3 nodes")),
            (
                "one's weight and the other's attribute",
                scaled(0.5, of_second),
                "different: node 0: attribute 'alpha' is added",
            ),
            (
                "a weight that no call gives",
                lifted([node("Mul", "l w", "o")], ["l"], ["o"], [weight("w", [7.0])]),
                "different: initializer 'w': float_data 0 was 5, is 7",
            ),
            (
                "the model's opset",
                lifted([node("Mul", "l w", "o")], ["l"], ["o"], of_first, 15),
                "different: opset_import '': version was 14, is 15",
            ),
            (
                "in a branch",
                lifted([node("Add", "b v", "t")], ["b"], ["t"], [weight("v")], 15),
                inside("1 of 3 nodes"),
            ),
            (
                "what the branch sees is missing",
                lifted([node("Add", "b v", "t")], [], ["t"], [weight("v")], 15),
                "different: node 0: reads 'b', which nothing in OUT makes",
            ),
        ],
        "--as",
        "part",
    )


if __name__ == "__main__":
    main(good, bad, sparse, damaged, bodies)
