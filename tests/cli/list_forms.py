#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools find the nodes that `select` lists for them: list_forms.py --tool TOOL FOLDER

Each form of a tool is read as that tool reads it, and its names are compared as it compares them:
after it has renamed and fused nodes, by equality or by re.match, in the graphs that it looks into.
What is left alone then must be the modules' nodes, all of them and no others; nodes that the tool
cannot be told of must be said. The rules are those of the tools' sources (tests/README.md).
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from select_formats import modules_below, owners_of

MODULES = 5  # of each model, at most


def attribute(node, name, default):
    for item in node.attribute:
        if item.name == name:
            return helper.get_attribute_value(item)
    return default


def subgraphs(node):
    for item in node.attribute:
        yield from [item.g] if item.HasField("g") else item.graphs


def main_nodes(model):
    """(node, its names as the tool sees them)"""
    return [(node, [node.name]) for node in model.graph.node]


def all_nodes(model):
    open_graphs = [model.graph]
    found = []
    for graph in open_graphs:
        found += [(node, [node.name]) for node in graph.node]
        open_graphs += [inner for node in graph.node for inner in subgraphs(node)]
    return found


def dynamic_nodes(model):
    """onnxruntime/python/tools/quantization/onnx_model.py, replace_gemm_with_matmul."""
    weights = {tensor.name for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        plain = (
            node.op_type == "Gemm"
            and attribute(node, "alpha", 1.0) == 1.0
            and attribute(node, "beta", 1.0) == 1.0
            and not attribute(node, "transA", 0)
            and (not attribute(node, "transB", 0) or node.input[1] in weights)
        )
        names = [node.name + "_MatMul"] if plain else [node.name]
        if plain and len(node.input) > 2:
            names.append(node.name + "_Add")
        found.append((node, names))
    return found


NORM = ["ReduceMean", "Sub", "Pow", "ReduceMean", "Add", "Sqrt", "Div"]


def autocast_nodes(model):
    """modelopt/onnx/autocast/graphsanitizer.py: one LayerNormalization for the nodes of a norm."""
    readers = collections.defaultdict(list)
    for node in model.graph.node:
        for value in node.input:
            readers[value].append(node)
    names = {}
    for first in model.graph.node:
        chain = [first] if first.op_type == NORM[0] else []
        while chain and len(chain) < len(NORM):
            wanted = NORM[len(chain)]
            following = [n for n in readers[chain[-1].output[0]] if n.op_type == wanted]
            if len(chain) == 6:  # what is divided is what was subtracted
                following = [n for n in readers[chain[1].output[0]] if n.op_type == wanted]
            chain = [*chain, following[0]] if following else []
        for node in chain:
            names[node.output[0]] = "LayerNorm_" + first.name
    return [(n, [names.get(n.output[0] if n.output else "", n.name)]) for n in model.graph.node]


def equal(listed):
    return lambda name: name in listed


def matches(expression):
    return lambda name: re.match(expression, name) is not None


def one_line(text):
    assert text.endswith("\n") and "\n" not in text[:-1]
    return text[:-1]


def genai(text):
    key, _, names = one_line(text).partition("=")
    assert key == "int4_nodes_to_exclude"
    return equal(names.split(","))


def nncf(text):
    scope = json.loads(text)
    assert list(scope) == ["names"]
    return equal(scope["names"])


# Of each form: who reads it, and the nodes as that finds them.
FORMS = {
    "ort": (lambda text: equal(json.loads(text)), main_nodes),
    "ort-dynamic": (lambda text: equal(json.loads(text)), dynamic_nodes),
    "ort-nbits": (lambda text: equal(json.loads(text)), all_nodes),
    "float16": (lambda text: equal(json.loads(text)), all_nodes),
    "genai": (genai, all_nodes),
    "autocast": (lambda text: matches(one_line(text)), autocast_nodes),
    "modelopt": (lambda text: matches(one_line(text)), main_nodes),
    "nncf": (nncf, main_nodes),
    "olive": (lambda text: equal(json.loads(text)["nodes_to_exclude"]), main_nodes),
    "winml": (lambda text: equal(json.loads(text)["quant"]["nodes_to_exclude"]), main_nodes),
    "amct": (lambda text: equal(json.loads(text)["skip_layers"]), main_nodes),
}
VALUE_FORMS = ("ort-overrides", "qnn")


class Check:
    def __init__(self, tool):
        self.tool = tool
        self.count = self.wrong = 0

    def note(self, what, problem):
        self.count += 1
        if problem:
            self.wrong += 1
            print(f"WRONG {what}: {problem}")

    def run(self, *arguments):
        return subprocess.run([self.tool, *map(str, arguments)], capture_output=True, text=True)

    def form(self, path, model, module, form, owned):
        done = self.run("select", path, module, "--format", form)
        what = f"{path.name} {module} {form}"
        if done.returncode == 2 and "cannot hold" in done.stderr:
            return
        if done.returncode == 1 and not done.stdout.strip(" \n[]{}"):
            return  # nothing that it could be told of, which it says
        read, nodes_of = FORMS[form]
        is_kept = read(done.stdout)
        nodes = nodes_of(model)
        seen = {id(node) for node, _ in nodes}
        bearers = collections.Counter(name for _, names in all_nodes(model) for name in names)
        kept = {id(n) for n, names in nodes if n.name and all(is_kept(name) for name in names)}
        # A tool that fuses nodes of two modules cannot tell them apart.
        fused = collections.defaultdict(set)
        for node, names in nodes:
            fused[names[0]].add(id(node) in owned)
        ours = {id(n) for n, names in nodes if id(n) in owned and n.name
                and bearers[n.name] == 1 and len(fused[names[0]]) == 1}
        others = {id(n) for n, names in nodes if id(n) not in owned and bearers[n.name] == 1
                  and len(fused[names[0]]) == 1}
        self.note(what, f"{len(ours - kept)} nodes are not left alone" if ours - kept else None)
        self.note(what, f"{len(others & kept)} others are" if others & kept else None)
        unreached = len([n for n in owned if n not in seen])
        said = "not looked into" in done.stderr or form in ("genai", "float16", "ort-nbits")
        in_functions = form in ("autocast", "modelopt")
        self.note(what, f"{unreached} nodes are not reached, unsaid"
                  if unreached and not said and not in_functions else None)

    def values(self, path, model, module, owned, form):
        done = self.run("select", path, module, "--format", form)
        if done.returncode == 1:
            return
        overrides = json.loads(done.stdout)
        if form == "qnn":
            weights = overrides["param_encodings"]
            overrides = overrides["activation_encodings"]
            read = {v for n in model.graph.node if id(n) in owned for v in n.input}
            known = {tensor.name for tensor in model.graph.initializer}
            self.note(f"{path.name} {module} weights",
                      None if set(weights) == read & known else "other weights")
        made = {v for n in model.graph.node if id(n) in owned for v in n.output if v}
        problem = None if set(overrides) == made else "other values"
        self.note(f"{path.name} {module} {form}", problem)

    def plan(self, path, module):
        """What a plan keeps is what the pattern means, in the tool's form."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as plan:
            plan.write(f"# kept\n{module} = fp32\n** = int8\n")
            plan.flush()
            for form in ("ort-dynamic", "autocast", "nncf"):
                by_plan = self.run("select", path, "--plan", plan.name, "--format", form, "-q")
                by_name = self.run("select", path, module, "--format", form, "-q")
                same = by_plan.stdout == by_name.stdout or not by_name.stdout
                self.note(f"{path.name} {module} plan {form}", None if same else "another list")

    def model(self, path):
        done = self.run("tag", path, "--sidecar-only", "--sidecar", "-", "-q")
        sidecar = json.loads(done.stdout)
        model = onnx.load(path, load_external_data=False)
        # In the sidecar's order: graphs, what is in nodes behind them, functions.
        by_id = {}

        def note_ids(graph, prefix):
            for i, node in enumerate(graph.node):
                by_id[f"{prefix}{i}"] = node
                for item in node.attribute:
                    if item.HasField("g"):
                        note_ids(item.g, f"{prefix}{i}/{item.name}/")

        note_ids(model.graph, "")
        for function in model.functions:
            for i, node in enumerate(function.node):
                by_id[f"function:{function.domain}:{function.name}/{i}"] = node
        below = modules_below(sidecar["modules"])
        modules = [m["path"] for m in sidecar["modules"] if m["total_nodes"]]
        for module in modules[:: max(1, len(modules) // MODULES)]:
            owned = {
                id(by_id[n["id"]])
                for n in sidecar["nodes"]
                if n["id"] in by_id
                and below[module] & set(owners_of(n))
            }
            for form in FORMS:
                self.form(path, model, module, form, owned)
            by_call = any(n.get("by_call") for n in sidecar["nodes"])
            if not by_call and not any(c in module for c in "=#*[{@!"):
                self.plan(path, module)
            for form in VALUE_FORMS:
                self.values(path, model, module, owned, form)


def linear_head(path):
    """Gemm nodes, as torch writes Linear: the dynamic quantiser calls them otherwise."""
    weight = lambda name, shape: numpy_helper.from_array(np.ones(shape, np.float32), name)
    nodes = [
        helper.make_node("Gemm", ["x", "body.weight", "body.bias"], ["h"], "/body/Gemm", transB=1),
        helper.make_node("Relu", ["h"], ["r"], "/act/Relu"),
        helper.make_node("Gemm", ["r", "head.weight", "head.bias"], ["y"], "/head/Gemm", transB=1),
        helper.make_node("Gemm", ["r", "half.weight"], ["z"], "/half/Gemm", alpha=0.5),
    ]
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4])
    weights = [weight(f"{n}.weight", (4, 4)) for n in ("body", "head", "half")]
    weights += [weight(f"{n}.bias", (4,)) for n in ("body", "head")]
    graph = helper.make_graph(nodes, "g", [tensor("x")], [tensor("y"), tensor("z")], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    check = Check(args.tool)
    with tempfile.TemporaryDirectory() as folder:
        linear_head(Path(folder) / "linear_head.onnx")
        for path in [*sorted(Path(folder).glob("*.onnx")), *sorted(args.folder.glob("*.onnx"))]:
            check.model(path)
    print(f"{check.count} checks, {check.wrong} wrong")
    return 1 if check.wrong or check.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
