#!/usr/bin/env python3
"""Models that are made to hurt, of any size: hostile_models.py KIND N > FILE

Each is what its name in KINDS says, with about N nodes where nothing else is
said. They are valid protobuf, and most are valid ONNX.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from harness import field  # noqa: E402


def node(inputs, outputs, name="", op="Relu", extra=b"", domain=""):
    text = b"".join(field(1, value) for value in inputs)
    text += b"".join(field(2, value) for value in outputs)
    if name:
        text += field(3, name)
    text += field(4, op) + extra
    if domain:
        text += field(7, domain)
    return text


def model(nodes, rest=b"", outside=b""):
    """`nodes` is an iterable of contents, `rest` other fields of the graph."""
    graph = b"".join(field(1, item) for item in nodes) + field(2, "main_graph") + rest
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)) + outside


def tensor(name, dims):
    return b"".join(field(1, dim % (1 << 64)) for dim in dims) + field(2, 1) + field(8, name)


def chain(names, op="Relu"):
    return [
        node([f"v{i}"], [f"v{i + 1}"], name, op if isinstance(op, str) else op(i))
        for i, name in enumerate(names)
    ]


def names_in_one_scope(n):
    """Every node is in a module of its own, all of them in one."""
    return model(chain(f"/scope/child_{i}x/Relu" for i in range(n)))


def one_deep_scope(n):
    """Three nodes; the scope of one has n components."""
    return model(chain(["/a/Relu", "/" + "a/" * n + "Relu", "/" + "b/" * n + "Relu"]))


def many_deep_scopes(n):
    """n / 500 nodes with a different scope of 500 components each."""
    return model(
        chain("/" + f"m{i}/" * 250 + "x/" * 250 + "Relu" for i in range(max(n // 500, 1)))
    )


def consumers_of_one_value(n):
    return model(node(["x"], [f"y{i}"], "" if i % 2 else f"/layer.{i}/Relu") for i in range(n))


def layers(n):
    return model(chain(f"/layer.{i}/act/Relu" for i in range(n)))


def layers_without_most_names(n):
    return model(chain(f"/layer.{i // 8}/act/Relu" if i % 8 == 0 else "" for i in range(n)))


def nothing_known(n):
    return model(chain("" for _ in range(n)))


def different_operators(n):
    return model(chain(("/a/Relu" if i % 9 == 0 else "" for i in range(n)), lambda i: f"Op{i}"))


def one_ring(n):
    """Every node waits for the one before it, the first for the last."""
    return model(node([f"v{i}"], [f"v{(i + 1) % n}"], f"/a.{i}/x" if i % 5 == 0 else "") for i in range(n))


def same_name_everywhere(n):
    """Names and outputs that all nodes share."""
    return model(node(["v"], ["v"], "/a/b/Relu") for _ in range(n))


def skips_to_the_start(n):
    """Each join reads the one before it and the input of the whole."""
    return model(node([f"v{i}", "v0"], [f"v{i + 1}"], "", "Add") for i in range(n))


def ladder(n):
    """Each node reads the two before it."""
    return model(
        node([f"v{i}", f"v{i + 1}"], [f"v{i + 2}"], f"/l.{i}/Add" if i % 7 == 0 else "", "Add")
        for i in range(n)
    )


def one_node_with_many_inputs(n):
    return model(
        [node([f"v{i}" for i in range(n)], ["y"], "/a/Concat", "Concat"), *chain(["/b/Relu"] * 3)]
    )


def initializers(n):
    rest = b"".join(field(5, tensor(f"layer.{i}.fc.weight", [4, 4])) for i in range(n))
    return model(chain(["/a/Relu"]), rest)


def subgraphs_in_one_attribute(n):
    graphs = b"".join(field(11, field(1, node(["x"], ["y"]))) for _ in range(n))
    return model([node(["x"], ["y"], "/a/Custom", "Custom", field(5, field(1, "bodies") + graphs))])


def nested_ifs(n):
    """n / 100 graphs, each in a node of the one around it: 200 for 20,000."""
    inner = field(1, node(["x"], ["y"], "/deep/Relu"))
    for _ in range(n // 100):
        attribute = field(5, field(1, "then_branch") + field(6, inner))
        inner = field(1, node(["c"], ["y"], "", "If", attribute))
    return field(1, 8) + field(7, inner)


def function(name, nodes, domain="f"):
    return field(25, field(1, name) + b"".join(field(7, item) for item in nodes) + field(10, domain))


def functions_that_call_each_other(n):
    """A chain of n / 2 functions, each calling the next one twice: 2 ** (n / 2) calls in all."""
    count = max(n // 2, 1)
    functions = b"".join(
        function(f"F{i}", [node(["x"], ["y"], f"c{k}", f"F{i + 1}", domain="f") for k in "ab"])
        for i in range(count)
    )
    return model([node(["x"], ["y"], "/a/F0", "F0", domain="f")], b"", functions)


def functions_in_a_ring(n):
    functions = b"".join(
        function(f"F{i}", [node(["x"], ["y"], "c", f"F{(i + 1) % n}", domain="f")])
        for i in range(n)
    )
    return model([node(["x"], ["y"], "/a/F0", "F0", domain="f")], b"", functions)


def long_name(n):
    """Two nodes with names of 10 n bytes."""
    return model(chain(["/" + "n" * (10 * n) + "/Relu", "x" * (10 * n)]))


def numbers_that_overflow(n):
    numbers = [10**19, 10**20 + 1, 2**63, 2**64, 10**300, 0]
    return model(chain(f"/layer.{numbers[i % 6] + i}/fc_{numbers[i % 6]}/Relu_{10**40}" for i in range(n)))


def dims_that_overflow(n):
    dims = [[2**62, 2**62], [2**63 - 1] * 8, [-1, 5], [-(2**63)], [0, 2**62, 2**62]]
    rest = b"".join(field(5, tensor(f"layer.{i}.weight", dims[i % 5])) for i in range(n))
    return model(
        [node([f"v{i}", f"layer.{i}.weight"], [f"v{i + 1}"], "", "Mul") for i in range(n)], rest
    )


def names_that_are_no_text(n):
    """Bytes that are not UTF-8, control characters, quotes."""
    odd = ["\udcff\udcfe", "\x1b[31m\x07", '"\\', "\u202e\u0000", "\x7f\x80", "é\u2028漢"]

    def raw(i):
        return f"/{odd[i % 6]}/m.{i}/{odd[(i + 1) % 6]}".encode("utf-8", "surrogateescape")

    return model(
        field(1, f"v{i}") + field(2, raw(i)) + field(3, raw(i)) + field(4, raw(i)) for i in range(n)
    )


def deep_json_in_doc_strings(n):
    """Doc_strings that begin like ours and nest without end."""
    text = '{"hierarchy_tags":[' + "[" * n
    return model(node([f"v{i}"], [f"v{i + 1}"], "/a/Relu", extra=field(6, text)) for i in range(3))


def metadata(n):
    """Module paths in metadata, each one longer than the one before up to 100 parts."""
    def entry(i):
        names = ["''"] + [f"'m{i % 7}.{k}'" for k in range(i % 100)] + ["'relu'"]
        return field(9, field(1, "pkg.torch.onnx.name_scopes") + field(2, f"[{', '.join(names)}]"))

    return model(node([f"v{i}"], [f"v{i + 1}"], extra=entry(i)) for i in range(n))


def nodes_in_one_long_scope(n):
    """n nodes without names between two in a scope of n bytes."""
    ends = "/" + "s" * n + "/x" * 200 + "/Relu"
    return model(chain(ends if i in (0, n - 1) else "" for i in range(n)))


def empty_nodes_in_one_long_scope(n):
    """The smallest nodes there are: two bytes each."""
    (named,) = chain(["/" + "s" * 200 + "/x" * 150 + "/Relu"])
    return model([named, *[b""] * n, named])


def long_scope_and_its_children(n):
    """A scope of n bytes; functions name n modules in it."""
    scope = "/" + "s" * n
    calls = [node([f"v{i}"], [f"v{i + 1}"], f"{i}", "F", domain="custom") for i in range(n)]
    body = [node(["x"], ["y"], f"{scope}/Relu"), node(["x"], ["y"], "", "G", domain="custom")]
    inner = function("G", calls, "custom")
    return model(chain([f"{scope}/Relu"]) + calls, b"", inner + function("F", body, "custom"))


def long_name_among_many(n):
    """n modules; one of them has a name of n bytes."""
    return model(chain(["/" + "s" * n + "/Relu"] + [f"/m{i}x/Relu" for i in range(n)]))


def long_names_that_json_escapes(n):
    """n nodes in a scope of control characters."""
    return model(chain("" if i % 100 else "/" + "\x1b" * 300 + "/\x01\x02/Relu" for i in range(n)))


def nodes_at_the_bottom(n):
    """n nodes in a graph that lies 900 deep: the ways to them."""
    inner = b"".join(field(1, node([f"x{i}"], [f"x{i + 1}"])) for i in range(n))
    for _ in range(900):
        attribute = field(5, field(1, "then_branch") + field(6, inner))
        inner = field(1, node(["c"], ["y"], "", "If", attribute))
    return field(1, 8) + field(7, inner)


def nodes_behind_a_long_attribute(n):
    """n nodes in the graph of an attribute with a name of n bytes."""
    inner = b"".join(field(1, node(["x"], ["y"])) for _ in range(n))
    return model([node(["c"], ["y"], "", "If", field(5, field(1, "a" * n) + field(6, inner)))])


def nodes_of_a_long_function(n):
    """n nodes in a function with a name and a domain of n bytes."""
    calls = [node(["x"], ["y"], "", "F" * n, domain="d" * n) for _ in range(5)]
    inner = [node([f"x{i}"], [f"x{i + 1}"]) for i in range(n)]
    return model(calls, b"", function("F" * n, inner, "d" * n))


def one_long_class(n):
    """n modules in one whose class has a name of n bytes."""
    def entry(key, value):
        return field(9, field(1, f"pkg.torch.onnx.{key}") + field(2, value))

    def scopes(i):
        classes = f"['{'C' * n if i == 0 else 'C'}', 'torch.D', 'aten.relu']"
        return entry("name_scopes", f"['', 'm{i}x', 'relu']") + entry("class_hierarchy", classes)

    return model(node([f"v{i}"], [f"v{i + 1}"], extra=scopes(i)) for i in range(n))


def names_that_go_on_from_each_other(n):
    """A list of n names, each of which stands for itself and all before it."""
    names = "[" + ", ".join(["'a'"] * n) + "]"
    entry = field(9, field(1, "pkg.onnxscript.name_scopes") + field(2, names))
    return model([node(["a"], ["b"], extra=entry)])


def long_tags_of_another_tool(n):
    """n nodes in wrong layers by short tags; what is right is spelled in n bytes."""
    def doc(tag):
        return field(6, f'{{"hierarchy_tag": "{tag}"}}')

    spelled = "//" * n + "l" * n
    nodes = [node(["a"], ["b"], extra=doc(f"/{spelled}/layer.{k}/a")) for k in range(2)]
    for i in range(n):
        extra = doc(f"/{'l' * n if i == 0 else 'l'}/layer.{i % 2}/a")
        nodes.append(node([f"v{i}"], [f"v{i + 1}"], f"/l/layer.{(i + 1) % 2}/a/Relu", extra=extra))
    return model(nodes)


def masks_of_many_layers(n):
    """n constants that 16 layers with long names read: each has 16 more tags."""
    scope = "/" + "s" * 240
    readers = [
        node([f"c{i}" for i in range(n // 16)], [f"y{k}"], f"{scope}/{'l' * 240}.{k}/Add", "Sum")
        for k in range(16)
    ]
    return model([node([], [f"c{i}"], "", "Constant") for i in range(n // 16)] + readers)


KINDS = {
    kind.__name__: kind
    for kind in (
        names_in_one_scope,
        one_deep_scope,
        many_deep_scopes,
        consumers_of_one_value,
        layers,
        layers_without_most_names,
        nothing_known,
        different_operators,
        one_ring,
        same_name_everywhere,
        skips_to_the_start,
        ladder,
        one_node_with_many_inputs,
        initializers,
        subgraphs_in_one_attribute,
        nested_ifs,
        functions_that_call_each_other,
        functions_in_a_ring,
        long_name,
        numbers_that_overflow,
        dims_that_overflow,
        names_that_are_no_text,
        deep_json_in_doc_strings,
        metadata,
        nodes_in_one_long_scope,
        empty_nodes_in_one_long_scope,
        long_scope_and_its_children,
        long_name_among_many,
        long_names_that_json_escapes,
        nodes_at_the_bottom,
        nodes_behind_a_long_attribute,
        nodes_of_a_long_function,
        one_long_class,
        names_that_go_on_from_each_other,
        long_tags_of_another_tool,
        masks_of_many_layers,
    )
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(f"{__doc__}\nKinds:\n  " + "\n  ".join(KINDS))
    sys.stdout.buffer.write(KINDS[sys.argv[1]](int(sys.argv[2])))


if __name__ == "__main__":
    main()
