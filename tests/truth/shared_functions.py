#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models whose repeated blocks are one local function, with the modules that they were made of:

    shared_functions.py --tool build/.../onnx-hier

Each is written as exporters do: with the metadata of the first block in the body, that of the calls
alone, or none; blocks in blocks, two kinds of them, the same one in an encoder and a decoder, with
a table that all of them read, with weights of layers that run again, quantised, and with bodies whose nodes all have the same names. With
metadata each node of each call has to be in its module, without in the one whose parameter it reads.
Also what folding makes of them, and what 'unfold --all' writes.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DOMAIN = "pkg.torch.__subgraph__"
SIZE = 4


def varint(number):
    out = b""
    while True:
        low = number & 127
        number >>= 7
        out += bytes([low | (128 if number else 0)])
        if not number:
            return out


def field(number, contents):
    return varint(number << 3 | 2) + varint(len(contents)) + contents


def set_module(node, module):
    """Its metadata, which the oldest onnx that this runs with does not know."""
    names = module.split(".") if module else []
    scopes = ["", *(".".join(names[: i + 1]) for i in range(len(names))), "op"]
    entry = field(1, b"pkg.torch.onnx.name_scopes") + field(2, repr(scopes).encode())
    node.MergeFromString(field(9, entry))


class Maker:
    def __init__(self, metadata):
        self.metadata = metadata  # "all", "body", "calls" or "none"
        self.initializers = []
        self.functions = {}
        self.nodes = []
        self.value = "x"
        self.expected = []  # of each node of each call, in order: its module, whether it has weights

    def weight(self, name):
        self.initializers.append(
            numpy_helper.from_array(np.full((SIZE, SIZE), len(self.initializers), np.float32), name)
        )
        return name

    def body(self, kind, steps, block):
        """`steps` are (operator, module in the block, argument or None, the body that it calls)."""
        if kind in self.functions:
            return
        arguments = sorted({a for step in steps for a in step[2] if a.startswith("arg")})
        nodes = []
        value = "arg0_1"
        made = None  # by the last node that is not about weights
        for i, (operator, module, read, called) in enumerate(steps):
            out = f"v{i}"
            inputs = [value, *read]
            if operator == "Add":
                inputs = [value, "arg0_1"]
            elif operator == "DequantizeLinear":
                inputs = read
            elif read and read[0] == value:  # what was dequantised
                inputs = [made or "arg0_1", value]
            node = helper.make_node(
                operator, inputs, [out], name=f"n{i}", domain=DOMAIN if called else ""
            )
            if self.metadata in ("all", "body"):
                set_module(node, ".".join(p for p in (block, module) if p))
            nodes.append(node)
            value = out
            made = made if operator == "DequantizeLinear" else out
        self.functions[kind] = helper.make_function(
            DOMAIN, kind, ["arg0_1", *arguments], [value], nodes,
            [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)],
        )

    def call(self, kind, arguments, module):
        out = f"h{len(self.nodes)}"
        node = helper.make_node(
            kind, [self.value, *(arguments[a] for a in sorted(arguments))], [out],
            name=f"node_invoke_{len(self.nodes)}", domain=DOMAIN,
        )
        if self.metadata in ("all", "calls"):
            set_module(node, module)
        self.nodes.append(node)
        self.value = out

    def head(self):
        node = helper.make_node("MatMul", [self.value, self.weight("head.weight")], ["y"], name="n")
        if self.metadata != "none":
            set_module(node, "head")
        self.nodes.append(node)
        self.expected.append(("head", True))

    def model(self):
        self.head()
        tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, SIZE])
        graph = helper.make_graph(
            self.nodes, "main_graph", [tensor("x")], [tensor("y")], self.initializers
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]
        model = helper.make_model(
            graph, functions=list(self.functions.values()), opset_imports=opsets,
            producer_name="pytorch",
        )
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model


# Of a block: the operator, the module in the block, the parameters' module; "" is the block itself.
BLOCK = [
    ("MatMul", "attn.q", "attn.q"), ("MatMul", "attn.o", "attn.o"), ("MatMul", "mlp.up", "mlp.up"),
    ("Relu", "mlp.act", None), ("MatMul", "mlp.down", "mlp.down"), ("Add", "", None),
]
CONV = [("Sigmoid", "gate", None), ("MatMul", "proj", "proj"), ("MatMul", "out", "out"),
        ("Add", "", None)]


def add_block(maker, kind, block, module, shared=None):
    arguments = {}
    steps = []
    for i, (operator, inner, parameter) in enumerate(block):
        read = []
        if parameter:
            read = [f"arg{i + 1}_1"]
            arguments[read[0]] = maker.weight(f"{module}.{parameter}.weight")
        steps.append((operator, inner, read, False))
        maker.expected.append((".".join(p for p in (module, inner) if p), bool(parameter)))
    if shared:
        arguments["arg9_1"] = shared
        steps.insert(1, ("Mul", "attn", ["arg9_1"], False))
        maker.expected.insert(len(maker.expected) - len(block) + 1, (f"{module}.attn", False))
    maker.body(kind, steps, module)
    maker.call(kind, arguments, module)


def layers(maker, count):
    for i in range(count):
        add_block(maker, "repeated_subgraph0", BLOCK, f"model.layers.{i}")


