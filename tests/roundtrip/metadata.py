#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what `tag --metadata` promises: metadata.py --tool ONNX-HIER FOLDER...

Of each *.onnx file, with tags in doc_strings and metadata:

- the sidecar has the tags that it has without metadata, and so it has when the file is tagged again;
- tagging the file again, with and without --metadata, gives the same bytes;
- folded and unfolded, it is the same file;
- `strip` gives the file back, byte for byte.
"""

import argparse
import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path


class Checking:
    """All checks, in a folder that is thrown away."""

    def __init__(self, tool, work):
        self.tool = tool
        self.work = work
        self.wrong = []

    def check(self, path):
        if not self.run("tag", path, "--metadata", "-o", "tagged"):
            self.wrong.append(f"{path}: is not tagged")
            return
        self.run("tag", path, "-o", "plain")
        self.run("strip", path, "-o", "bare")
        if self.hierarchy("tagged") != self.hierarchy("plain"):
            self.wrong.append(f"{path}: other tags than without metadata")
        for again in (["tag"], ["tag", "--metadata"]):
            self.run(again[0], "tagged", *again[1:], "-o", "again")
            self.expect_same(path, "tagged", "again", "when it is tagged again")
        if self.hierarchy("tagged") != self.hierarchy("again"):
            self.wrong.append(f"{path}: other tags when it is tagged again")
        self.run("strip", "tagged", "-o", "stripped")
        self.expect_same(path, "bare", "stripped", "when it is stripped")
        if self.run("fold", "tagged", "-o", "folded"):
            self.run("unfold", "folded", "-o", "flat")
            self.expect_same(path, "tagged", "flat", "when it is folded and unfolded")

    def run(self, command, path, *options):
        """Whether it did its work."""
        words = [self.tool, command, path, *options, "--external-data", "keep", "--quiet", "--force"]
        return subprocess.run(words, cwd=self.work, stderr=subprocess.DEVNULL).returncode == 0

    def expect_same(self, path, first, second, when):
        if not filecmp.cmp(self.work / first, self.work / second, shallow=False):
            self.wrong.append(f"{path}: other bytes {when}")

    def hierarchy(self, model):
        """The sidecar's text without what it says of the file."""
        text = (self.work / f"{model}_hierarchy.json").read_text("utf-8")
        return text[text.index('\n"modules"') :]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    models = sorted(p.resolve() for folder in options.folders for p in folder.glob("*.onnx"))
    with tempfile.TemporaryDirectory() as work:
        checking = Checking(options.tool, Path(work))
        for model in models:
            checking.check(model)
    for problem in checking.wrong:
        print(problem)
    print(f"{len(models)} models, {len(checking.wrong)} problems")
    sys.exit(1 if checking.wrong or not models else 0)


if __name__ == "__main__":
    main()
