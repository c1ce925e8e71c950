#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shapes that `cost` works out, against those that onnxruntime's kernels made.

    same_shapes.py --tool ONNX-HIER --work FOLDER [PATH...]

Runs each *.onnx file (of the folders that are named; else of testdata) in
onnxruntime, once as it is and once optimised, with profiling; works out the
shapes of the graph that onnxruntime saved then, for the same shapes of inputs,
and compares each kernel's outputs. Promised: none differs. Told besides: how
many are known, of all kernels and of those that multiply.

onnxruntime is installed as by same_parts.py. Exit code: 0 none differs, 1 some
do, 77 where there is no npm or no package to be had.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from harness import TESTDATA, Runner, models_in, runtime

LEVELS = ("disabled", "all")
KERNEL = "_kernel_time"
OPEN = {"NonZero", "NonMaxSuppression", "Loop", "Scan", "Unique", "Compress", "If"}
MULTIPLY = {"Conv", "FusedConv", "ConvTranspose", "MatMul", "FusedMatMul", "Gemm", "FusedGemm", "LSTM", "GRU", "RNN",
            "Einsum", "MatMulNBits", "QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger",
            "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "Attention", "MultiHeadAttention",
            "GroupQueryAttention", "QAttention", "NhwcFusedConv", "QGemm"}


def shapes_of(tool, model, inputs):
    """Shapes by name of value; an error's text."""
    command = [tool, "cost", model, "--values"]
    for name, dims in inputs.items():
        command += ["--shape", f"{name}={'x'.join(map(str, dims))}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    return {value["name"]: value["shape"] for value in json.loads(done.stdout)["values"]}


def nodes_of(tool, model, work):
    """Output names by name of node; none of a name that is there twice."""
    sidecar = work / "nodes.json"
    command = [tool, "tag", model, "--sidecar-only", "--values", "--sidecar", sidecar, "--force", "--quiet"]
    subprocess.run(command, capture_output=True, check=True)
    nodes = json.loads(sidecar.read_text("utf-8"))["nodes"]
    often = Counter(node["name"] for node in nodes)
    return {node["name"]: node for node in nodes if often[node["name"]] == 1}


def compare(tool, saved, profile, inputs, work, counts):
    """The kernels that differ, as texts."""
    shapes = shapes_of(tool, saved, inputs)
    if isinstance(shapes, str):
        return [shapes]
    nodes = nodes_of(tool, saved, work)
    # The last one of each: runs that failed with other sizes of inputs came before.
    kernels = list({e["name"]: e for e in json.loads(profile.read_text("utf-8"))
                    if e["cat"] == "Node" and e["name"].endswith(KERNEL)}.values())
    is_open = any(kernel["args"]["op_name"] in OPEN for kernel in kernels)
    differ = []
    for kernel in kernels:
        node = nodes.get(kernel["name"].removesuffix(KERNEL))
        made = [next(iter(shape.values())) for shape in kernel["args"].get("output_type_shape", [])]
        if node is None or not made or len(node["outputs"]) < 1:
            continue
        first = node["outputs"][0]
        shape = shapes.get(first["name"] if isinstance(first, dict) else first)
        is_known = shape is not None and all(isinstance(dim, int) for dim in shape)
        op_type = kernel["args"]["op_name"]
        for kind in ("all", "open" if is_open else "closed", *(["multiply"] if op_type in MULTIPLY else [])):
            counts[kind, is_known] += 1
        if not is_known:
            counts["unknown " + op_type] += 1
        elif shape != made[0] and kernel["args"].get("output_size") != "0":
            differ.append(f"{op_type} {node['name']}: {shape}, not {made[0]}")
    return differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("paths", type=Path, nargs="*", default=[TESTDATA])
    args = parser.parse_args()
    work = args.work.resolve()
    modules = runtime(work)
    runner = Runner("run_profiled.js", modules)
    bad = 0
    for level in LEVELS:
        counts, outcomes = Counter(), Counter()
        for model in models_in(args.paths):
            for old in work.glob("profile*.json"):
                old.unlink()
            saved = work / "saved.onnx"
            job = {"model": str(model.resolve()), "optimization": level, "saved": str(saved),
                   "prefix": str(work / "profile"), "runs": 1}
            answer = runner.ask(job) or {"outcome": "crashed"}
            outcomes[answer["outcome"]] += 1
            if answer["outcome"] != "ran":
                continue
            profile = next(work.glob("profile*.json"))
            try:
                differ = compare(args.tool, saved, profile, answer["inputs"], work, counts)
            except (subprocess.CalledProcessError, json.JSONDecodeError) as error:
                differ = [str(error)]
            bad += len(differ)
            for line in differ[:3]:
                print(f"{model} ({level}): {line}", flush=True)
        print(f"{level}: {dict(outcomes)}")
        for kind in ("all", "closed", "open", "multiply"):
            known, unknown = counts[kind, True], counts[kind, False]
            print(f"  {kind}: {known} of {known + unknown} known ({known / max(1, known + unknown):.2%})")
        worst = [f"{name} {n}" for name, n in counts.most_common() if isinstance(name, str)]
        print("  " + ", ".join(worst[:20]), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
