#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The most that is alive at a time, counted by another program. Needs Debian's python3-onnx.

    lifetimes.py --tool ONNX-HIER FOLDER...

Of each *.onnx file, runs its nodes in the file's order with names in a set: what a node makes goes
in, what nobody reads any more goes out. The most bytes that were in it at a time are what `cost`
says of "alive", where it knows the shape of each value (`cost --values`); the types of elements are
those of libonnx's inference. Sizes that a model leaves open are 8.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from with_bodies import with_bodies  # noqa: E402

SIZE = 8
# Bytes of an element, by TensorProto.DataType.
BYTES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}


def names_read(node):
    """What a node reads, in graphs that it holds, too."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
            names += [name for inner in graph.node for name in names_read(inner)]
            names += [output.name for output in graph.output]
    return names


def ask(tool, model, *flags):
    done = subprocess.run([tool, "cost", model, *flags], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def most_alive(graph, sizes):
    """Bytes; None: something is not known."""
    parameters = {tensor.name for tensor in graph.initializer}
    parameters |= {name for node in graph.node if node.op_type == "Constant" for name in node.output}
    last = {}
    for place, node in enumerate(graph.node):
        for name in names_read(node):
            last[name] = place
    for output in graph.output:
        last[output.name] = len(graph.node)
    alive = {value.name for value in graph.input if value.name not in parameters}
    most = 0
    for place, node in enumerate(graph.node):
        alive |= {name for name in node.output if name and name not in parameters}
        if any(name not in sizes for name in alive):
            return None
        most = max(most, sum(sizes[name] for name in alive))
        # Inputs that nobody reads are there for the first node.
        alive = {name for name in alive if last.get(name, -1) > place}
    return most


def sizes_of(model, values):
    types = {}
    graph = onnx.shape_inference.infer_shapes(model).graph
    for value in [*graph.value_info, *graph.input, *graph.output]:
        types[value.name] = value.type.tensor_type.elem_type
    sizes = {}
    for value in values["inputs"] + values["values"]:
        shape, size = value["shape"], BYTES.get(types.get(value["name"], 0))
        if size is None or shape is None or not all(isinstance(dim, int) for dim in shape):
            continue
        for dim in shape:
            size *= dim
        sizes[value["name"]] = size
    return sizes


def problem_of(tool, path):
    """None: nothing is wrong; "": it cannot be compared."""
    model = onnx.load(path, load_external_data=False)
    parameters = {tensor.name for tensor in model.graph.initializer}
    flags = []
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if value.name in parameters or all(dim.dim_value > 0 for dim in dims):
            continue
        shape = "x".join(str(dim.dim_value or SIZE) for dim in dims)
        flags += ["--shape", f"{value.name}={shape}"]
    values = ask(tool, path, "--values", *flags)
    told = ask(tool, path, "--columns", "alive", "--depth", "0", "--json", *flags)
    expected = None
    if values and told:
        expected = most_alive(model.graph, sizes_of(model, values))
    if expected is None:
        return ""
    alive = told["modules"][0]["measures"]["alive"]["total"]
    return None if alive == expected else f"{path.name}: {alive} bytes, not {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("paths", type=Path, nargs="+")
    options = parser.parse_args()
    models = sorted(path for top in options.paths for path in top.rglob("*.onnx"))
    tool = options.tool.resolve()
    with tempfile.TemporaryDirectory() as folder:
        found = [problem_of(tool, with_bodies(tool, path, folder)) for path in models]
    problems = [text for text in found if text]
    print("\n".join(problems) or f"fine: {found.count(None)} of {len(models)} models compared")
    return 1 if problems or not found.count(None) else 0


if __name__ == "__main__":
    sys.exit(main())
