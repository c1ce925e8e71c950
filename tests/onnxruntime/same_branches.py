#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A part of a branch computes what the branch does, bit for bit.

    same_branches.py --tool ONNX-HIER --work FOLDER [PATH...]

For each branch of an If in the main graph of each *.onnx file (of the folders
that are named; else of testdata), writes the model with that branch's nodes in
the If's place, and runs it in onnxruntime with all its values given out. Then
`extract --in` writes each module that the branch holds as a model of its own,
which runs on these values and must give them. What it takes else is as of
same_parts.py.
"""

import shutil
import sys

import onnx
from proof import modules_of, prove
from same_parts import PartsProof


def branches_of(model):
    """(place of the If, name of the attribute, graph)"""
    for place, node in enumerate(model.graph.node):
        if node.op_type == "If":
            for attribute in node.attribute:
                yield place, attribute.name, attribute.g


def with_branch(model, place, graph):
    """The model with the graph's nodes instead of the node at that place."""
    flat = onnx.ModelProto()
    flat.CopyFrom(model)
    old = list(flat.graph.node)
    del flat.graph.node[:]
    given_out = [
        onnx.helper.make_node("Identity", [inner.name], [outer])
        for inner, outer in zip(graph.output, old[place].output)
    ]
    flat.graph.node.extend([*old[:place], *graph.node, *given_out, *old[place + 1 :]])
    flat.graph.initializer.extend(graph.initializer)
    return flat


class BranchesProof(PartsProof):
    branch = None  # that is at hand: its path, and the file of the whole model

    def take_apart(self, path, before, modules, types):
        place, whole = self.branch
        source = before.parent / "whole-onnx-hier"
        shutil.copyfile(whole, source)
        for module in modules_of(self.options.tool, source):
            arguments = [module["path"], "--in", place, "-q"]
            if not self.part(path, source, "branch", arguments, types):
                return

    def model(self, path, work):
        model = onnx.load(str(path), load_external_data=False)
        for place, name, graph in branches_of(model):
            flat = path.with_name(f"{path.name}-{place}-{name}")
            try:
                flat.write_bytes(with_branch(model, place, graph).SerializeToString())
                self.branch = f"{place}/{name}", path
                super().model(flat, work)
            finally:
                flat.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(prove(BranchesProof, __doc__))
