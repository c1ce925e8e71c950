#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of many things that are no nodes: memory.py --tool ONNX-HIER [--size N] [KIND ...]

A small model with N of something: initializers, functions, inputs, dimensions,
strings in an attribute ... goes through all commands. Promised (SECURITY.md) is
what a run takes more than with a few of them: at most ITEM_BYTES each,
GRAPH_BYTES where each is a graph or function, and 4 times the names; twice
that where two models are read; and 16 times the sidecar where one is read. Of
texts that pass for sidecars, and of other tools' tags, SIDECARS says how much.

Exit code: 0 all well, 1 not.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path

import bounds
from hostile_models import field, node, tensor

GRAPH_BYTES = 1 << 10
ITEM_BYTES = 384
NAME_FACTOR = bounds.FILE_FACTOR
# Memory comes in pages, and vectors grow in steps: what N of something take is told from that.
SLACK_BYTES = 1 << 20
FEW = 16
WRITE = bounds.WRITE


def bare(number):
    """N empty fields of that number."""
    return lambda n: field(number, b"") * n


def many(number, make):
    return lambda n: b"".join(field(number, make(i)) for i in range(n))


def typed(name):
    shape = b"".join(field(1, field(1, dim)) for dim in (4, 4))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def entry(i):
    return field(1, f"k{i}") + field(2, "v")


def weight(i):
    return tensor(f"p{i}", [4, 4])


def named_function(i):
    return field(1, f"f{i}") + field(10, "d")


def packed(n):
    return field(1, b"\x01" * n)


# Where the things are: in the model, its graph, a function, a node, an attribute of that.
MODEL, GRAPH, FUNCTION, NODE, ATTRIBUTE, TENSOR = range(6)
KINDS = {
    "model_opsets": (MODEL, many(8, lambda i: field(1, f"d{i}") + field(2, 1))),
    "model_metadata": (MODEL, many(14, entry)),
    "model_unknown": (MODEL, lambda n: field(100, 1) * n),
    "functions": (MODEL, many(25, named_function)),
    "empty_functions": (MODEL, bare(25)),
    "training": (MODEL, many(20, lambda i: field(1, b"") + field(2, b""))),
    "initializers": (GRAPH, many(5, weight)),
    "empty_initializers": (GRAPH, bare(5)),
    "sparse_initializers": (GRAPH, many(15, lambda i: field(1, weight(i)) + field(2, weight(i)))),
    "inputs": (GRAPH, many(11, lambda i: typed(f"p{i}"))),
    "empty_inputs": (GRAPH, bare(11)),
    "outputs": (GRAPH, many(12, lambda i: typed(f"p{i}"))),
    "empty_outputs": (GRAPH, bare(12)),
    "value_infos": (GRAPH, many(13, lambda i: typed(f"p{i}"))),
    "empty_value_infos": (GRAPH, bare(13)),
    "annotations": (GRAPH, many(14, lambda i: field(1, f"p{i}"))),
    "graph_metadata": (GRAPH, many(16, entry)),
    "graph_unknown": (GRAPH, lambda n: field(100, 1) * n),
    "function_inputs": (FUNCTION, many(4, lambda i: f"p{i}")),
    "function_outputs": (FUNCTION, many(5, lambda i: f"p{i}")),
    "function_attributes": (FUNCTION, many(6, lambda i: f"a{i}")),
    "function_defaults": (FUNCTION, many(11, lambda i: field(1, f"a{i}"))),
    "function_opsets": (FUNCTION, many(9, lambda i: field(1, f"d{i}") + field(2, 1))),
    "function_value_infos": (FUNCTION, many(12, lambda i: typed(f"p{i}"))),
    "function_metadata": (FUNCTION, many(14, entry)),
    "node_inputs": (NODE, many(1, lambda i: f"p{i}")),
    "omitted_inputs": (NODE, bare(1)),
    "node_outputs": (NODE, many(2, lambda i: f"p{i}")),
    "attributes": (NODE, many(5, lambda i: field(1, f"a{i}"))),
    "empty_attributes": (NODE, bare(5)),
    "node_metadata": (NODE, many(9, entry)),
    "floats": (ATTRIBUTE, lambda n: b"\x3d\0\0\0\0" * n),
    "ints": (ATTRIBUTE, lambda n: field(8, 1) * n),
    "strings": (ATTRIBUTE, many(9, lambda i: f"s{i}")),
    "tensors": (ATTRIBUTE, many(10, weight)),
    "empty_tensors": (ATTRIBUTE, bare(10)),
    "empty_sparse_tensors": (ATTRIBUTE, bare(23)),
    "graphs": (ATTRIBUTE, bare(11)),
    "type_protos": (ATTRIBUTE, bare(15)),
    "dims": (TENSOR, lambda n: field(1, 1) * n),
    "packed_dims": (TENSOR, packed),
    "external_data": (TENSOR, many(13, entry)),
    "float_data": (TENSOR, lambda n: b"\x25\0\0\0\0" * n),
    "shape": (GRAPH, lambda n: field(13, field(1, "s") + field(2, field(1, field(1, 1) + field(
        2, field(1, field(1, 1)) * n))))),
    "annotation_entries": (GRAPH, lambda n: field(14, field(1, "v1") + many(2, entry)(n))),
}
# Each of them is a graph or a function; a training_info entry has two.
GRAPHS = {"functions": 1, "empty_functions": 1, "graphs": 1, "training": 2}


