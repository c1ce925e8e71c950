#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules are the same where a file only says the same in other words.

    words.py --tool ONNX-HIER [--show N] MODEL.onnx|FOLDER...

Each model is rewritten as other programs do, and tagged again:

- a prefix in front of all names of nodes and values, as programs that join
  models put it: each node is in the same module, below one more on top unless
  something other than names says where it is (metadata, functions);
- no slash in front of names, with a prefix or without: each node is in the same
  module;
- other signs for the slashes in names, or operators in front of names of nodes:
  each node is in the same module;
- two models in one file, each with its prefix, whoever exported them: as with
  one;
- the same model in both branches of an If, as optimum merges decoders: each node
  is in the same module, in either branch;
- of a model that was never trained (biases 0, scales 1) each of the equal
  parameters that are left once, as optimisers do: each node is in the same
  module;
- nodes in another order in which each comes after those that it reads from:
  each node is in the same module;
- where no name of a node has a scope, parameters called as Keras and TensorFlow
  Lite call them: each node is in the same module.

Of all nodes that the tool was sure of, at most one in a thousand may be in
another module, and `check` of what was tagged finds nothing that it does not
find in the model as it was.

Exit code: 0 all well, 1 not, 77 without python3-onnx.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import onnx
except ImportError:
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from rewording import (  # noqa: E402
    after_operators,
    inner_graphs,
    merged,
    prefix,
    renamed,
    separated,
    untrained,
    without_slash,
)

PREFIXES = {"m1_": "/m1", "m1/": "/m1", "m1.": "/m1", "enc_": "/enc"}
SEPARATORS = ("_", ".", "::", "__")
PARAMETERS = (
    {"weight": "kernel:0", "bias": "bias:0"},
    {"weight": "Kernel", "bias": "Bias"},
)
SURE = 0.9
MOST_OTHERS = 0.001
FEW = 16  # nodes, of which nothing is said
MOST_JOINED = 32  # models before one that it is joined to


def joined(first, second):
    """Both in one file: what either has besides its graph is the first one's."""
    both = renamed(first, prefix("enc_"))
    other = renamed(second, prefix("dec_"))
    for field in ("node", "input", "output", "value_info", "initializer"):
        getattr(both.graph, field).extend(getattr(other.graph, field))
    return both


def in_branches(model):
    """The model in both branches of an If; its parameters stay outside."""
    both = onnx.ModelProto()
    both.CopyFrom(model)
    branch = onnx.GraphProto()
    branch.CopyFrom(model.graph)
    for field in ("initializer", "input", "value_info"):
        branch.ClearField(field)
    choose = onnx.helper.make_node("If", ["use_cache"], [out.name for out in model.graph.output])
    for name in ("then_branch", "else_branch"):
        choose.attribute.add(name=name, type=onnx.AttributeProto.GRAPH, g=branch)
    del both.graph.node[:]
    both.graph.node.append(choose)
    both.graph.input.add(name="use_cache").type.tensor_type.elem_type = onnx.TensorProto.BOOL
    return both


def shuffled(model):
    """A copy, and the place that each of its nodes had; or none where nodes hold graphs."""
    nodes = model.graph.node
    made = {name: place for place, node in enumerate(nodes) for name in node.output if name}
    if any(list(inner_graphs(node)) for node in nodes):
        return None
    waiting = [len({made[name] for name in node.input if name in made}) for node in nodes]
    readers = [[] for _ in nodes]
    for place, node in enumerate(nodes):
        for other in {made[name] for name in node.input if name in made}:
            readers[other].append(place)
    draw = random.Random(7)
    ready = [place for place, count in enumerate(waiting) if count == 0]
    places = []
    while ready:
        places.append(ready.pop(draw.randrange(len(ready))))
        for reader in readers[places[-1]]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.node[:]
    copy.graph.node.extend(nodes[place] for place in places)
    return copy, places


def with_slashes(words):
    """Gives encoder.fc.weight another name, as encoder/fc/kernel:0."""

    def rename(name):
        module, dot, own = name.rpartition(".")
        if not dot or own.isdigit() or name.startswith("onnx::"):
            return name
        return module.replace(".", "/") + "/" + words.get(own, own)

    return rename


