#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models are rewritten as optimisers and quantisers do it, and `apply` is to find every owner.

    made_pairs.py --tool ONNX-HIER MODELS...

What each new node was made from is known here, so its owner is the one that `tag` gives that node in
the original. Each rewriting is done to a model with its names and to one that has lost the names of
all nodes, values and parameters. At least 99.5 % of the nodes of each kind must have their owner;
the original of another model must be refused, and nothing written.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LEAST = 0.995
WEIGHTED = ("Conv", "Gemm", "MatMul")


class Rewriting:
    """A copy of a model that changes; `source` is the index of the node that each one stands for."""

    def __init__(self, model):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.graph = self.model.graph
        self.nodes = list(zip(self.graph.node, range(len(self.graph.node))))
        self.weights = {tensor.name: tensor for tensor in self.graph.initializer}

    def done(self):
        sources = [source for _, source in self.nodes]
        nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node, _ in self.nodes]
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        del self.graph.value_info[:]
        return self.model, sources

    def add_weight(self, name, array):
        if name not in self.weights:
            self.graph.initializer.append(numpy_helper.from_array(array, name))
            self.weights[name] = self.graph.initializer[-1]
        return name

    def array(self, name):
        tensor = self.weights.get(name)
        if tensor is None or tensor.data_type != TensorProto.FLOAT or len(tensor.dims) < 2:
            return None
        return numpy_helper.to_array(tensor)


def around_weighted(rewriting, surround):
    """Each operator with a weight, as `surround` gives it back: a list of nodes."""
    nodes = []
    for node, source in rewriting.nodes:
        slot = next((i for i, name in enumerate(node.input) if rewriting.array(name) is not None), 0)
        if node.op_type in WEIGHTED and slot == 1:
            nodes += [(made, source) for made in surround(node)]
        else:
            nodes.append((node, source))
    rewriting.nodes = nodes


def quantise(name, output, rewriting, kind="QuantizeLinear"):
    scale = rewriting.add_weight(name + "_scale", numpy.float32(0.1))
    zero = rewriting.add_weight(name + "_zero_point", numpy.int8(0))
    return helper.make_node(kind, [name, scale, zero], [output], f"{name}_{kind}")


def quantised_weight(node, rewriting):
    array = rewriting.array(node.input[1])
    return rewriting.add_weight(node.input[1] + "_quantized",
                                numpy.clip(numpy.round(array * 10), -127, 127).astype(numpy.int8))


def qdq(rewriting):
    def surround(node):
        made = onnx.NodeProto()
        made.CopyFrom(node)
        value, weight = node.input[0], quantised_weight(node, rewriting)
        unique = f"{value}_{node.output[0]}"
        first = quantise(value, f"{unique}_q", rewriting)
        second = quantise(f"{unique}_q", f"{unique}_dq", rewriting, "DequantizeLinear")
        third = quantise(weight, f"{weight}_{node.output[0]}_dq", rewriting, "DequantizeLinear")
        made.input[0], made.input[1] = second.output[0], third.output[0]
        return [first, second, third, made]

    around_weighted(rewriting, surround)


def qoperator(rewriting):
    def surround(node):
        if node.op_type == "Gemm" or len(node.input) > 2:
            return [node]
        value, output = node.input[0], node.output[0]
        unique = f"{value}_{output}"
        scale = rewriting.add_weight("one_scale", numpy.float32(0.1))
        zero = rewriting.add_weight("one_zero_point", numpy.int8(0))
        weight = quantised_weight(node, rewriting)
        inputs = [f"{unique}_q", scale, zero, weight, scale, zero, scale, zero]
        made = helper.make_node("QLinear" + node.op_type, inputs, [output + "_quantized"],
                                node.name + "_quant")
        made.attribute.extend(node.attribute)
        last = helper.make_node("DequantizeLinear", [made.output[0], scale, zero], [output],
                                output + "_DequantizeLinear")
        return [quantise(value, f"{unique}_q", rewriting), made, last]

    around_weighted(rewriting, surround)


def float16(rewriting):
    for tensor in list(rewriting.graph.initializer):
        if tensor.data_type == TensorProto.FLOAT:
            array = numpy_helper.to_array(tensor).astype(numpy.float16)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

    def surround(node):
        made = onnx.NodeProto()
        made.CopyFrom(node)
        made.input[0], made.output[0] = f"{node.name}_in_cast", f"{node.name}_out_cast"
        before = helper.make_node("Cast", [node.input[0]], [made.input[0]], to=TensorProto.FLOAT16)
        after = helper.make_node("Cast", [made.output[0]], [node.output[0]], to=TensorProto.FLOAT)
        return [before, made, after]

    rewriting.weights = {tensor.name: tensor for tensor in rewriting.graph.initializer}
    rewriting.array = lambda name: numpy.zeros(1) if name in rewriting.weights else None
    around_weighted(rewriting, surround)


