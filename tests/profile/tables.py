#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables by node, in the shapes that other programs write, are placed row by row, and what modules
have of them adds up to the tables' sums: tables.py --tool ONNX-HIER --testdata FOLDER. Needs onnx."""

import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

MODELS = ("bert_tiny", "bert_dynamo", "bert_fused", "resnet", "lstm", "functions_all")


def nodes_of(path):
    """(name, operator, first output) of the nodes that have a name of their own."""
    nodes = [node for node in onnx.load(path, load_external_data=False).graph.node if node.name]
    return [(node.name, node.op_type, node.output[0]) for node in nodes]


def table(rows, separator=","):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()


def sanitised(name):
    return re.sub(r"[^A-Za-z0-9]", "_", name)


def shapes(nodes):
    """(what it is, file name, text, options, the sum of what rows have)"""
    numbered = list(enumerate(nodes, 1))
    total = sum(i for i, _ in numbered)
    device = {i: ("CPU", "CUDA", "NPU")[i % 3] for i, _ in numbered}
    yield ("providers", "ep.csv",
           table([("name", "ep"), *((n[0], f"{device[i]}ExecutionProvider") for i, n in numbered)]),
           [], len(nodes))
    yield ("providers by list", "ep.json",
           json.dumps([{"ep_name": d, "nodes": [{"name": n[0], "domain": "", "op_type": n[1]}
                                                for i, n in numbered if device[i] == d]}
                       for d in sorted(set(device.values()))]), [], len(nodes))
    yield ("memory", "memory.csv",
           "#" + table([("name", "input_sizes", "initializers_sizes", "total_dynamic_sizes",
                         "total_temp_allocations"),
                        *((n[0], 7, 0, i, 0) for i, n in numbered)]), [], total)
    yield ("numbers by name", "aimet.json", json.dumps({n[0]: i / 8 for i, n in numbered}), [],
           total / 8)
    yield ("objects by name", "keyed.json",
           json.dumps({n[0]: {"mse": i / 4, "sqnr": -i} for i, n in numbered}),
           ["--value", "mse"], total / 4)
    yield ("records by output", "records.json",
           json.dumps({"rows": [{"output": n[2], "loss": i, "bits": 8} for i, n in numbered]}),
           ["--value", "loss"], total)
    yield ("tabs", "t.tsv",
           table([("op", "node", "score"), *((n[1], n[0], i / 2) for i, n in numbered)], "\t"), [],
           total / 2)
    yield ("a list", "list.json", json.dumps({"nodes_to_exclude": [n[0] for n in nodes]}), [],
           len(nodes))
    plain = [sanitised(n[0]).lstrip("_") for n in nodes]
    unique = [(i, name) for (i, _), name in zip(numbered, plain) if plain.count(name) == 1]
    if unique:
        yield ("a trace of QNN", "qnn.csv",
               table([("Msg Timestamp", "Message", "Time", "Unit of Measurement", "Timing Source",
                       "Event Level", "Event Identifier"),
                      (0, "BACKEND", 99, "CYCLES", "BACKEND", "ROOT", "all (cycles)"),
                      *((0, "NODE", i, "CYCLES", "BACKEND", "SUB-EVENT",
                         f"_{name}_token_{i}_2:OpId_{i} (cycles)") for i, name in unique)]),
               [], sum(i for i, _ in unique))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--testdata", type=Path, required=True)
    options = parser.parse_args()
    count = 0
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            model = options.testdata / f"{name}.onnx"
            for what, file, text, flags, expected in shapes(nodes_of(model)):
                count += 1
                path = Path(folder) / file
                path.write_text(text, "utf-8")
                done = subprocess.run([options.tool, "profile", model, path, "--json", *flags],
                                      capture_output=True, text=True, check=False)
                if done.returncode:
                    problems.append(f"{name}, {what}: {done.stderr.strip()}")
                    continue
                told = json.loads(done.stdout)
                own = sum(module["own"] for module in told["modules"])
                root = told["modules"][0]["total"]
                if told["profile"]["not_placed"] or not own == root == expected:
                    lost = [k["name"] for k in told["kernels"] if k["module"] is None]
                    problems.append(f"{name}, {what}: {own} of its own, {root} in all, not "
                                    f"{expected}; not placed: {lost[:3]}")
    for problem in problems:
        print(problem)
    print(f"{count} tables, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