class Words:
    def __init__(self, tool, folder, show):
        self.tool = tool
        self.folder = folder
        self.show = show
        self.nodes = 0  # that were compared
        self.others = 0
        self.problems = []

    def run(self, *words):
        return subprocess.run([self.tool, *words], capture_output=True, check=False)

    def tags(self, model, graph=""):
        """Of the nodes of the main graph, or the one whose ids begin so: module and confidence; and
        how `check` ends."""
        path = self.folder / "model.onnx"
        onnx.save(model, path)
        tagged = self.folder / "tagged.onnx"
        done = self.run("tag", path, "-o", tagged, "-qf", "--no-sync", "--sidecar", "-")
        if done.returncode != 0:
            self.problems.append(f"tag ends with {done.returncode}: {done.stderr!r}")
            return [], 0
        nodes = json.loads(done.stdout)["nodes"]
        main = [
            (node["tag"], node["confidence"])
            for node in nodes
            if node["id"].startswith(graph) and node["id"][len(graph) :].isdigit()
        ]
        return main, self.run("check", tagged, "-q").returncode

    def compare(self, what, model, was, finds, graph=""):
        """`was`: the modules that each node may be in."""
        now, found = self.tags(model, graph)
        if len(now) != len(was):
            self.problems.append(f"{what}: {len(now)} of {len(was)} nodes")
            return
        if found != 0 and not finds:
            self.problems.append(f"{what}: check ends with {found}")
        self.nodes += len(was)
        for number, (allowed, (tag, confidence)) in enumerate(zip(was, now)):
            if tag in allowed or confidence <= SURE:
                continue
            self.others += 1
            if self.others <= self.show:
                print(f"{what}: node {number}: {tag}, not one of {sorted(allowed)}")

    def try_all(self, paths):
        before = []
        for path in paths:
            model = onnx.load(path, load_external_data=False)
            tags, found = self.tags(model)
            own = [{tag} for tag, _ in tags]
            for text, top in PREFIXES.items():
                below = [under(top, tag) | {tag} for tag, _ in tags]
                self.compare(f"{path.name}, {text}", renamed(model, prefix(text)), below, found)
            if (equal := merged(untrained(model))) is not None:
                self.compare(f"{path.name}, merged", equal, own, found)
            if not any("/" in node.name for node in model.graph.node):
                for words in PARAMETERS:
                    renaming = renamed(model, with_slashes(words))
                    self.compare(f"{path.name}, {words['weight']}", renaming, own, found)
            if (other := shuffled(model)) is not None:
                moved = [own[place] for place in other[1]]
                self.compare(f"{path.name}, shuffled", other[0], moved, found)
            if has_scopes(model):
                bare = renamed(model, without_slash)
                self.compare(f"{path.name}, no slash", bare, own, found)
                for text in SEPARATORS:
                    self.compare(f"{path.name}, {text}", renamed(model, separated(text)), own, found)
                self.compare(f"{path.name}, Op_", after_operators(model, "_"), own, found)
                below = [under("/m1", tag) | {tag} for tag, _ in tags]
                bare = renamed(bare, prefix("m1_"))
                self.compare(f"{path.name}, m1_ and no slash", bare, below, found)
            if model.functions:
                continue
            if len(own) > FEW:
                both = in_branches(model)
                for name in ("then_branch", "else_branch"):
                    self.compare(f"{path.name}, {name}", both, own, found, f"0/{name}/")
            for name, other, others, finds in before[-MOST_JOINED:]:
                below = [within("enc", tag) for tag, _ in others]
                below += [within("dec", tag) for tag, _ in tags]
                what = f"{name} and {path.name}"
                self.compare(what, joined(other, model), below, finds or found)
            before.append((path.name, model, tags, found))


def under(top, tag):
    """Where a node may be."""
    if tag == "/":
        return {"/", top}
    return {top + tag}


def within(prefix, tag):
    """The same where the prefix may have become part of the first module's name."""
    return under("/" + prefix, tag) | {f"/{prefix}_{tag[1:]}"}


def has_scopes(model):
    """As torch writes them, in more than a few names and without functions of its modules."""
    scoped = sum(node.name.startswith("/") for node in model.graph.node)
    return scoped * 2 > max(len(model.graph.node), FEW) and not model.functions


def models(names):
    for name in names:
        path = Path(name)
        yield from sorted(path.glob("*.onnx")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--show", type=int, default=20, help="so many nodes")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = Words(arguments.tool, Path(folder), arguments.show)
        words.try_all(models(arguments.models))
    if words.others > words.nodes * MOST_OTHERS:
        words.problems.append(f"{words.others} of {words.nodes} nodes are in another module")
    for problem in words.problems:
        print(problem)
    print(f"{words.nodes} nodes, {words.others} in another module")
    return 1 if words.problems else 0


if __name__ == "__main__":
    sys.exit(main())
