#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folding loses nothing: folds.py --tool TOOL FOLDER...

Of every model of the folders that is one, folded in several ways:

- unfolding gives back the file, byte for byte, and so it does of a tagged one;
- folding it again gives the same bytes;
- with --repeated it does not grow by more than a fiftieth, its table included;
- its nodes have the owners that they have in the flat model, and its modules are the same;
  tags put into it go when it is unfolded.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = ((), ("--repeated",), ("--min-nodes", "1"), ("--depth", "2"))
MOST_GROWTH = 1.02


class Judge:
    def __init__(self, tool, work):
        self.tool = tool.resolve()
        self.work = work
        self.problems = []
        self.folded = 0

    def run(self, *command):
        return subprocess.run([self.tool, *command], capture_output=True, text=True)

    def judge(self, path):
        tagged = self.work / "tagged.onnx"
        if self.run("tag", path, "-o", tagged, "--no-sidecar", "-q", *KEEP).returncode != 0:
            return
        for way in WAYS:
            self.round_trip(path, path, way)
        self.round_trip(path, tagged, ())

    def round_trip(self, origin, path, way):
        folded, again, back = (self.work / f"{name}.onnx" for name in ("folded", "again", "back"))
        made = self.run("fold", path, "-o", folded, "--json", *way, *KEEP)
        name = f"{origin.name} {path.name} {' '.join(way)}"
        if made.returncode != 0:
            self.problems.append(f"{name}: {made.stderr.strip()}")
            return
        result = json.loads(made.stdout)
        self.folded += len(result["functions"]) > 0
        if way == () and result["functions"]:
            self.compare_owners(name, path, folded)
            if path == origin:
                self.tag_folded(name, path, folded)
        self.run("fold", path, "-o", again, "-q", *way, *KEEP)
        if folded.read_bytes() != again.read_bytes():
            self.problems.append(f"{name}: other bytes when folded again")
        if "--repeated" in way and folded.stat().st_size > MOST_GROWTH * path.stat().st_size:
            self.problems.append(f"{name}: grows to {folded.stat().st_size} bytes")
        undone = self.run("unfold", folded, "-o", back, *KEEP)
        if undone.returncode != 0 or path.read_bytes() != back.read_bytes():
            self.problems.append(f"{name}: not itself: {undone.stdout}{undone.stderr}".strip())


    def tag_folded(self, name, path, folded):
        tagged, again, back = (self.work / f"{n}.onnx" for n in ("once", "twice", "untagged"))
        self.run("tag", folded, "-o", tagged, "--no-sidecar", *KEEP)
        self.run("tag", tagged, "-o", again, "--no-sidecar", *KEEP)
        if tagged.read_bytes() != again.read_bytes():
            self.problems.append(f"{name}: folded and tagged twice is not tagged once")
        self.run("unfold", tagged, "-o", back, *KEEP)
        if path.read_bytes() != back.read_bytes():
            self.problems.append(f"{name}: not itself when it was tagged in between")

    def compare_owners(self, name, path, folded):
        flat, ours = (json.loads(self.run("tag", model, "--sidecar-only", "--sidecar", "-",
                                          *KEEP).stdout) for model in (path, folded))
        if [module_facts(m) for m in flat["modules"]] != [module_facts(m) for m in ours["modules"]]:
            self.problems.append(f"{name}: has other modules when folded")
        theirs = {(n["op_type"], n["tag"]) for n in flat["nodes"]}
        nodes = [n for n in ours["nodes"] if n["method"] != "function"]
        primary = {(n["op_type"], n["tag"]) for n in nodes}
        all_tags = primary | {(n["op_type"], t) for n in nodes for t in n["auxiliary"]}
        functions = {(n["op_type"], n["tag"]) for n in flat["nodes"] if n["method"] == "function"}
        if not primary <= theirs:
            self.problems.append(f"{name}: owners made up: {sorted(primary - theirs)[:3]}")
        if not theirs - functions <= all_tags:
            lost = sorted(theirs - functions - all_tags)
            self.problems.append(f"{name}: owners lost: {lost[:3]}")


def module_facts(module):
    return {key: value for key, value in module.items() if key not in ("nodes", "total_nodes")}


KEEP = ("--force", "--external-data", "keep")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-fold-") as work:
        judge = Judge(options.tool, Path(work))
        models = sorted(p for folder in options.folders for p in folder.rglob("*.onnx"))
        for path in models:
            judge.judge(path)
        for problem in judge.problems:
            print(problem)
        print(f"{judge.folded} of {len(WAYS) + 1} times {len(models)} models have functions")
        return 1 if judge.problems or judge.folded == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