def make(kind, n):
    """Five layers, and N of something in them, or in a function that they call."""
    place, things = KINDS[kind]
    rest = {where: things(n) if where == place else b"" for where in range(6)}
    attribute = field(5, field(1, "custom") + rest[ATTRIBUTE]) if rest[ATTRIBUTE] else b""
    nodes = [node([f"v{i}"], [f"v{i + 1}"], f"/layers.{i}/Relu") for i in range(4)]
    nodes.append(node(["v4", "w"], ["v5"], "/layers.4/Add", "Add", rest[NODE] + attribute))
    if place == FUNCTION:
        nodes.append(node(["v5"], ["v6"], "/layers.4/F", "F", domain="custom"))
    graph = b"".join(field(1, item) for item in nodes) + field(2, "g")
    graph += field(5, tensor("w", [4, 4]) + rest[TENSOR])
    graph += field(11, typed("v0")) + field(12, typed("v6" if place == FUNCTION else "v5")) + rest[GRAPH]
    body = field(1, "F") + field(4, "x") + field(5, "y") + field(7, node(["x"], ["y"]))
    body += field(9, field(1, "") + field(2, 17)) + field(10, "custom") + rest[FUNCTION]
    opsets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, "custom") + field(2, 1))
    functions = field(25, body) if place == FUNCTION else b""
    return field(1, 8) + field(7, graph) + opsets + rest[MODEL] + functions


def write(kind, n, path):
    return path.write_bytes(make(kind, n))


def commands():
    """By name: the words, and how many models are read."""
    profile = ["--profile", "profile.json"]
    return {
        "tag": (["tag", "-q", "in.onnx", "-o", "out.onnx", *WRITE], 1),
        "names": (["tag", "-q", "in.onnx", "--name-nodes", "--values", "--metadata", "-o",
                   "named.onnx", *WRITE], 1),
        "strip": (["strip", "-q", "out.onnx", "-o", "back.onnx", *WRITE], 1),
        "check": (["check", "out.onnx", *bounds.ALL], 1),
        "tags": (["check", "in.onnx", "--tags", "out_hierarchy.json"], 1),
        "fresh": (["check", "out.onnx", "--fresh"], 1),
        "fix": (["check", "out.onnx", "--fix", "-o", "fixed.onnx", *WRITE], 1),
        "tree": (["tree", "in.onnx", "--json"], 1),
        "explain": (["explain", "in.onnx", "0", "layers.4/*"], 1),
        "select": (["select", "in.onnx", "**", "--values", "all", "--format", "json"], 1),
        "extract": (["extract", "in.onnx", "layers.1", "-o", "part.onnx", *WRITE], 1),
        "split": (["split", "in.onnx", "--parts", "2", "--output-dir", "parts", *WRITE], 1),
        "fold": (["fold", "in.onnx", "-o", "folded.onnx", "--min-nodes", "1", *WRITE], 1),
        "unfold": (["unfold", "-q", "folded.onnx", "-o", "unfolded.onnx", *WRITE], 1),
        "profile": (["profile", "in.onnx", "profile.json"], 1),
        "report": (["report", "-q", "in.onnx", "-o", "page.html", *profile, *WRITE], 1),
        "export": (["export", "in.onnx", "-o", "graphs.json", *WRITE], 1),
        "dot": (["export", "in.onnx", "--format", "dot", "-o", "modules.dot", *WRITE], 1),
        "apply": (["apply", "-q", "out_hierarchy.json", "in.onnx", "-o", "a.onnx", *WRITE], 1),
        "original": (["apply", "-q", "in.onnx", "out.onnx", "-o", "b.onnx", *WRITE], 2),
        "diff": (["diff", "in.onnx", "out.onnx"], 2),
    }


