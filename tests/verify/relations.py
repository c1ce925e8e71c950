#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each relation, what counts as each, and which is good where another is asked for."""

from verifying import (
    INT64,
    call,
    changed,
    function,
    graph,
    main,
    model,
    node,
    value,
    weight,
)

CHAIN = model(
    graph(
        [
            node("Relu", "x", "a", "first"),
            node("Add", "a w", "b", "second"),
            node("Tanh", "b", "y", "third"),
        ],
        ["x"],
        ["y"],
        weights=[weight("w")],
        infos=[value("b")],
    )
)
NESTED = model(
    graph(
        [
            node(
                "If",
                "c",
                "y",
                "if",
                then_branch=graph([node("Relu", "x", "t", "inner")], [], ["t"], "then"),
                else_branch=graph([node("Tanh", "x", "e")], [], ["e"], "else"),
            )
        ],
        [value("c", 9, ()), "x"],
        ["y"],
    )
)
WITH_FUNCTION = model(
    graph([call("F", "x", "y", "call")], ["x"], ["y"]),
    [function("F", "i", "o", [node("Relu", "i", "o", "body")])],
    (("", 15), ("m", 1)),
)


def tag(made, *places):
    for place in places or range(len(made.graph.node)):
        made.graph.node[place].doc_string = "tag"


def give_names(made):
    """Gives names to nodes that have none."""
    lists = [made.graph.node, *(function.node for function in made.functions)]
    for nodes in lists:
        for index, node_ in enumerate(nodes):
            node_.name = node_.name or f"{node_.op_type}_{index}"
            lists.extend(attribute.g.node for attribute in node_.attribute)


def without_names(made):
    for node_ in made.graph.node:
        node_.ClearField("name")


def tag_inner(made):
    made.graph.node[0].attribute[0].g.node[0].doc_string = "tag"


def tag_body(made):
    made.functions[0].node[0].doc_string = "tag"


def training(made):
    step = made.training_info.add().algorithm.node.add()
    step.op_type = "Relu"


def tag_training(made):
    made.training_info[0].algorithm.node[0].doc_string = "tag"


def ours(made, text="1"):
    made.metadata_props.add(key="onnx_hier.part", value=text)


def probe(name, element=None):
    def add(made):
        made.graph.output.append(value(name, element) if element else value(name))

    return add


def both(*changes):
    def change(made):
        for one in changes:
            one(made)

    return change


def part(made):
    del made.graph.node[0]
    made.graph.input[0].name = "a"


def unpack(made):
    body = made.functions[0].node[0]
    made.graph.node[0].CopyFrom(node("Relu", "x", "y", body.name))
    del made.functions[:]


TAGS = "the same but for doc_strings"
NAMED = "the same but for names of nodes that had none"
PROBE = "the same but for more graph outputs"


def relations(verifying):
    verifying.table(
        CHAIN,
        [
            ("the same", lambda made: None, "same: 3 nodes"),
            ("tags", tag, f"tags: 3 nodes, {TAGS} (0 in IN, 3 in OUT)"),
            (
                "tags and metadata",
                both(tag, ours),
                f"tags: 3 nodes, {TAGS} (0 in IN, 3 in OUT); metadata 'onnx_hier.part'",
            ),
            (
                "metadata of ours alone",
                ours,
                f"tags: 3 nodes, {TAGS} (0 in IN, 0 in OUT); metadata 'onnx_hier.part'",
            ),
            ("a probe", probe("a"), f"probe: 3 nodes, {PROBE}: 'a'"),
            (
                "a tagged probe of two",
                both(tag, ours, probe("a"), probe("b")),
                f"probe: 3 nodes, {PROBE}: 'a', 'b'; metadata 'onnx_hier.part'",
            ),
            ("a part", part, "part: 2 of 3 nodes, 1 graph input, 1 graph output"),
            (
                "a renamed graph",
                lambda made: setattr(made.graph, "name", "h"),
                "part: 3 of 3 nodes, 1 graph input, 1 graph output",
            ),
        ],
    )
    verifying.table(
        NESTED,
        [("tags inside", tag_inner, f"tags: 3 nodes, {TAGS} (0 in IN, 1 in OUT)")],
    )
    verifying.table(
        WITH_FUNCTION,
        [("tags in a body", tag_body, f"tags: 2 nodes, {TAGS} (0 in IN, 1 in OUT)")],
    )
    verifying.table(
        changed(CHAIN, without_names),
        [
            ("names", give_names, f"named: 3 nodes, {NAMED} (3) and for doc_strings"),
            ("names and tags", both(tag, give_names), f"named: 3 nodes, {NAMED} (3) and for doc_strings"),
            (
                "one name for two nodes",
                lambda made: [setattr(made.graph.node[i], "name", "n") for i in (0, 2)],
                "folded: 3 nodes in a main graph of 3 and 0 functions",
            ),
        ],
    )
    verifying.table(
        NESTED,
        [("a name inside", give_names, f"named: 3 nodes, {NAMED} (1) and for doc_strings")],
    )
    flat = changed(WITH_FUNCTION, unpack)
    verifying.says(
        "a function for a node",
        flat,
        WITH_FUNCTION,
        "folded: 1 node in a main graph of 1 and 1 function",
    )
    trained = changed(CHAIN, training)
    verifying.says(
        "tags in a training graph",
        trained,
        changed(trained, tag_training),
        f"tags: 4 nodes, {TAGS} (0 in IN, 1 in OUT)",
    )


