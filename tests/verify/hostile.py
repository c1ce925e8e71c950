#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that are made to hurt: each ends soon, with an answer or a clear error."""

from verifying import call, changed, function, graph, main, model, node, value, varint, weight

IN = model(graph([node("Relu", "x", "y")], ["x"], ["y"]))
OPSETS = (("", 15), ("m", 1))


def calling(functions, first):
    return model(graph([call(first, "x", "y", "call")], ["x"], ["y"]), functions, OPSETS)


def chain(length, body):
    """f0 is `body`; each other calls the one before it."""
    functions = [function("f0", "i", "o", body)]
    for i in range(1, length):
        functions.append(function(f"f{i}", "i", "o", [call(f"f{i - 1}", "i", "o")]))
    return functions


def doubling(length, body):
    """The same, but each calls twice."""
    functions = [function("f0", "i", "o", body)]
    for i in range(1, length):
        calls = [call(f"f{i - 1}", "i", "h"), call(f"f{i - 1}", "h", "o")]
        functions.append(function(f"f{i}", "i", "o", calls))
    return functions


def recursion(verifying):
    itself = function("F", "i", "o", [call("F", "i", "o")])
    text = "different: function 'm:F' calls itself"
    verifying.says("a function that calls itself", IN, calling([itself], "F"), text)
    one = function("F", "i", "o", [call("G", "i", "o")])
    two = function("G", "i", "o", [call("F", "i", "o")])
    verifying.says("two that call each other", IN, calling([one, two], "F"), text)
    inside = function("F", "i", "o", [
        node("If", "i", "o", then_branch=graph([call("F", "i", "t")], [], ["t"]))
    ])
    verifying.says("one in a graph inside", IN, calling([inside], "F"), text)


def growth(verifying):
    relu = [node("Relu", "i", "o")]
    text = "different: with its functions inlined it has more than the 1 nodes of IN's main graph"
    verifying.says("a bomb of nodes", IN, calling(doubling(60, relu), "f59"), text)
    empty = [call("none", "i", "o", "last")]
    nothing = function("none", "i", "i", [])
    bomb = calling([nothing, *doubling(60, empty)], "f59")
    text = "different: its functions call each other far more often than IN has nodes"
    verifying.says("a bomb of calls", IN, bomb, text)
    wide = function("wide", " ".join(f"i{k}" for k in range(20000)), "i0", [])
    bomb = calling([wide, *doubling(60, [call("wide", "i", "o")])], "f59")
    verifying.says("a bomb of wide calls", IN, bomb, text)


def depth(verifying):
    relu = [node("Relu", "i", "o")]
    deep = calling(chain(300, relu), "f299")
    verifying.says(
        "calls in calls",
        IN,
        deep,
        "folded: 1 node in a main graph of 1 and 300 functions",
    )
    text = "different: graphs and calls lie more than 400 deep in each other"
    verifying.says("too many", IN, calling(chain(2000, relu), "f1999"), text)


def nested_ifs(count):
    """An If in an If, as bytes: Python's protobuf would not write it."""

    def field(number, content):
        return varint(number << 3 | 2) + varint(len(content)) + content

    inside = b""
    for _ in range(count):
        attribute = field(1, b"then_branch") + field(6, inside) + varint(20 << 3) + varint(5)
        inside = field(1, field(4, b"If") + field(5, attribute))
    return varint(1 << 3) + varint(8) + field(7, inside)


def nesting(verifying):
    verifying.says("graphs in graphs", nested_ifs(30), nested_ifs(30), "same: 30 nodes")
    names = [verifying.write("in.onnx", nested_ifs(40)), verifying.write("out.onnx", IN)]
    code, _, err = verifying.run(*names)
    verifying.expect("too many", (code, "100 deep" in err, err.count("\n")), (2, True, 1))


