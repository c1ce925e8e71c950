#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where modules meet, all of them are named: joins.py --tool ONNX-HIER PATH...

Every model (each PATH, or all below it) is tagged. A node that reads what modules side by side have
made (none of them holds the other) has each of these as its own tag or as an auxiliary one, 16 at
most. What is worked out of parameters alone is no value that meets another, but a weight, if its module
is the node's or inside of that.

Exit code: 0 all well, 1 not. A model that `tag` refuses is passed over.
"""

import argparse
import sys

from spelled_modules import models, sidecar_of

MOST = 16


def holds(outer, inner):
    return outer in ("/", inner) or inner.startswith((outer + "/", outer + "."))


class Makers:
    """Which node makes a value: names are those of a graph or function, and of the graphs in it."""

    def __init__(self, nodes):
        self.nodes = {(self.block(node), value): node for node in nodes for value in node["outputs"] if value}

    @staticmethod
    def block(node):
        return node["id"].rpartition("/")[0]

    def of(self, node, value):
        block = self.block(node)
        while True:
            if (block, value) in self.nodes or not block:
                return self.nodes.get((block, value))
            block = "" if block.startswith("function:") else block.rpartition("/")[0]


def operands(node, makers, fed):
    """The modules of what it reads, without those of its weights."""
    tags = []
    for value in node["inputs"]:
        made_by = makers.of(node, value)
        if made_by is None or made_by["tag"] in tags:
            continue
        if made_by["id"] in fed or not holds(node["tag"], made_by["tag"]):
            tags.append(made_by["tag"])
    return tags[:MOST]


def fed_nodes(sidecar, makers):
    """Ids of nodes that compute with something else than parameters."""
    parameters = {parameter["name"] for parameter in sidecar["parameters"]}
    fed = set()
    # In most files makers come first; where they do not, once more.
    while True:
        before = len(fed)
        for node in sidecar["nodes"]:
            for value in node["inputs"]:
                made_by = makers.of(node, value)
                if value and value not in parameters and (made_by is None or made_by["id"] in fed):
                    fed.add(node["id"])
        if len(fed) == before:
            return fed


def check(sidecar):
    """How many modules meet in nodes, and those that are not named: (node, module)."""
    makers = Makers(sidecar["nodes"])
    fed = fed_nodes(sidecar, makers)
    count, missing = 0, []
    for node in sidecar["nodes"]:
        if node.get("by_call"):
            continue  # its auxiliary modules are its own, in further calls
        tags = operands(node, makers, fed)
        for tag in tags:
            if all(holds(tag, other) or holds(other, tag) for other in tags):
                continue
            count += 1
            if tag != node["tag"] and tag not in node["auxiliary"] and len(node["auxiliary"]) < MOST:
                missing.append((node, tag))
    return count, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    joined = bad = 0
    for path in models(options.paths):
        sidecar = sidecar_of(options.tool, path, "--values")
        if sidecar is None:
            continue
        count, missing = check(sidecar)
        joined += count
        bad += len(missing)
        for node, tag in missing:
            print(f"{path}: node {node['id']} {node['op_type']} in {node['tag']} reads of {tag}, and does not say so")
    print(f"{joined} modules that meet others in a node, {bad} of them not named")
    return 1 if bad or joined == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
