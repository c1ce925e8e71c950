#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of models say what the models say: exports.py --tool ONNX-HIER FOLDER...

Of each *.onnx file that protobuf reads:

- Model Explorer's JSON keeps to model_explorer.schema.json; it has the model's nodes, in the
  modules that the sidecar puts them in, and one edge for each input of each, from where the value
  of that name is made; graphs that nodes name are there; node data is about these nodes;
- GraphML has the sidecar's modules with their figures, each with the id of the one around it, and
  edges between these, all of it flat; Graphviz' file has the same edges.

Exit code 77 (skipped) without python3-onnx or python3-jsonschema.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "schemas"))
sys.path.insert(0, str(HERE.parent / "support"))
import written_model  # noqa: E402
from with_bodies import with_bodies  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

SKIPPED = 77
MADE_UP = ("input", "outer value", "parameter", "output")
XML = "{http://graphml.graphdrawing.org/xmlns}"


def flat_nodes(graphml):
    """What each module of a GraphML file says, as programs that know no nodes in nodes read it."""
    names = {key.get("id"): key.get("attr.name") for key in graphml.iterfind(f"{XML}key")}
    for node in graphml.iterfind(f"{XML}graph/{XML}node"):
        data = {names[item.get("key")]: item.text for item in node.iterfind(f"{XML}data")}
        yield {"id": node.get("id"), **data}


