#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of a split, run one after the other, compute what the model does, bit for bit.

    same_splits.py --tool ONNX-HIER --work FOLDER [PATH...]

Runs each *.onnx file (of the folders that are named; else of testdata) in
onnxruntime. Then `split` cuts it in several ways: a part a layer, at modules
(--at), into 2, 4 and 8 parts as even as can be. Each part is given the
model's inputs and what earlier parts gave out, nothing else; in the end they
must have given what the whole model gives.

onnxruntime is installed as by same_parts.py; models that it does not load or
run are counted apart. Exit code: 0 all is well, 1 not, 77 where there is no npm
or no package to be had.
"""

import random
import sys

from proof import HARMLESS, Proof, lists_of, plain_paths, prove

SEED = 7
LISTS = 3  # of a model that are tried with --at
MODULES = 2  # and modules
PARTS = (2, 4, 8)
NO_LIST = "there is no list of layers"


def ways_of(modules):
    """[(kind, arguments of split)]"""
    ways = [("per layer", [])]
    ways += [(f"into {n}", ["--parts", str(n)]) for n in PARTS]
    chance = random.Random(SEED)
    paths = plain_paths(modules)
    lists = [f"{stem}*" for stem, numbers in lists_of(paths).items() if len(numbers) > 1]
    inner = [path for path in paths if path != "/"]
    some = chance.sample(lists, min(LISTS, len(lists)))
    some += chance.sample(inner, min(MODULES, len(inner)))
    ways += [("at", ["--at", pattern]) for pattern in some]
    outermost = [m["path"] for m in modules if m["parent"] == "/" and m["path"] in paths]
    if outermost:
        ways.append(("at", [word for path in outermost for word in ("--at", path)]))
    return ways


class SplitsProof(Proof):
    titles = {**Proof.titles, "counts": "splits", "got": "parts got"}
    harmless = HARMLESS | {"splits", "split", "parts"}

    def take_apart(self, path, before, modules, types):
        for kind, arguments in ways_of(modules):
            if not self.split(path, before, kind, arguments):
                return

    def split(self, path, before, kind, arguments):
        """One call of `split`. False: the values that were recorded are gone."""
        what = " ".join(["split", *arguments])
        command = [self.options.tool, "split", before, "--output-dir", before.parent, "--json"]
        self.counts["splits"] += 1
        result, refusal = self.ran([*command, "--no-sync", "-f", *arguments], path, what)
        if refusal is not None and NO_LIST not in refusal:
            self.kinds[f"{kind} refused"] += 1
            self.wrong(path, what, refusal)
        if result is None:
            return True
        files = [before.parent / part["file"] for part in result["parts"]]
        self.counts["split"] += 1
        self.counts["parts"] += len(files)
        if kind.startswith("into"):
            self.got[f"{kind}: {len(files)}"] += 1
        answer = self.ask({"chain": [str(file) for file in files]}, "crashed onnxruntime")
        for file in files:
            file.unlink()
        self.counts[answer["outcome"]] += 1
        self.kinds[f"{kind} {answer['outcome']}"] += 1
        if answer["outcome"] not in HARMLESS:
            self.wrong(path, f"{what}: {answer['outcome']}", answer["detail"])
        return answer["outcome"] != "crashed onnxruntime"


if __name__ == "__main__":
    sys.exit(prove(SplitsProof, __doc__))