def two_kinds(maker):
    for i in range(6):
        kind, block = (("attention", BLOCK), ("convolution", CONV))[i % 2]
        add_block(maker, kind, block, f"model.layers.{i}")


def encoder_and_decoder(maker):
    for part in ("encoder", "decoder"):
        for i in range(3):
            add_block(maker, "repeated_subgraph0", BLOCK, f"{part}.layers.{i}")


def with_table(maker):
    table = maker.weight("rotary.table")
    for i in range(3):
        add_block(maker, "repeated_subgraph0", BLOCK, f"layers.{i}", table)


def shared_weights(maker):
    """The third layer has the weights of the first, as in models that run layers again."""
    layers(maker, 2)
    again = list(maker.nodes[0].input)
    maker.nodes.append(helper.make_node("repeated_subgraph0", [maker.value, *again[1:]], ["again"],
                                        name="node_invoke_again", domain=DOMAIN))
    if maker.metadata in ("all", "calls"):
        set_module(maker.nodes[-1], "model.layers.0")
    maker.value = "again"
    maker.expected += maker.expected[: len(BLOCK)]


def quantised(maker):
    for i in range(4):
        module = f"model.layers.{i}"
        arguments = {}
        steps = []
        for k, name in enumerate(("attn.q", "mlp.up", "mlp.down")):
            integers = f"{module}.{name}.weight_quantized"
            scale = f"{module}.{name}.weight_scale"
            maker.initializers += [
                numpy_helper.from_array(np.full((SIZE, SIZE), i, np.int8), integers),
                numpy_helper.from_array(np.float32(i + 1), scale),
            ]
            names = [f"arg{2 * k + 1}_1", f"arg{2 * k + 2}_1"]
            arguments.update(zip(names, (integers, scale)))
            steps += [("DequantizeLinear", name, names, False), ("MatMul", name, [f"v{2 * k}"], False)]
            maker.expected += [(f"{module}.{name}", True)] * 2
        maker.body("repeated_subgraph0", steps, module)
        maker.call("repeated_subgraph0", arguments, module)


def nested(maker):
    """A stack of two layers of two linears and an activation, three times."""
    def linear(module, call):
        arguments = {"arg1_1": f"{module}.weight"}
        maker.expected.append((module, True))
        maker.body("linear", [("MatMul", "", ["arg1_1"], False)], module)
        return arguments if call else None

    for s in range(3):
        arguments = {}
        for i in range(2):
            layer = f"stacks.{s}.layers.{i}"
            for k, name in enumerate(("up", "down")):
                linear(f"{layer}.{name}", False)
                arguments[f"arg{2 * i + k + 1}_1"] = maker.weight(f"{layer}.{name}.weight")
            maker.expected.append((layer, False))
            maker.body("layer", [("linear", "up", ["arg1_1"], True),
                                 ("linear", "down", ["arg2_1"], True),
                                 ("Add", "", [], False)], layer)
        maker.body("stack", [("layer", "layers.0", ["arg1_1", "arg2_1"], True),
                             ("layer", "layers.1", ["arg3_1", "arg4_1"], True)], f"stacks.{s}")
        maker.call("stack", arguments, f"stacks.{s}")


SHAPES = {
    "layers_2": lambda maker: layers(maker, 2),
    "layers_12": lambda maker: layers(maker, 12),
    "layers_60": lambda maker: layers(maker, 60),
    "two_kinds": two_kinds,
    "encoder_and_decoder": encoder_and_decoder,
    "with_table": with_table,
    "shared_weights": shared_weights,
    "quantised": quantised,
    "nested": nested,
}


def run(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def owners(tool, path):
    nodes = json.loads(run(tool, "explain", path, "**", "--json"))["nodes"]
    tags = [(n["tag"].strip("/").replace("/", "."), n["confidence"]) for n in nodes]
    return tags


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    tool = parser.parse_args().tool
    failures = []
    total = right = sure = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for shape, make in SHAPES.items():
            for metadata in ("all", "body", "calls", "none"):
                maker = Maker(metadata)
                make(maker)
                path = folder / f"{shape}.{metadata}.onnx"
                onnx.save(maker.model(), path)
                found = owners(tool, path)
                if len(found) != len(maker.expected):
                    failures.append(f"{path.name}: {len(found)} of {len(maker.expected)} nodes")
                    continue
                for i, ((tag, confidence), (module, reads)) in enumerate(zip(found, maker.expected)):
                    if metadata in ("calls", "none") and not reads:
                        continue
                    total += 1
                    if tag == module:
                        right += 1
                    else:
                        sure += confidence > 0.9
                        failures.append(f"{path.name}: node {i}: {tag}, not {module}")
                run(tool, "fold", path, "-o", folder / "folded.onnx", "--force", "--quiet")
                if owners(tool, folder / "folded.onnx") != found:
                    failures.append(f"{path.name}: other modules once it is folded")
                run(tool, "unfold", "--all", path, "-o", folder / "flat.onnx", "--force", "--quiet")
                flat = owners(tool, folder / "flat.onnx")
                if metadata == "all" and [tag for tag, _ in flat] != [tag for tag, _ in found]:
                    failures.append(f"{path.name}: other modules in what 'unfold --all' writes")
    print("\n".join(failures[:50]))
    print(f"{right} of {total} nodes right, {sure} wrong above .9")
    sys.exit(1 if failures else 0)


main()