def large(verifying):
    """Linear in what is there."""
    count = 20000
    nodes = [node("Relu", f"v{i}", f"v{i + 1}", f"n{i}") for i in range(count)]
    nodes[-1].output[0] = "y"
    nodes[0].input[0] = "x"
    long = model(graph(nodes, ["x"], ["y"]))
    backwards = changed(long, lambda made: made.graph.ClearField("node"))
    backwards.graph.node.extend(reversed(nodes))
    line = f"folded: {count:,} nodes in a main graph of {count:,} and 0 functions"
    verifying.says("all nodes backwards", long, backwards, line)
    halves = [
        call("Half", "x", "m"),
        call("Half", "m", "y"),
    ]
    body = [node("Relu", f"v{i}", f"v{i + 1}") for i in range(count // 2)]
    half = function("Half", "v0", f"v{count // 2}", body)
    out = model(graph(halves, ["x"], ["y"]), [half], OPSETS)
    line = f"folded: {count:,} nodes in a main graph of 2 and 1 function"
    verifying.says("a long function", long, out, line)
    reader = node("Sum", "x " * count, "y")
    verifying.says("many inputs", model(graph([reader], ["x"], ["y"])), IN,
                   "different: node 0: input 1 ('x') is missing")
    weights = [weight(f"w{i}", [1.0]) for i in range(count)]
    heavy = model(graph([node("Relu", "x", "y")], ["x"], ["y"], weights=weights))
    turned = changed(heavy, lambda made: made.graph.initializer.reverse())
    verifying.says(
        "many weights",
        heavy,
        turned,
        "part: 1 of 1 node, 1 graph input, 1 graph output",
    )


def alike(verifying):
    """Many of what there should be one of, or few."""
    count = 40000
    base = model(graph([node("Relu", "x", f"v{i}") for i in range(count)], ["x"], ["v0"]))
    probed = changed(base, lambda made: made.graph.output.extend(infos(range(1, count))))
    code, result, _ = verifying.json(*write(verifying, base, probed))
    probes = result["results"][0]["probes"]
    verifying.expect("many outputs", (code, len(probes)), (0, count - 1))
    typed = changed(base, lambda made: made.graph.value_info.extend(infos(range(count))))
    typed = changed(typed, lambda made: setattr(made.graph.node[0], "name", "one"))
    renamed = changed(typed, lambda made: setattr(made.graph.node[0], "name", "other"))
    line = f"folded: {count:,} nodes in a main graph of {count:,} and 0 functions"
    verifying.says("many nodes that do the same", typed, renamed, line)
    one = changed(base, lambda made: made.graph.value_info.extend(infos([0] * count)))
    same = changed(one, lambda made: setattr(made.graph, "name", "other"))
    line = f"part: {count:,} of {count:,} nodes, 1 graph input, 1 graph output"
    verifying.says("many types of one value", one, same, line)
    noted = changed(IN, lambda made: notes(made, count))
    other = changed(noted, lambda made: setattr(made.metadata_props[0], "value", "new"))
    line = "tags: 1 node, the same but for doc_strings (0 in IN, 0 in OUT); metadata 'onnx_hier.x'"
    verifying.says("many values of one key", noted, other, line)


def infos(numbers):
    return [value(f"v{i}") for i in numbers]


def notes(made, count):
    for i in range(count):
        made.metadata_props.add(key="onnx_hier.x", value=str(i))


def write(verifying, before, after):
    return verifying.write("in.onnx", before), verifying.write("out.onnx", after)


def empty(verifying):
    """Models that hold nothing, functions that make nothing."""
    bare = model(graph([], [], []))
    verifying.says("no nodes", bare, bare, "same: 0 nodes")
    nothing = calling([function("N", "i", "o", [])], "N")
    text = "different: node 0 ('Relu') of IN: nothing in OUT does the same"
    verifying.says("a function without nodes", IN, nothing, text)
    no_graph = b"\x08\x08"
    verifying.says("no graph", no_graph, no_graph, "same: 0 nodes")
    text = "part, not tags: graph is missing"
    only_graph = b"\x08\x08\x3a\x00"
    verifying.says("no graph any more", only_graph, no_graph, text, "--as", "tags")


if __name__ == "__main__":
    main(recursion, growth, depth, nesting, large, alike, empty)
