#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check` on drawn families: judge_check.py FOLDER TOOL [OTHER_TOOL]

FOLDER is what draw_families.py wrote. The models that lost all names, of `masked` and
`dynamo_like`, get tags from their true owners, some of them wrong:

    clean     none
    twins     one in twenty of the nodes in a member of a list is in the like module of another
    border    up to five nodes without parameters, at the border of a member, are over it
    run       eight nodes in a row of one member are in another

Printed are, for each build: how many tags are wrong, the share of these that `check
--contamination` finds, the share of findings that are right, and how many are not.
"""

import collections
import concurrent.futures
import json
import random
import re
import subprocess
import tempfile
from pathlib import Path

import onnx

import truth_files
from judge_families import arguments_of


def tag_of(owner):
    """`a.0.b` as `/a.0/b`."""
    return "/" + re.sub(r"\.(?=\d+(\.|$))", "\0", owner).replace(".", "/").replace("\0", ".")


def members(owner):
    """Where in its name numbers of list members are, as (what is before, number, what is behind)."""
    parts = owner.split(".")
    return [(".".join(parts[:i]), parts[i], ".".join(parts[i + 1:]))
            for i in range(1, len(parts)) if parts[i].isdigit()]


class Tagged:
    """A model, its true owners, and which other members of lists they could be taken for."""

    def __init__(self, path):
        self.model = onnx.load(str(path))
        truth = truth_files.read(path)
        self.owners = truth_files.owners_of(truth, len(self.model.graph.node))
        ops = [node.op_type for node in self.model.graph.node]
        like = collections.defaultdict(set)
        for owner, op in zip(self.owners, ops):
            for before, _, behind in members(owner or ""):
                like[before, behind, op].add(owner)
        names = truth_files.names_of(truth)
        # Of each node: what is called as its owner is in other members, and has such operators.
        self.others = []
        for owner, op in zip(self.owners, ops):
            found = set()
            for before, _, behind in members(owner or ""):
                found |= like[before, behind, op]
            self.others.append(sorted(found - names.get(owner, set()) - {owner}))
        parameters = {tensor.name for tensor in self.model.graph.initializer}
        self.is_plain = [not parameters & set(node.input) for node in self.model.graph.node]

    def twins(self, chance):
        listed = [i for i, others in enumerate(self.others) if others]
        chosen = chance.sample(listed, (len(listed) + 19) // 20)
        return {i: chance.choice(self.others[i]) for i in chosen}

    def border(self, chance):
        over = {}
        for i in range(1, len(self.owners)):
            for here, there in ((i, i - 1), (i - 1, i)):
                if self.is_plain[here] and self.owners[there] in self.others[here]:
                    over[here] = self.owners[there]
        return {i: over[i] for i in chance.sample(sorted(over), min(5, len(over)))}

    def run(self, chance):
        """Eight of one member of an outermost list that could all be in one other."""
        starts = []
        for start in range(len(self.owners) - 7):
            at = [next(iter(members(self.owners[i] or "")), None) for i in range(start, start + 8)]
            if None in at or len({where[:2] for where in at}) > 1:
                continue
            ways = [{members(other)[0][1]: other for other in self.others[i]
                     if members(other)[0][1] != at[0][1]} for i in range(start, start + 8)]
            for number in sorted(set.intersection(*map(set, ways))):
                starts.append((start, [way[number] for way in ways]))
        if not starts:
            return {}
        start, moved = chance.choice(starts)
        return dict(enumerate(moved, start))

    def write(self, wrong, path):
        for i, node in enumerate(self.model.graph.node):
            owner = wrong.get(i, self.owners[i])
            node.ClearField("doc_string")
            if owner is not None:
                node.doc_string = json.dumps({"hierarchy_path": tag_of(owner)})
        onnx.save(self.model, str(path))


def findings(tool, path):
    done = subprocess.run([tool, "check", str(path), "--contamination", "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{path}: {done.stderr}")
    return {finding["node"]: finding for finding in json.loads(done.stdout)["findings"]}


def judge(path, tools):
    """For each kind of mistake and each build: Counter of wrong, found and false."""
    tagged, figures = Tagged(path), {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("clean", "twins", "border", "run"):
            chance = random.Random(f"{path.name} {kind}")
            wrong = {} if kind == "clean" else getattr(tagged, kind)(chance)
            if kind != "clean" and not wrong:
                continue
            spoiled = Path(folder, f"{kind}.onnx")
            tagged.write(wrong, spoiled)
            for number, tool in enumerate(tools):
                found = findings(tool, spoiled)
                right = sum(str(i) in found for i in wrong)
                figures[kind, number] = collections.Counter(
                    files=1, wrong=len(wrong), found=right, false=len(found) - right)
    return figures


def main():
    arguments = arguments_of(__doc__)
    paths = sorted(arguments.folder.glob("masked/*.m100v.onnx"))
    paths += sorted(arguments.folder.glob("dynamo_like/*.dyn100.onnx"))
    sums = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, figures in zip(paths, pool.map(lambda p: judge(p, arguments.tools), paths)):
            form = path.stem.rpartition(".")[2]
            for (kind, number), counts in figures.items():
                sums[form, kind, number].update(counts)
                if arguments.families and (counts["false"] or counts["found"] < counts["wrong"]):
                    print(f"  {path.stem} {kind} {number}: {dict(counts)}")
    print(f"{'form':8} {'kind':7} {'build':>5} {'files':>5} {'wrong':>6} {'found':>6} {'right':>6} "
          f"{'false':>5}")
    for (form, kind, number), counts in sorted(sums.items()):
        raised = counts["found"] + counts["false"]
        print(f"{form:8} {kind:7} {number + 1:5} {counts['files']:5} {counts['wrong']:6} "
              f"{100 * counts['found'] / max(1, counts['wrong']):6.1f} "
              f"{100 * counts['found'] / max(1, raised):6.1f} {counts['false']:5}")


if __name__ == "__main__":
    main()
