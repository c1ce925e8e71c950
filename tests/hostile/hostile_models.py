#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that are made to hurt, of any size: hostile_models.py KIND N > FILE

Each is what its name in KINDS says, with about N nodes where nothing else is
said. They are valid protobuf, and most are valid ONNX.
"""

import json
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


def tagged(tag, *others, **more):
    """The doc_string of a node that somebody tagged."""
    return field(6, json.dumps({"hierarchy_tags": [tag, *others], "hierarchy_path": tag, **more}))


def small_network(tags=False):
    """Eight layers of two nodes: values h0 to h16."""
    return [
        node(
            [f"h{i}"],
            [f"h{i + 1}"],
            f"/layer.{i // 2}/act{i % 2}/Relu",
            extra=tagged(f"/layer.{i // 2}/act{i % 2}") if tags else b"",
        )
        for i in range(16)
    ]


def weight(name):
    return field(5, tensor(name, [4, 4]))


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


def function(name, nodes, domain="f", inputs=(), outputs=(), rest=b""):
    """A local function; `nodes` is an iterable of contents, `rest` other fields."""
    text = field(1, name) + b"".join(field(4, value) for value in inputs)
    text += b"".join(field(5, value) for value in outputs)
    return field(25, text + b"".join(field(7, item) for item in nodes) + rest + field(10, domain))


def functions_that_call_each_other(n):
    """A chain of n / 2 functions, each calling the next one twice: 2 ** (n / 2) calls in all."""
    count = max(n // 2, 1)
    functions = b"".join(
        function(f"F{i}", [node(["x"], ["y"], f"c{k}", f"F{i + 1}", domain="f") for k in "ab"])
        for i in range(count)
    )
    return model([node(["x"], ["y"], "/a/F0", "F0", domain="f")], b"", functions)


def folds_that_multiply(n, inputs=("x",), outputs=("y",), last=(node(["x"], ["y"], "r"),)):
    """n / 40 calls that unfold to 2 ** 19 nodes each: 20 functions call the next one twice."""
    domain = "onnx_hier.modules"

    functions, calls = b"", []
    for i in range(max(1, n // 40)):
        for k in range(19):
            pair = [node(inputs, outputs, c, f"F{i}_{k + 1}", domain=domain) for c in "ab"]
            functions += function(f"F{i}_{k}", pair, domain, inputs, outputs)
        functions += function(f"F{i}_19", last, domain, inputs, outputs)
        made = [f"y{i}" for _ in outputs]
        calls.append(node(inputs, made, f"/l.{i}/F", f"F{i}_0", domain=domain))
    opset = field(8, field(1, domain) + field(2, 1))
    return model([node(["x"], ["h"], "/act/Relu"), *calls], b"", functions + opset)


def folds_of_nothing(n):
    """The same without nodes: what unfolding walks through, and nothing comes of."""
    return folds_that_multiply(n, (), (), ())


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


def one_output_of_all(n):
    """Beside a small network, nodes that all read and make one value."""
    return model(small_network() + [node(["v"], ["v"]) for _ in range(n)])


def one_output_of_all_tagged(n):
    nodes = [node(["v"], ["v"], extra=tagged(f"/layer.{i % 8}/act0")) for i in range(n)]
    return model(small_network() + nodes)


def one_copy_of_a_parameter(n):
    """n / 2 nodes make the copy, n / 2 read it."""
    copy = "layer.0.fc.weight_q"
    extra = tagged("/layer.0/fc")
    nodes = [
        node(["layer.0.fc.weight"], [copy], "", "DequantizeLinear", extra) for _ in range(n // 2)
    ]
    nodes += [node([copy], [f"y{i}"], extra=extra) for i in range(n // 2)]
    return model(nodes, weight("layer.0.fc.weight") + weight("layer.1.fc.weight"))


def modules_of_other_layers(n):
    """Each layer has one module, which the tags put into the layer before it."""
    nodes = [
        node(
            [f"v{i}", f"layer.{i}.fc.weight"],
            [f"v{i + 1}"],
            "",
            "MatMul",
            tagged(f"/layer.{(i + 1) % n}/only_{(i + 1) % n}x/a/b"),
        )
        for i in range(n)
    ]
    return model(nodes, b"".join(weight(f"layer.{i}.fc.weight") for i in range(n)))


def stages_that_lack_modules(n):
    """The same with layers in stages: each layer is asked for what its cousins may have."""
    side = max(int(n**0.5), 2)
    nodes, rest = [], []
    for i in range(side * side):
        stage, layer = divmod(i, side)
        other = (layer + 1) % side
        name = f"stage.{stage}.layer.{layer}.fc.weight"
        tag = tagged(f"/stage.{stage}/layer.{other}/only_{i}x/a")
        nodes.append(node([f"v{i}", name], [f"v{i + 1}"], "", "MatMul", tag))
        rest.append(weight(name))
    return model(nodes, b"".join(rest))


def numbers_that_mean_others(n):
    """Class tags, and in every scope another list with the same two numbers."""
    return model(
        node(
            [f"v{i}"],
            [f"v{i + 1}"],
            f"/m_{i // 2}x/l.{i % 2}/Relu",
            extra=tagged(f"/Net/Layer.{i % 2}"),
        )
        for i in range(n)
    )


def wide_node_without_tag(n):
    """A Concat of n inputs between n readers and what they read."""
    nodes = [*small_network(tags=True), node(["w"] * n, ["x"], "", "Concat")]
    nodes += [node(["x"], [f"y{i}"], extra=tagged(f"/layer.{i % 8}/act0")) for i in range(n)]
    return model(nodes, field(5, tensor("w", [1])))


def wide_node_that_all_feed(n):
    """A Split of n / 2 outputs behind n / 2 nodes."""
    count = n // 2
    nodes = small_network(tags=True)
    nodes += [
        node([f"a{i}"], [f"b{i}"], extra=tagged(f"/layer.{i % 8}/act0")) for i in range(count)
    ]
    nodes.append(
        node([f"b{i}" for i in range(count)], [f"o{i}" for i in range(count)], "", "Split")
    )
    return model([*nodes, node(["o0"], ["z"], extra=tagged("/layer.0/act0"))])


def lists_in_turns(n):
    """n / 4 lists whose first layers all stand before their second ones."""
    nodes = []
    for layer in (0, 0, 1, 1):
        for i in range(n // 4):
            output = f"y{len(nodes)}"
            nodes.append(node(["x"], [output], extra=tagged(f"/list_{i}x/l.{layer}/a")))
    return model(nodes)


def counterparts_all_over(n):
    """Layers of four nodes, of which the last is tagged with any layer."""
    layers = max(n // 4, 1)
    ops = ("Relu", "Add", "Mul", "Exp")

    def tag(i):
        layer = i // 4
        return tagged(f"/l.{layer if i % 4 < 3 else layer * 7919 % layers}/a")

    return model(node([f"v{i}"], [f"v{i + 1}"], "", ops[i % 4], tag(i)) for i in range(4 * layers))


def wide_layers(n):
    """Two layers of n / 2 modules, and every tag names the other one."""
    return model(
        node(
            [f"v{i}"],
            [f"v{i + 1}"],
            f"/block_{1 + i % 2}/m{i // 2}x/Relu",
            extra=tagged(f"/block_{2 - i % 2}/m{i // 2}x"),
        )
        for i in range(n)
    )


def lists_in_lists(n):
    """Tags that are each in a hundred lists; n is the number of names in all of them."""
    def tag(i):
        return tagged("/" + "/".join(f"l.{i >> depth % 16 & 1}" for depth in range(100)))

    return model(node([f"v{i}"], [f"v{i + 1}"], extra=tag(i)) for i in range(max(n // 100, 1)))


def many_auxiliary_tags(n):
    """Sixteen nodes with wrong tags and n / 16 more each."""
    more = [f"/x{i}" for i in range(n // 16)]
    nodes = [
        node([f"v{i}"], [f"v{i + 1}"], f"/layer.{i % 8}/act0/Relu",
             extra=tagged(f"/layer.{(i + 1) % 8}/act0", *more))
        for i in range(16)
    ]
    return model([*small_network(tags=True), *nodes])


def doubtful_earlier_tags(n):
    """Every eighth node has a name; the tags of the others are those of the next layer."""
    ops = ("Relu", "Add", "Mul", "Exp")

    def one(i):
        named = i % 8 == 0
        tag = tagged(f"/layer.{i // 8 + (0 if named else 1)}/a", hierarchy_confidence=0.74)
        name = f"/layer.{i // 8}/a/Relu" if named else ""
        return node([f"v{i}"], [f"v{i + 1}"], name, ops[i % 4], tag)

    return model(one(i) for i in range(n))


def reads_one_parameter_often(n):
    """A Concat that reads n constants, then one parameter n times."""
    wide = node(["c"] * n + ["a.weight"] * n, ["w"], "", "Concat")
    readers = [node(["x", "w"], [f"y{i}"], "", "MatMul") for i in range(2)]
    return model([wide, *readers, node(["y0"], ["z"], "/a/Relu")], weight("a.weight") + weight("c"))


def parameters_of_many(n):
    """One node that reads a parameter of each of n modules."""
    names = [f"m{i}x.weight" for i in range(n)]
    nodes = [node(names, ["w"], "", "Concat"), node(["x", "w"], ["y"], "/a/MatMul", "MatMul")]
    return model([*nodes, node(["y"], ["z"])], b"".join(map(weight, names)))


def parameter_of_like_names(n):
    """A parameter in modules that are all called alike, and n / 10 nodes elsewhere that read it."""
    name = "a." * 250 + "weight"
    nodes = [
        node([f"v{i}", name], [f"v{i + 1}"], f"/b/a/MatMul_{i}", "MatMul") for i in range(n // 10)
    ]
    return model(nodes, weight(name))


def parameters_spelled_deeper(n):
    """n / 2 modules in names of parameters; of all of them, names of values have more around."""
    inner = "/a" * 20
    nodes, weights = [], b""
    for i in range(n // 4):
        name = f"m{i}x{inner}/kernel:0"
        weights += weight(name)
        nodes.append(node([f"v{i}", name], [f"w{i}"], f"Conv{i}x", "Conv"))
        nodes.append(node([f"w{i}"], [f"v{i + 1}"], f"p{inner}/m{i}x{inner}{inner}/Relu"))
    return model(nodes, weights)


def nodes_in_deep_spelled_names(n):
    """Parameters of modules 100 deep, and names of nodes that may spell each in many ways."""
    count = max(64, n // 20)
    names = ["a/" * 100 + f"x{i}/kernel" for i in range(count)]
    nodes = [node([f"v{i}", name], [f"v{i + 1}"], f"MatMul_{i}", "MatMul")
             for i, name in enumerate(names)]
    nodes += [node([f"v{i}"], [f"v{i + 1}"], "a/" * 250 + f"Relu_{i}") for i in range(count, n)]
    return model(nodes, b"".join(weight(name) for name in names))


def parameters_of_24_modules_each(n):
    """Modules in modules, 24 deep, whose parameters all that hold them have to pass on."""
    names = ["a." * (i % 24 + 1) + f"w{i // 24}" for i in range(n)]
    nodes = [node([f"v{i}", name], [f"v{i + 1}"], op="MatMul") for i, name in enumerate(names)]
    weights = b"".join(field(5, tensor(name, [2, 2])) for name in names)
    return model(nodes, weights + field(11, typed("v0")) + field(12, typed(f"v{n}")))


def nodes_in_no_order(n):
    """n / 2 constants in front; what they are added to stands by turns in n / 16 branches."""
    branches = max(1, n // 16)
    constants = [node([], [f"c{i}"], f"Constant_{i}", "Constant") for i in range(n // 2)]
    sums = [
        node([f"v{i}", f"c{i}"], [f"v{i + branches}"], f"/layer.{i % branches}/Add", "Add")
        for i in range(n // 2)
    ]
    return model(constants + sums)


def operators_joined_in_names(n):
    """n / 4 nodes with names of some hundred operators each, joined by underscores."""
    names = ["/".join(["net", *["Relu_net"] * 200, str(i)]) for i in range(n // 4)]
    return model(chain(names))


def grammars_in_turns(n):
    """n / 4 nodes of four models, in four grammars, by turns; each reads a parameter of its own."""
    words = (
        "enc_/l.{0}/fc/MatMul",
        "dec_node_matmul_{0}",
        "m1/MatMul_{0}",
        "l/l.{0}/fc/MatMul",
    )
    nodes, weights = [], b""
    for i in range(n // 4):
        name = words[i % 4].format(i)
        front = ("enc_", "dec_", "m1/", "")[i % 4]
        own = f"{front}l.{i}.fc.weight"
        weights += weight(own)
        nodes.append(node([f"{front}x", own], [f"{name}_output_0"], name, "MatMul"))
    return model(nodes, weights)


def one_model_in_both_branches(n):
    """An If whose branches read the same n / 8 parameters."""
    names = [f"l.{i}.weight" for i in range(n // 8)]
    inner = b"".join(
        field(1, node(["x", name], [f"y{i}"], f"/l.{i}/MatMul", "MatMul"))
        for i, name in enumerate(names)
    )
    branches = b"".join(
        field(5, field(1, branch) + field(6, inner)) for branch in ("then_branch", "else_branch")
    )
    weights = b"".join(weight(name) for name in names)
    return model([node(["c"], ["z"], "/If", "If", branches)], weights)


def large_branches_of_many_ifs(n):
    """n / 33 Ifs with 16 nodes in each branch, which read no parameter."""
    def branch(name, i, kind):
        inner = b"".join(
            field(1, node([f"{kind}{i}x{k}" if k else "x"], [f"{kind}{i}x{k + 1}"],
                          f"/l.{i}/{kind}/Relu_{k}"))
            for k in range(16)
        )
        return field(5, field(1, name) + field(6, inner))

    return model([
        node(["c"], [f"y{i}"], f"/l.{i}/If", "If",
             branch("then_branch", i, "a") + branch("else_branch", i, "b"))
        for i in range(n // 33)
    ])


def one_parameter_of_a_joined_model(n):
    """Behind a joined model, 3 n / 4 nodes without its prefix read one parameter that has it."""
    quarter = n // 4
    nodes = [node([f"m1_v{i}", f"m1_l.{i}.fc.weight"], [f"m1_v{i + 1}"], f"m1_/l.{i}/fc/MatMul",
                  "MatMul") for i in range(quarter)]
    nodes += [node([f"q{i}" if i else f"m1_v{quarter}", "m1_.shared.weight"], [f"q{i + 1}"],
                   f"Add{i}", "Add") for i in range(3 * quarter)]
    names = [f"m1_l.{i}.fc.weight" for i in range(quarter)] + ["m1_.shared.weight"]
    return model(nodes, b"".join(weight(name) for name in names))


def inputs_of_a_function(n):
    """A function with n / 2 inputs, called n / 2 times without any."""
    inputs = b"".join(field(4, f"i{i}") for i in range(n // 2))
    body = field(1, "F") + inputs + field(7, node(["i0"], ["y"])) + field(10, "f")
    calls = [node([], [f"v{i}"], "", "F", domain="f") for i in range(n // 2)]
    return model(calls, b"", field(25, body))


def calls_without_nodes(n):
    """One module called n / 4 times without showing it, and n / 4 modules that are called alike."""
    count = max(n // 4, 2)
    nodes = [node(["x"], [f"q{i}"], f"/a/fc_{i}/inner/Relu") for i in range(1, count)]
    weights = ["b.fc.weight"]
    for i in range(1, count):
        nodes.append(node(["x", weights[0]], [f"p{i}"], f"/b/fc_{i}/MatMul", "MatMul"))
    for i in range(count, 2 * count):
        weights.append(f"s{i}x.a.fc.weight")
        nodes.append(node(["x", weights[-1]], [f"r{i}"], f"/a/fc_{i}/MatMul", "MatMul"))
    return model(nodes, b"".join(map(weight, weights)))


def joins_behind_a_wide_node(n):
    """n / 2 skip connections over one Concat of n / 2 constants."""
    nodes = [
        node([], ["c"], "", "Constant"),
        node(["x"], ["v"], "/a/b/Relu"),
        node(["v"] + ["c"] * (n // 2), ["w"], "", "Concat"),
    ]
    nodes += [node(["w", "v"], [f"j{i}"], "", "Add") for i in range(n // 2)]
    return model([*nodes, node(["j0"], ["z"], "/a/c/Relu")])


def names_that_add_up(n):
    """Metadata with n module names that go on from each other."""
    text = "['', " + ", ".join(["'a'"] * n) + "]"
    extra = field(9, field(1, "pkg.onnxscript.name_scopes") + field(2, text))
    return model(node([f"v{i}"], [f"v{i + 1}"], extra=extra) for i in range(3))


def numbers_that_repeat(n):
    """n / 100 names of modules in a hundred lists that are printed once more."""
    lists = ".1" * 100
    return model(chain(f"/m{i}x{lists}/m{i}x{lists}/Relu" for i in range(max(n // 100, 1))))


def between_deep_scopes(n):
    """Of 100 nodes one has a name, in one of two modules that lie 240 deep and part at the top."""
    deep = ["/" + f"a.{k}/" * 120 + "Relu" for k in range(2)]
    return model(chain(deep[i // 100 % 2] if i % 100 == 0 else "" for i in range(n)))


def function_of_many_words(n):
    """A function whose name has n words, each of which may end a module's name."""
    name = "m_getattr_L__self__" + "_a_b" * (n // 2) + "_1"
    body = field(1, name) + field(4, "x") + field(5, "y") + field(7, node(["x"], ["y"]))
    body += field(9, field(1, "") + field(2, 17)) + field(10, "pkg.m")
    opset = field(8, field(1, "pkg.m") + field(2, 1))
    return model([node(["x"], ["y"], op=name, domain="pkg.m")], outside=opset + field(25, body))


def deep_functions(n):
    """240 functions, each called by the one before it; the last one has n / 2 nodes."""
    def in_custom(body):
        return field(25, body + field(10, "custom"))

    text = b"".join(
        in_custom(
            field(1, f"F{i}")
            + field(7, node(["x"], ["y"], "a", f"F{i + 1}", domain="custom"))
        )
        for i in range(240)
    )
    text += in_custom(
        field(1, "F240")
        + b"".join(field(7, node([f"x{i}"], [f"x{i + 1}"])) for i in range(n // 2))
    )
    call = node(["x"], ["y"], "a", "F0", domain="custom")
    return model([call, *chain([""] * (n // 2))], b"", text)


def nodes_deep_down(n):
    """n nodes in a graph that is 100 graphs deep."""
    inner = b"".join(field(1, node([f"x{i}"], [f"x{i + 1}"])) for i in range(n))
    for _ in range(100):
        attribute = field(5, field(1, "t") + field(6, inner))
        inner = field(1, node(["c"], ["y"], "", "If", attribute))
    return field(1, 8) + field(7, inner)


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


def calls_of_one_function(n):
    """A function of 2 n nodes, called n times, each call in a layer of its own."""
    inside = ["x", *(f"t{i}" for i in range(2 * n - 1)), "y"]
    body = [node([inside[i]], [inside[i + 1]]) for i in range(2 * n)]
    calls = [node([f"v{i}"], [f"v{i + 1}"], f"/l.{i}/F", "F", domain="f") for i in range(n)]
    opset = field(8, field(1, "f") + field(2, 1))
    ends = field(11, typed("v0")) + field(12, typed(f"v{n}"))
    imported = field(9, field(1, "") + field(2, 17))
    return model(calls, ends, opset + function("F", body, "f", ["x"], ["y"], imported))


def typed(name):
    """A ValueInfoProto: one number, float32."""
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, field(1, field(1, 1)))))


def layers_in_parallel(n):
    """One node gives n values, each to a layer of its own, which is an output."""
    nodes = [node(["v"], [f"s{i}" for i in range(n)], "/sp/Split", "Split")]
    nodes += [node([f"s{i}"], [f"r{i}"], f"/l.{i}/Relu") for i in range(n)]
    ends = field(11, typed("v")) + b"".join(field(12, typed(f"r{i}")) for i in range(n))
    return model(nodes, ends)


def layers_with_weights(n):
    """Each layer reads an initializer, and what describes its value stands far from it."""
    nodes = [node([f"v{i}", f"l.{i}.w"], [f"v{i + 1}"], f"/l.{i}/MatMul", "MatMul")
             for i in range(n)]
    rest = b"".join(field(5, tensor(f"l.{i}.w", [1]) + field(9, "1234")) for i in range(n))
    rest += b"".join(field(13, typed(f"v{i + 1}")) for i in range(n - 1))
    return model(nodes, rest + field(11, typed("v0")) + field(12, typed(f"v{n}")))


def flattened_layers(n):
    """Underscores stand for what parts modules, in names of nodes and parameters."""
    nodes = [node([f"v{i}", f"net_layers_{i}_fc_weight"], [f"v{i + 1}"],
                  f"_net_layers_{i}_fc_MatMul", "MatMul") for i in range(n)]
    return model(nodes, b"".join(weight(f"net_layers_{i}_fc_weight") for i in range(n)))


def long_flattened_name(n):
    """A node whose name has n words reads n parameters, and eight read one with such a name."""
    words = "_a" * n
    shared = ".a" * n
    nodes = [node([f"net.fc.{i}.weight" for i in range(n)], ["v0"], f"_net{words}_fc_Sum", "Sum")]
    nodes += [node([f"v{i}", f"net{shared}.fc.weight"], [f"v{i + 1}"],
                   f"_net_fc_{i}_MatMul", "MatMul") for i in range(8)]
    parameters = [f"net.fc.{i}.weight" for i in range(n)] + [f"net{shared}.fc.weight"]
    return model(nodes, b"".join(weight(name) for name in parameters))


def layers_with_data_files(n):
    """Each layer reads an initializer from a file of its own, which need not be there."""
    nodes = [node([f"v{i}", f"l.{i}.w"], [f"v{i + 1}"], f"/l.{i}/MatMul", "MatMul")
             for i in range(n)]
    rest = b"".join(
        field(5, tensor(f"l.{i}.w", [1]) + field(14, 1)
              + field(13, field(1, "location") + field(2, f"w{i}.bin")))
        for i in range(n)
    )
    return model(nodes, rest + field(11, typed("v0")) + field(12, typed(f"v{n}")))


def constants_that_all_need(n):
    """A chain of n / 2 constants, of which the last is read by n / 2 layers."""
    half = n // 2
    nodes = [node(["c"], ["c0"])] + [node([f"c{i}"], [f"c{i + 1}"]) for i in range(half)]
    nodes += [node([f"v{i}", f"c{half}"], [f"v{i + 1}"], f"/l.{i}/Add", "Add")
              for i in range(half)]
    ends = field(11, typed("v0")) + field(12, typed(f"v{half}"))
    return model(nodes, field(5, tensor("c", [1]) + field(9, "1234")) + ends)


KINDS = {
    kind.__name__: kind
    for kind in (
        names_in_one_scope,
        one_deep_scope,
        many_deep_scopes,
        consumers_of_one_value,
        layers,
        layers_without_most_names,
        flattened_layers,
        long_flattened_name,
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
        folds_that_multiply,
        folds_of_nothing,
        long_name,
        numbers_that_overflow,
        dims_that_overflow,
        names_that_are_no_text,
        deep_json_in_doc_strings,
        metadata,
        one_output_of_all,
        one_output_of_all_tagged,
        one_copy_of_a_parameter,
        modules_of_other_layers,
        stages_that_lack_modules,
        numbers_that_mean_others,
        wide_node_without_tag,
        wide_node_that_all_feed,
        lists_in_turns,
        counterparts_all_over,
        wide_layers,
        lists_in_lists,
        many_auxiliary_tags,
        doubtful_earlier_tags,
        reads_one_parameter_often,
        parameters_of_many,
        parameter_of_like_names,
        parameters_spelled_deeper,
        parameters_of_24_modules_each,
        nodes_in_deep_spelled_names,
        large_branches_of_many_ifs,
        one_parameter_of_a_joined_model,
        nodes_in_no_order,
        operators_joined_in_names,
        grammars_in_turns,
        one_model_in_both_branches,
        inputs_of_a_function,
        calls_without_nodes,
        joins_behind_a_wide_node,
        names_that_add_up,
        numbers_that_repeat,
        between_deep_scopes,
        function_of_many_words,
        deep_functions,
        nodes_deep_down,
        nodes_in_one_long_scope,
        empty_nodes_in_one_long_scope,
        long_scope_and_its_children,
        long_name_among_many,
        long_names_that_json_escapes,
        nodes_at_the_bottom,
        nodes_behind_a_long_attribute,
        nodes_of_a_long_function,
        one_long_class,
        long_tags_of_another_tool,
        masks_of_many_layers,
    )
}


# Those that most commands refuse, since they would have to be unfolded.
FOLDS = ("folds_that_multiply", "folds_of_nothing")


# What hurts where a model is cut into parts: each of these is a part, and shares something with
# all others.
PART_KINDS = {
    kind.__name__: kind
    for kind in (
        calls_of_one_function,
        layers_in_parallel,
        layers_with_weights,
        layers_with_data_files,
        constants_that_all_need,
    )
}


def main():
    kinds = {**KINDS, **PART_KINDS}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(f"{__doc__}\nKinds:\n  " + "\n  ".join(kinds))
    sys.stdout.buffer.write(kinds[sys.argv[1]](int(sys.argv[2])))


if __name__ == "__main__":
    main()