def required(verifying):
    """--as: what is stronger is good as well."""
    outs = {
        "same": CHAIN,
        "tags": changed(CHAIN, tag),
        "probe": changed(CHAIN, probe("a")),
        "part": changed(CHAIN, part),
    }
    for name, out in outs.items():
        verifying.write(f"{name}.onnx", out)
    verifying.write("folded.onnx", WITH_FUNCTION)
    verifying.write("flat.onnx", changed(WITH_FUNCTION, unpack))
    nameless = changed(CHAIN, without_names)
    verifying.write("nameless.onnx", nameless)
    verifying.write("named.onnx", changed(nameless, give_names))
    verifying.write("in.onnx", CHAIN)
    good = {
        "same": "same",
        "tags": "same tags",
        "named": "same tags",
        "probe": "same tags probe",
        "part": "same tags probe part",
        "folded": "same tags",
    }
    for asked, enough in good.items():
        for name in outs:
            code, result, _ = verifying.json("--as", asked, "in.onnx", f"{name}.onnx")
            (entry,) = result["results"]
            holds = name in enough.split()
            got = (code, entry["relation"], entry["holds"], entry["difference"] is None)
            verifying.expect(f"{name} as {asked}", got, (0 if holds else 1, name, holds, holds))
        code, _, _ = verifying.json("--as", asked, "flat.onnx", "folded.onnx")
        verifying.expect(f"folded as {asked}", code, 0 if asked == "folded" else 1)
        code, _, _ = verifying.json("--as", asked, "nameless.onnx", "named.onnx")
        verifying.expect(f"named as {asked}", code, 0 if asked in ("named", "folded") else 1)


def refusals(verifying):
    """What a difference is measured against where something else was asked for."""
    verifying.says(
        "tags as same",
        CHAIN,
        changed(CHAIN, tag),
        "tags, not same: node 0 'first': doc_string ('tag') is added",
        "--as",
        "same",
    )
    verifying.says(
        "a part as tags",
        CHAIN,
        changed(CHAIN, part),
        "part, not tags: node 0 'first': input 0 was 'x', is 'a' (IN has 3 there, OUT 2)",
        "--as",
        "tags",
    )
    nameless = changed(CHAIN, without_names)
    verifying.says(
        "names as tags",
        nameless,
        changed(nameless, give_names),
        "named, not tags: node 0: name ('Relu_0') is added",
        "--as",
        "tags",
    )
    verifying.says(
        "a name for two nodes as named",
        nameless,
        changed(nameless, lambda made: [setattr(n, "name", "n") for n in made.graph.node[:2]]),
        "folded, not named: name 'n': is given to a node and another one has it",
        "--as",
        "named",
    )
    verifying.says(
        "other names as named",
        CHAIN,
        changed(CHAIN, both(without_names, give_names)),
        "folded, not named: node 0 'first': name was 'first', is 'Relu_0'",
        "--as",
        "named",
    )
    # Values in another order are both a part and folded.
    two = changed(CHAIN, lambda made: made.graph.initializer.append(weight("v")))
    turned = changed(two, lambda made: made.graph.initializer.reverse())
    line = "folded: 3 nodes in a main graph of 3 and 0 functions"
    verifying.says("an order as folded", two, turned, line, "--as", "folded")
    line = "part: 3 of 3 nodes, 1 graph input, 1 graph output"
    verifying.says("an order", two, turned, line)


def probes(verifying):
    verifying.table(
        CHAIN,
        [
            (
                "a probe of nothing",
                probe("nowhere"),
                "different: graph output 'nowhere': is made by nothing in OUT",
            ),
            (
                "a probe of another type",
                probe("b", INT64),
                "different: graph output 'b', type, tensor_type: elem_type was 1, is 7",
            ),
            (
                "a probe that lost an output",
                both(probe("a"), lambda made: made.graph.output.pop(0)),
                "part: 3 of 3 nodes, 1 graph input, 1 graph output",
            ),
            (
                "a probe that knows a value's type no longer",
                both(probe("b"), lambda made: made.graph.value_info.pop()),
                "part: 3 of 3 nodes, 1 graph input, 2 graph outputs",
            ),
        ],
    )


if __name__ == "__main__":
    main(relations, required, refusals, probes)
