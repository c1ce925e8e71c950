#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawn families as onnxruntime writes them: optimise_families.py FOLDER WORK

FOLDER is what draw_families.py wrote; onnxruntime comes from npm, and is put into WORK. Of each
model in `exports` and of each without metadata in `dynamo_like`, optimised (extended and all),
written are FOLDER/ort and FOLDER/dynort, with NAME.truth.json beside each.

An optimised node stands for a region of the original: what lies between what it reads and what it
makes, by the names of these values, which onnxruntime keeps. Its owner is that of the operator with
a weight there, if all such have one; without any, of what makes its output. `accept` lists what
else went in where no weight decides. Where a region cannot be told, nobody knows the owner.
"""

import argparse
import concurrent.futures
import subprocess
import sys
from pathlib import Path

import onnx

import truth_files

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/onnxruntime"))
import harness  # noqa: E402

LEVELS = ("extended", "all")


class Original:
    def __init__(self, path):
        graph = onnx.load(str(path)).graph
        self.nodes = list(graph.node)
        self.maker = {o: i for i, node in enumerate(graph.node) for o in node.output if o}
        self.weights = {t.name for t in graph.initializer if len(t.dims) > 1}
        truth = truth_files.read(path)
        self.owners = truth_files.owners_of(truth, len(self.nodes))
        self.aliases = truth.get("aliases", [])

    def region(self, node):
        """Indices of the nodes it stands for; empty: not to be told."""
        reads, found = set(node.input), set()
        waiting = [o for o in node.output if o]
        if any(o not in self.maker for o in waiting):
            return []
        while waiting:
            made = self.maker.get(waiting.pop())
            if made is None or made in found:
                continue
            found.add(made)
            waiting += [i for i in self.nodes[made].input if i and i not in reads]
        return sorted(found)

    def owner(self, node):
        """Its owner and what else is right."""
        region = self.region(node)
        weighted = {self.owners[i] for i in region
                    if any(name in self.weights for name in self.nodes[i].input)}
        if len(weighted) == 1:
            return weighted.pop(), []
        if not region or weighted:
            return None, []
        makes = self.maker[next(o for o in node.output if o)]
        return self.owners[makes], sorted({self.owners[i] for i in region} - {None})


def truth_of(original, model):
    told = [original.owner(node) for node in model.graph.node]
    also = [{"accept": accept} if accept else {} for _, accept in told]
    return truth_files.truth_of(model, [owner for owner, _ in told], original.aliases, also)


def optimise(path, folder, work):
    folder.mkdir(exist_ok=True)
    original = Original(path)
    for level in LEVELS:
        output = folder / f"{path.stem}.ort_{level}.onnx"
        done = subprocess.run(["node", harness.HERE / "optimise.mjs", path, output, level], cwd=work,
                              capture_output=True)
        if done.returncode != 0:
            output.unlink(missing_ok=True)
            print(f"{path.stem}: onnxruntime refuses it", flush=True)
            return
        truth_files.write(output, truth_of(original, onnx.load(str(output))))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    harness.runtime(arguments.work)
    folder, work = arguments.folder.resolve(), arguments.work.resolve()
    jobs = [(path, folder / "ort") for path in sorted((folder / "exports").glob("*.onnx"))]
    jobs += [(path, folder / "dynort")
             for path in sorted((folder / "dynamo_like").glob("*.dyn100.onnx"))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: optimise(*job, work), jobs))


if __name__ == "__main__":
    main()
