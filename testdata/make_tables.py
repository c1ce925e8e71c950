#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables by node as other programs write them: make_tables.py FOLDER. Needs onnx.

bert_tiny.providers.json: which provider runs which node of bert_tiny, in the form that
onnxruntime's get_provider_graph_assignment_info() gives it. What computes shapes is on the CPU, as
onnxruntime puts it there, all else on the GPU; Constants are gone.
"""

import json
import sys
from pathlib import Path

import onnx

HERE = Path(__file__).resolve().parent
SHAPES = {"Shape", "Gather", "Unsqueeze", "Concat", "ConstantOfShape", "Equal", "Where", "Cast"}


def providers(model):
    nodes = {"CPUExecutionProvider": [], "CUDAExecutionProvider": []}
    for node in model.graph.node:
        if node.op_type == "Constant":
            continue
        on_cpu = node.op_type in SHAPES and "_embeddings/" not in node.name
        name = "CPUExecutionProvider" if on_cpu else "CUDAExecutionProvider"
        nodes[name].append({"name": node.name, "domain": node.domain, "op_type": node.op_type})
    return [{"ep_name": name, "nodes": listed} for name, listed in nodes.items()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    model = onnx.load(HERE / "bert_tiny.onnx")
    text = json.dumps(providers(model), indent=0)
    (Path(sys.argv[1]) / "bert_tiny.providers.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
