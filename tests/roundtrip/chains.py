#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of a model are its nodes, no more and no less: chains.py --tool TOOL FOLDER

Every model of the folder is split in several ways, and the parts are read with the onnx package:

- what a part reads is made in it, or given to the model, or given by an earlier part;
- all nodes whose results matter are in some part, each as it is in the model but for its tag;
- a parameter is in exactly those parts that read it;
- the parts together give what the model gives, and the manifest says what they hold.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from rewording import inner_graphs  # noqa: E402
from with_bodies import with_bodies  # noqa: E402

WAYS = ((), ("--parts", "2"), ("--parts", "5", "--by", "nodes"), ("--max-bytes", "60kB"))


def captured(graph):
    """Names that a graph takes from outside."""
    own = {v.name for v in graph.input} | {t.name for t in graph.initializer}
    own |= {name for node in graph.node for name in node.output}
    read = [name for node in graph.node for name in reads(node)]
    read += [value.name for value in graph.output]
    return [name for name in read if name and name not in own]


def reads(node):
    names = [name for name in node.input if name]
    for graph in inner_graphs(node):
        names += captured(graph)
    return names


def parameters(graph):
    return {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}


def plain(node):
    """The node without tags."""
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    open_nodes = [copy]
    while open_nodes:
        one = open_nodes.pop()
        one.ClearField("doc_string")
        for graph in inner_graphs(one):
            open_nodes += graph.node
    return copy.SerializeToString(deterministic=True)


def check_part(whole, part, known, nodes):
    """What is wrong with a part that is given the values `known`."""
    graph = part.graph
    problems = []
    given = {value.name for value in graph.input}
    made = {name for node in graph.node for name in node.output if name}
    out = {value.name for value in graph.output}
    problems += [f"input {name} comes from nowhere" for name in given - known]
    problems += [f"input {v.name} has no type" for v in graph.input if not v.HasField("type")]
    has = parameters(graph)
    read = {name for node in graph.node for name in reads(node)}
    problems += [f"{name} is read and not there" for name in read - given - made - has]
    problems += [f"{name} is there and not read" for name in has - read - out]
    problems += [f"{name} is given out and not made" for name in out - made - has]
    tensors = {t.name: t.SerializeToString() for t in whole.graph.initializer}
    for tensor in graph.initializer:
        if tensors.get(tensor.name) != tensor.SerializeToString():
            problems.append(f"parameter {tensor.name} is another one")
    for node in graph.node:
        if plain(node) not in nodes:
            problems.append(f"node {node.name} is not in the model")
    if part.functions and {f.name for f in part.functions} - {f.name for f in whole.functions}:
        problems.append("there are functions that the model does not have")
    return problems


def needed(graph):
    """Nodes that some output depends on."""
    makers = {name: node for node in graph.node for name in node.output if name}
    open_names = [value.name for value in graph.output]
    found = {}
    while open_names:
        node = makers.get(open_names.pop())
        if node is not None and id(node) not in found:
            found[id(node)] = node
            open_names += reads(node)
    return found.values()


def check_split(tool, path, way, folder):
    out = Path(folder) / "parts"
    command = [tool, "split", path, "--output-dir", out, "--force", "--no-sync", "--json", *way]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 2 and run.stderr.strip().count("\n") == 0:
        return None, []  # It cannot be cut that way, and says so.
    if run.returncode != 0:
        return None, [f"exit code {run.returncode}: {run.stderr}"]
    manifest = json.loads(run.stdout)
    whole = onnx.load(path, load_external_data=False)
    nodes = {plain(node) for node in whole.graph.node}
    known = {value.name for value in whole.graph.input}
    problems = []
    seen = set()
    for entry in manifest["parts"]:
        part = onnx.load(out / entry["file"], load_external_data=False)
        for problem in check_part(whole, part, known, nodes):
            problems.append(f"{entry['file']}: {problem}")
        known |= {value.name for value in part.graph.output}
        seen |= {plain(node) for node in part.graph.node}
        if len(part.graph.node) != entry["nodes"]:
            problems.append(f"{entry['file']}: the manifest counts other nodes")
        given = {value.name for value in part.graph.input} - parameters(part.graph)
        for side, values in (("inputs", given), ("outputs", {v.name for v in part.graph.output})):
            if {value["name"] for value in entry[side]} != values:
                problems.append(f"{entry['file']}: the manifest has other {side}")
    problems += [f"{v.name} is given by no part" for v in whole.graph.output if v.name not in known]
    lost = [node.name for node in needed(whole.graph) if plain(node) not in seen]
    problems += [f"node {name} is in no part" for name in lost]
    return len(manifest["parts"]), problems


def given_parameters(nodes):
    """A model that gives out parameters as they are, one of which its nodes read, if it has any."""
    floats = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xykw"]
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["a"], name="/layers.0/Relu"),
            helper.make_node("Add", ["a", "w"], ["y"], name="/layers.1/Add"),
        ][:nodes],
        "made",
        floats[:1],
        floats[1:] if nodes else floats[2:],
        [helper.make_tensor(name, TensorProto.FLOAT, [2], [1, 2]) for name in "kw"],
    )
    return helper.make_model(graph)


def models(args, folder):
    for nodes in (0, 2):
        onnx.save(given_parameters(nodes), folder / f"given_parameters_{nodes}.onnx")
    given = sorted(args.folder.glob("*.onnx"))
    made = sorted(folder.glob("*.onnx"))
    return [with_bodies(args.tool, path, folder) for path in given] + made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    splits = parts = failed = 0
    made = tempfile.TemporaryDirectory()
    for path in models(args, Path(made.name)):
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                count, problems = check_split(args.tool, path, way, folder)
            if count == 0:
                problems.append("there are no parts")
            for problem in problems[:5]:
                print(f"{path.name} {' '.join(way)}: {problem}")
            failed += bool(problems)
            splits += count is not None
            parts += count or 0
    print(f"{splits} splits into {parts} parts, {failed} wrong")
    return 1 if failed or splits == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