class Checking:
    def __init__(self, tool):
        self.tool = tool
        self.wrong = []
        self.counts = {"models": 0, "edges": 0, "modules": 0}
        schema = json.loads((HERE / "model_explorer.schema.json").read_text("utf-8"))
        self.validator = jsonschema.Draft202012Validator(schema)

    def check(self, path):
        with tempfile.TemporaryDirectory() as folder:
            self.check_flat(with_bodies(self.tool, path, folder))

    def check_flat(self, path):
        model = written_model.load(path)
        if model is None:
            return
        self.path = path
        self.counts["models"] += 1
        sidecar = json.loads(self.run("tag", "--sidecar-only", "--sidecar", "-", "--quiet"))
        tags = {node["id"]: node["tag"] for node in sidecar["nodes"]}
        self.check_explorer(model, tags)
        data = json.loads(self.run("export", "--node-data", "confidence"))
        named = {node for graph in data.values() for node in graph["results"]}
        self.expect(named == tags.keys(), "node data is about other nodes")
        self.check_modules(sidecar)
        self.check_part(model, sidecar, tags)

    def check_part(self, model, sidecar, tags):
        """The same of one module, and nothing else."""
        module = sidecar["modules"][len(sidecar["modules"]) // 2]["path"]
        if module == "/" or any(sign in module for sign in "*[]{}@"):
            return
        inside = {path: tag for path, tag in tags.items() if f"{tag}/".startswith(f"{module}/")}
        members = {path: tag for path, tag in tags.items() if tag.startswith(f"{module}.")}
        self.check_explorer(model, {**inside, **members}, "--module", module)
        graphml = ElementTree.fromstring(self.run("export", "--format", "graphml",
                                                  "--module", module))
        ends = {node["id"]: node["path"] for node in flat_nodes(graphml)}
        for edge in graphml.iter(f"{XML}edge"):
            self.expect(all(ends[edge.get(end)].startswith(module) for end in ("source", "target")),
                        f"an edge that is not in {module}")

    def expect(self, holds, what):
        if not holds:
            self.wrong.append(f"{self.path}: {what}")

    def run(self, command, *options):
        words = [self.tool, command, str(self.path), *options]
        return subprocess.run(words, check=True, capture_output=True).stdout

    def check_explorer(self, model, tags, *options):
        value = json.loads(self.run("export", *options))
        for error in list(self.validator.iter_errors(value))[:3]:
            self.expect(False, f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        graphs = {graph["id"]: graph["nodes"] for graph in value["graphs"]}
        self.expect(len(graphs) == len(value["graphs"]), "graphs share an id")
        nodes = dict(written_model.nodes_with_ids(model))
        seen = set()
        for drawn in graphs.values():
            known = {node["id"]: node for node in drawn}
            self.expect(len(known) == len(drawn), "nodes of a graph share an id")
            for node in drawn:
                self.expect(set(node.get("subgraphIds", [])) <= graphs.keys(), "no such subgraph")
                if node["id"] in tags:
                    seen.add(node["id"])
                    self.expect("/" + node["namespace"] == tags[node["id"]], "another module")
                    self.expect(node["label"] == nodes[node["id"]].op_type, "another operator")
                    self.check_edges(node, nodes[node["id"]].input, known)
                else:
                    about = {item["key"]: item["value"] for item in node["attrs"]}
                    self.expect(about["kind"] in MADE_UP, f"node {node['id']} is not meant")
                    label = "Parameter" if about["kind"] == "parameter" else about["name"]
                    self.expect(node["label"] == label, f"{about['name']} is called otherwise")
        self.expect(seen == tags.keys(), f"not all nodes are there, or others {options}")

    def check_edges(self, node, inputs, known):
        """One edge for each input, from what makes the value of that name."""
        edges = {int(edge["targetNodeInputId"]): edge for edge in node["incomingEdges"]}
        self.expect(
            sorted(edges) == [i for i, name in enumerate(inputs) if name]
            and len(edges) == len(node["incomingEdges"]),
            f"edges to inputs {sorted(edges)} of node {node['id']}",
        )
        for slot, edge in edges.items():
            made = {
                output["id"]: output["attrs"][0]["value"]
                for output in known[edge["sourceNodeId"]]["outputsMetadata"]
            }
            name = made.get(edge["sourceNodeOutputId"])
            self.expect(name == inputs[slot], f"an edge brings {name} for {inputs[slot]}")
            self.counts["edges"] += 1

    def check_modules(self, sidecar):
        graphml = ElementTree.fromstring(self.run("export", "--format", "graphml"))
        modules = {module["path"]: module for module in sidecar["modules"]}
        ids = {node["id"]: node["path"] for node in flat_nodes(graphml)}
        for node in flat_nodes(graphml):
            module = modules.get(node["path"])
            self.expect(module is not None, f"no module {node['path']}")
            if module is None:
                continue
            around = ids[node["parent"]] if "parent" in node else None
            self.expect(module["parent"] == around, f"{node['path']} lies elsewhere")
            self.expect(node["path"].endswith(node["label"]), f"{node['path']} is called otherwise")
            self.expect(int(node["nodes"]) == module["total_nodes"], "other nodes")
            self.expect(int(node["parameters"]) == module["total_parameters"], "other sizes")
        self.expect(sorted(ids.values()) == sorted(modules), "other modules")
        self.counts["modules"] += len(modules)
        self.expect(len(list(graphml.iter(f"{XML}graph"))) == 1, "graphs in the graph")
        edges = {
            (edge.get("source"), edge.get("target"), edge.find(f"{XML}data").text)
            for edge in graphml.iter(f"{XML}edge")
        }
        self.expect(all(end in ids for edge in edges for end in edge[:2]), "an edge to nowhere")
        dot = self.run("export", "--format", "dot").decode("utf-8")
        drawn = re.findall(r"^  (m\d+) -> (m\d+)(?: \[label=(\d+)\])?;$", dot, re.MULTILINE)
        self.expect({(a, b, n or "1") for a, b, n in drawn} == edges, "other edges in Graphviz")
        self.expect(dot.count("{") == dot.count("}"), "braces of Graphviz")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if jsonschema is None or written_model.onnx is None:
        print("skipped: needs python3-onnx and python3-jsonschema")
        sys.exit(SKIPPED)
    checking = Checking(options.tool)
    for folder in options.folders:
        for path in sorted(folder.glob("*.onnx")):
            checking.check(path)
    for problem in checking.wrong[:50]:
        print(problem)
    print(", ".join(f"{count} {what}" for what, count in checking.counts.items()))
    sys.exit(1 if checking.wrong or checking.counts["edges"] == 0 else 0)


if __name__ == "__main__":
    main()
