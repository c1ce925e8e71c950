#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many nodes get their right owner from the model that theirs was made from.

    score_transfers.py --tool ONNX-HIER ORIGINALS OPTIMISED [--model PART] [--show N] [--least PERCENT]

OPTIMISED is a folder of NAME.MORE.onnx with NAME.MORE.truth.json (as in testdata); its original is
NAME.onnx, or the longest beginning of the name that is there, in ORIGINALS. Compares `apply` with
`tag` alone: exact owners in percent, wrong ones (neither the owner nor a module around or inside of
it), and those in another layer. Fails below --least, and where a file has fewer exact owners than
with `tag` alone.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path


def sidecar(tool, *words):
    command = [tool, *words, "--sidecar-only", "--sidecar", "-", "--quiet"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode('utf-8', 'replace')}")
    return json.loads(done.stdout)


def relation(name, truth):
    """exact, around, inside or wrong; and whether the first difference is a number."""
    ours, right = ([part for part in path.split(".") if part] for path in (name, truth))
    for a, b in zip(ours, right):
        if a != b:
            return "wrong", a.isdigit() and b.isdigit()
    if len(ours) == len(right):
        return "exact", False
    return ("around" if len(ours) < len(right) else "inside"), False


def judge(found, truth):
    """Counts of relations, and [(id, owner, found)] of what is not exact."""
    names = {module["path"]: module["qualified_name"] for module in found["modules"]}
    nodes = {node["id"]: node for node in found["nodes"]}
    same = collections.defaultdict(set)
    for group in truth.get("aliases") or ():
        for name in group:
            same[name].update(group)
    counts, misses = collections.Counter(), []
    for entry in truth["nodes"]:
        path = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        if entry.get("module") is None:
            continue
        node = nodes["/".join(map(str, path))]
        name = names[node["tag"]]
        right = {entry["module"], *same[entry["module"]], *(entry.get("accept") or ())}
        how, crosses = ("exact", False) if name in right else relation(name, entry["module"])
        counts[how] += 1
        counts["cross"] += crosses
        counts["nodes"] += 1
        if how != "exact":
            misses.append((node["id"], node["op_type"], node["name"], entry["module"], name,
                           node["method"]))
    return counts, misses


def original_of(optimised, folder):
    parts = optimised.name.removesuffix(".onnx").split(".")
    for end in range(len(parts) - 1, 0, -1):
        path = folder / (".".join(parts[:end]) + ".onnx")
        if path.exists():
            return path
    return None


def group_of(optimised):
    kind = optimised.name.removesuffix(".onnx").split(".")[-1]
    return ("own." if optimised.name.startswith("own_") else "") + kind


def percent(counts, what):
    return 100 * counts[what] / max(1, counts["nodes"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("originals", type=Path)
    parser.add_argument("optimised", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--least", type=float, default=0)
    options = parser.parse_args()
    groups = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    below = []
    for path in sorted(options.optimised.glob("*.onnx")):
        truth_path = path.with_name(path.name.removesuffix(".onnx") + ".truth.json")
        original = original_of(path, options.originals)
        if options.model not in path.name or not truth_path.exists() or original is None:
            continue
        truth = json.loads(truth_path.read_text("utf-8"))
        alone, _ = judge(sidecar(options.tool, "tag", path), truth)
        with_original, misses = judge(sidecar(options.tool, "apply", original, path), truth)
        for counts, found in zip(groups[group_of(path)], (alone, with_original)):
            counts.update(found)
            counts["files"] += 1
        if with_original["exact"] < alone["exact"]:
            below.append(f"{path.name}: {with_original['exact']} exact, alone {alone['exact']}")
        for miss in misses[: options.show]:
            print(path.name, *miss, sep="  ")
    print(f"{'group':<20} files   nodes   tag: exact  wrong  cross   apply: exact  wrong  cross")
    missed = False
    for name, (alone, found) in sorted(groups.items()):
        print(f"{name:<20} {found['files']:5} {found['nodes']:7}"
              f"       {percent(alone, 'exact'):6.2f} {percent(alone, 'wrong'):6.2f}"
              f" {alone['cross']:6}         {percent(found, 'exact'):6.2f}"
              f" {percent(found, 'wrong'):6.2f} {found['cross']:6}")
        missed = missed or percent(found, "exact") < options.least
    for line in below:
        print("BELOW", line)
    sys.exit(1 if below or missed or not groups else 0)


if __name__ == "__main__":
    main()