def sidecar(modules="", nodes="", rest=""):
    return (
        '{"schema":"onnx-hier/sidecar","schema_version":2,"generator":{},"model":{},"summary":{}'
        f',"modules":[{modules}],"nodes":[{nodes}]{rest}}}'
    )


# What N of something in a text with tags takes, as so many times the text.
SIDECARS = {
    "empty_nodes": (lambda n: sidecar(nodes=",".join(["{}"] * n)), 24),
    "ids": (lambda n: sidecar(nodes=",".join(f'{{"id":"{i}"}}' for i in range(n))), 24),
    "modules": (lambda n: sidecar(",".join(f'{{"path":"/{i}"}}' for i in range(n))), 24),
    "lists_in_a_node": (lambda n: sidecar(nodes='{"a":[' + ",".join(["[]"] * n) + "]}"), 24),
    "parameters": (lambda n: sidecar(rest=',"parameters":[' + ",".join(["{}"] * n) + "]"), 24),
    "others": (lambda n: '{"nodes":{' + ",".join(f'"n{i}":"/a"' for i in range(n)) + "}}", 50),
}


class Runs:
    """What each command takes of memory, in bytes."""

    def __init__(self, tool, folder, problems):
        self.tool, self.folder, self.problems = tool, folder, problems
        # The memory of a program counts from its parent's on: this process stays small.
        self.helper = multiprocessing.get_context("spawn").Pool(1)
        event = {"cat": "Node", "name": "/layers.0/Relu_kernel_time", "ph": "X", "dur": 5, "ts": 1,
                 "args": {"op_name": "Relu"}}
        (folder / "profile.json").write_text(json.dumps([event]))

    def of(self, kind, n):
        length = self.helper.apply(write, (kind, n, self.folder / "in.onnx"))
        memory = {}
        for name, (words, models) in commands().items():
            run = bounds.Run([self.tool, *words], self.folder)
            if run.code not in (0, 1, 2) or (run.code == 2 and run.err.count(b"\n") != 1):
                self.problems.append(f"{kind} {n}: {name}: exit {run.code}: {run.err[:300]!r}")
            memory[name] = (run.memory, run.code)
        return memory, length

    def of_tags(self, text):
        (self.folder / "tags.json").write_text(text)
        run = bounds.Run([self.tool, "check", "in.onnx", "--tags", "tags.json"], self.folder)
        if run.code not in (0, 1, 2):
            self.problems.append(f"tags {text[:200]}: exit {run.code}: {run.err[:300]!r}")
        return run.memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--size", type=int, default=100000)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory(prefix="onnx-hier-memory-") as folder:
        runs = Runs(options.tool.resolve(), Path(folder), problems)
        few, _ = runs.of(options.kinds[0], FEW)
        for kind in options.kinds:
            taken, length = runs.of(kind, options.size)
            each = GRAPH_BYTES * GRAPHS[kind] if kind in GRAPHS else ITEM_BYTES
            sidecar = bounds.SIDECAR_FACTOR * (Path(folder) / "out_hierarchy.json").stat().st_size
            row = []
            for name, (memory, code) in taken.items():
                more = memory - few[name][0]
                models = commands()[name][1]
                most = models * (each * options.size + NAME_FACTOR * length) + SLACK_BYTES
                most += sidecar if name in bounds.WITH_SIDECAR else 0
                row.append(f"{name} {(more - models * length) / options.size:.0f}{'!' * (code == 2)}")
                if more > most:
                    problems.append(f"{kind} {options.size}: {name}: {more:,} bytes, not {most:,}")
            print(f"{kind:22}{length / options.size:6.1f} bytes each:", *row, flush=True)
        for name, (make_text, factor) in SIDECARS.items():
            text = make_text(options.size * 4)
            taken = runs.of_tags(text) - runs.of_tags(make_text(FEW))
            print(f"{name:22}{taken / len(text):6.1f} times the text")
            if taken > factor * len(text) + SLACK_BYTES:
                problems.append(f"{name}: {taken:,} bytes for {len(text):,}, not {factor} times")
    for problem in problems:
        print(problem)
    print(f"{len(options.kinds)} kinds, {len(commands())} commands, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
