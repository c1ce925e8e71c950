#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds on drawn families: judge_families.py FOLDER TOOL [OTHER_TOOL]

FOLDER is what draw_families.py wrote, or a corpus of the same form. For each form of a model, of
one build or of both: the share of nodes in their own module (exact), in it or the deepest one
around it that a name still spells (best), in a module that does not hold them (wrong), the number
in another member of a list (mixed), and the error of what is said about sureness (ece). Each family
counts alike; with two builds, the difference in `best` with the 90 % interval of 2,000 bootstraps
over families, and how many families gain and lose.
"""

import argparse
import collections
import concurrent.futures
import json
import random
import re
import subprocess
from pathlib import Path

import truth_files

FORM = re.compile(r"\.(m\d+\w*|dyn\d+|ort_\w+|fn)$")


def judged(answer, owner, names):
    """exact, above, inside, wrong or mixed: wrong, and first in the number of a member."""
    owners = names.get(owner, {owner})
    if answer in owners:
        return "exact"
    verdict = "mixed"
    for name in owners:
        ours, theirs = (([p for p in n.split(".") if p]) for n in (answer, name))
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)
        if at is None:
            return "above" if len(ours) < len(theirs) else "inside"
        if not (ours[at].isdigit() and theirs[at].isdigit()):
            verdict = "wrong"
    return verdict


def figures(tool, path):
    truth = truth_files.read(path)
    done = subprocess.run([tool, "tag", str(path), "--sidecar-only", "--sidecar", "-", "-q"],
                          check=True, capture_output=True)
    document = json.loads(done.stdout)
    modules = {m["path"]: m["qualified_name"] for m in document["modules"]}
    nodes = {n["id"]: n for n in document["nodes"]}
    names, counts, sure = truth_files.names_of(truth), collections.Counter(), []
    for entry in truth["nodes"]:
        if entry.get("module") is None or entry.get("masked") is False:
            continue
        node = nodes["/".join(str(step) for step in entry["path"])]
        answer = modules[node["tag"]]
        verdict = judged(answer, entry["module"], names)
        if answer in (entry.get("accept") or ()):
            verdict = "exact"
        counts["nodes"] += 1
        counts[verdict] += 1
        counts["wrong"] += verdict == "mixed"
        counts["best"] += verdict == "exact" or answer == entry.get("nameable")
        sure.append((node["confidence"], verdict == "exact"))
    return counts, sure


def ece(sure):
    tenths = collections.defaultdict(list)
    for confidence, right in sure:
        tenths[min(9, int(confidence * 10))].append((confidence, right))
    return sum(abs(sum(c for c, _ in some) - sum(r for _, r in some))
               for some in tenths.values()) / max(1, len(sure))


def share(counts, key):
    return 100 * counts[key] / counts["nodes"]


def interval(differences):
    chosen = random.Random(1)
    means = sorted(sum(chosen.choices(differences, k=len(differences))) / len(differences)
                   for _ in range(2000))
    return means[100], means[1900]


def arguments_of(description):
    """Of a program that judges builds on a folder of families."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tools", nargs="+")
    parser.add_argument("--families", action="store_true", help="a line for each family, too")
    return parser.parse_args()


def main():
    arguments = arguments_of(__doc__)
    paths = [p for p in sorted(arguments.folder.glob("*/*.onnx"))
             if p.with_suffix(".truth.json").exists()]
    groups = collections.defaultdict(list)
    for path in paths:
        form = FORM.search(path.stem)
        group = form.group(1) if form else path.parent.name
        # Optimised, and of which form before.
        groups[f"dyn_{group}" if path.parent.name == "dynort" else group].append(path)
    print(f"{'form':12} {'build':>5} {'files':>5} {'nodes':>7} {'exact':>6} {'best':>6} {'wrong':>6} "
          f"{'mixed':>5} {'ece':>5}")
    for form, members in sorted(groups.items()):
        best = []
        for number, tool in enumerate(arguments.tools):
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                results = list(pool.map(lambda path, tool=tool: figures(tool, path), members))
            results = [(c, s) if c["nodes"] else None for c, s in results]
            known = [r for r in results if r]
            mean = {key: sum(share(c, key) for c, _ in known) / len(known)
                    for key in ("exact", "best", "wrong")}
            best.append([share(r[0], "best") for r in known])
            sure = [one for _, some in known for one in some]
            print(f"{form:12} {number:5} {len(known):5} {sum(c['nodes'] for c, _ in known):7} "
                  f"{mean['exact']:6.2f} {mean['best']:6.2f} {mean['wrong']:6.2f} "
                  f"{sum(c['mixed'] for c, _ in known):5} {ece(sure):5.3f}", flush=True)
        if len(best) < 2:
            continue
        differences = [b - a for a, b in zip(*best)]
        low, high = interval(differences)
        print(f"{'':12} best {sum(differences) / len(differences):+.2f} [{low:+.2f}, {high:+.2f}], "
              f"{sum(d > 0.01 for d in differences)} families gain, "
              f"{sum(d < -0.01 for d in differences)} lose", flush=True)
        if arguments.families:
            names = [p.stem for p, r in zip(members, results) if r]
            for difference, name in sorted(zip(differences, names)):
                if abs(difference) > 0.01:
                    print(f"    {difference:+7.2f} {name}")


if __name__ == "__main__":
    main()