def fold(rewriting):
    """BatchNormalization goes into the Conv before it; Identity goes."""
    by_output = {node.output[0]: node for node, _ in rewriting.nodes}
    gone, renamed = set(), {}
    for node, _ in rewriting.nodes:
        maker = by_output.get(node.input[0]) if node.input else None
        if node.op_type == "Identity":
            gone.add(id(node))
            renamed[node.output[0]] = node.input[0]
        elif node.op_type == "BatchNormalization" and maker is not None and maker.op_type == "Conv":
            gone.add(id(node))
            weight = rewriting.weights[maker.input[1]]
            scaled = numpy_helper.to_array(weight) * 1.5 + 0.01
            weight.CopyFrom(numpy_helper.from_array(scaled.astype(numpy.float32), weight.name))
            maker.output[0] = node.output[0]
    kept = {value.name for value in rewriting.graph.output}
    rewriting.nodes = [(node, source) for node, source in rewriting.nodes
                       if id(node) not in gone or node.output[0] in kept]
    for node, _ in rewriting.nodes:
        for i, name in enumerate(node.input):
            while name in renamed and name not in kept:
                name = renamed[name]
            node.input[i] = name


def unchanged(_):
    pass


REWRITINGS = {"unchanged": unchanged, "qdq": qdq, "qoperator": qoperator, "float16": float16,
              "folded": fold}


def lose_names(model):
    """New names for everything but the graph's inputs and outputs."""
    graph = model.graph
    fixed = {value.name for value in (*graph.input, *graph.output)}
    names = {"": ""}

    def new(name):
        return name if name in fixed else names.setdefault(name, f"v{len(names)}")

    for tensor in graph.initializer:
        tensor.name = new(tensor.name)
    for node in graph.node:
        node.name = ""
        node.input[:] = [new(name) for name in node.input]
        node.output[:] = [new(name) for name in node.output]


def convolutions():
    """A model with what exporters fold themselves: BatchNormalization, Identity."""
    rng = numpy.random.default_rng(7)
    nodes, weights, value = [], [], "x"

    def add(kind, scope, arrays, **attributes):
        nonlocal value
        names = [f"{scope.replace('/', '.')}.{leaf}" for leaf in arrays]
        weights.extend(numpy_helper.from_array(array, name)
                       for name, array in zip(names, arrays.values()))
        output = f"/{scope}/{kind}_output_0"
        nodes.append(helper.make_node(kind, [value, *names], [output], f"/{scope}/{kind}",
                                      **attributes))
        value = output

    for i in range(4):
        width = rng.standard_normal((4, 4, 3, 3)).astype(numpy.float32)
        add("Conv", f"blocks.{i}/conv", {"weight": width}, pads=[1, 1, 1, 1])
        norm = {leaf: rng.random(4).astype(numpy.float32)
                for leaf in ("weight", "bias", "running_mean", "running_var")}
        add("BatchNormalization", f"blocks.{i}/norm", norm)
        add("Relu", f"blocks.{i}/act", {})
        add("Identity", f"blocks.{i}/drop", {})
    nodes[-1].output[0] = "y"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, 8, 8])
            for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


class Checker:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.problems = []
        self.right = collections.Counter()
        self.total = collections.Counter()

    def run(self, *words):
        return subprocess.run([self.tool, *words], capture_output=True, encoding="utf-8",
                              check=False)

    def owners(self, *words):
        done = self.run(*words, "--sidecar-only", "--sidecar", "-")
        if done.returncode:
            self.problems.append(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
            return None
        return {node["id"]: node["tag"] for node in json.loads(done.stdout)["nodes"]}

    def check(self, name, model, kind, loses_names):
        original = self.folder / f"{name}.onnx"
        onnx.save(model, original)
        rewriting = Rewriting(model)
        REWRITINGS[kind](rewriting)
        rewritten, sources = rewriting.done()
        if loses_names:
            lose_names(rewritten)
        path = self.folder / "rewritten.onnx"
        onnx.save(rewritten, path)
        truth, found = self.owners("tag", original), self.owners("apply", original, path)
        if found is None:
            return
        group = kind + (", names lost" if loses_names else "")
        for index, source in enumerate(sources):
            self.total[group] += 1
            self.right[group] += found[str(index)] == truth[str(source)]

    def check_others(self, models):
        """The original of another model."""
        names = list(models)
        for name, other in zip(names, names[1:] + names[:1]):
            out = self.folder / "out.onnx"
            done = self.run("apply", self.folder / f"{other}.onnx", self.folder / f"{name}.onnx",
                            "-o", out)
            if done.returncode != 2 or out.exists() or "original" not in done.stderr:
                self.problems.append(f"{name} after {other}: {done.returncode} {done.stderr}")

    def report(self):
        for group, total in self.total.items():
            share = self.right[group] / total
            print(f"{group:<24} {self.right[group]:6} of {total:6} ({100 * share:.2f} %)")
            if share < LEAST:
                self.problems.append(f"{group}: {100 * share:.2f} %")
        for problem in self.problems:
            print("PROBLEM", problem)
        return 1 if self.problems or not self.total else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    models = {path.stem: onnx.load(path) for path in options.models}
    models["convolutions"] = convolutions()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options.tool.resolve(), Path(folder))
        for name, model in models.items():
            for kind in REWRITINGS:
                checker.check(name, model, kind, loses_names=False)
                checker.check(name, model, kind, loses_names=True)
        checker.check_others(models)
        sys.exit(checker.report())


if __name__ == "__main__":
    main()
