#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many parts of hostile models cost no more than the models do: parts.py --tool ONNX-HIER

Every kind of hostile_models.PART_KINDS, with N nodes and with 4 N, is cut into as many parts as
there are layers, and a layer is taken out. Promised:

- at most 5 times the instructions for 4 times of what is read and written (needs valgrind);
- at most 1,000 parts, which hold at most 64 times what the model does, and 16 KiB each, before they
  are tagged;
- where that is not enough, exit code 2, one line, and no file.

Exit code: 0 all well, 1 not.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import hostile_models

SIZES = (48, 192)
MOST_RATIO = 5.0
MOST_TIMES = 64
PART_BYTES = 16 << 10
TAG_BYTES = 3 << 10  # a node
COMMANDS = {
    "layers": ["split", "in.onnx", "--output-dir", "parts"],
    "one": ["extract", "in.onnx", "l.1", "-o", "parts/one.onnx"],
}
WRITE = ["--no-sync", "--force", "-q", "--external-data", "keep"]


class Checks:
    def __init__(self, tool, counts):
        self.tool = tool
        self.counts = counts
        self.failures = 0

    def fail(self, *words):
        self.failures += 1
        print(*words, file=sys.stderr)

    def instructions(self, folder, command):
        """Of a command that must succeed; 0 without valgrind."""
        shutil.rmtree(folder / "parts", ignore_errors=True)
        (folder / "parts").mkdir()
        counter = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = subprocess.run([*(counter if self.counts else []), self.tool, *command, *WRITE],
                              cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            self.fail(folder.name, *command, "ends with", done.returncode, done.stderr)
        found = re.search(r"Collected : (\d+)", done.stderr)
        return int(found[1]) if found else 0

    def check_sizes(self, folder, name, nodes):
        """Returns how much was read and written."""
        parts = list((folder / "parts").glob("*.onnx"))
        read = (folder / "in.onnx").stat().st_size
        held = sum(part.stat().st_size for part in parts)
        most = MOST_TIMES * (read + TAG_BYTES * nodes) + PART_BYTES * len(parts)
        if held > most:
            self.fail(folder.name, name, f"{held} bytes in {len(parts)} parts")
        return read + held

    def check_growth(self, top, kind):
        costs = {}
        sizes = {}
        for size in SIZES:
            folder = top / f"{kind}_{size}"
            folder.mkdir()
            (folder / "in.onnx").write_bytes(hostile_models.PART_KINDS[kind](size))
            for name, command in COMMANDS.items():
                costs[name, size] = self.instructions(folder, command)
                sizes[name, size] = self.check_sizes(folder, name, size)
        for name in COMMANDS:
            before, after = (costs[name, size] for size in SIZES)
            larger = sizes[name, SIZES[1]] / sizes[name, SIZES[0]]
            if after > MOST_RATIO / 4 * max(larger, 4) * before:
                self.fail(f"{kind}, {name}: {before} and {after} instructions for {larger:.1f} times "
                          "as much")

    def check_refusal(self, top, name, kind, size, command, words):
        folder = top / name
        folder.mkdir()
        (folder / "in.onnx").write_bytes(hostile_models.PART_KINDS[kind](size))
        done = subprocess.run([self.tool, *command, *WRITE], cwd=folder, capture_output=True, text=True)
        if done.returncode != 2 or words not in done.stderr or done.stderr.count("\n") != 1:
            self.fail(name, "ends with", done.returncode, done.stderr)
        if [path.name for path in folder.iterdir()] != ["in.onnx"]:
            self.fail(name, "leaves files")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--no-figures", action="store_true")
    options = parser.parse_args()
    counts = not options.no_figures and shutil.which("valgrind") is not None
    checks = Checks(str(options.tool.resolve()), counts)
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        for kind in hostile_models.PART_KINDS:
            checks.check_growth(top, kind)
        checks.check_refusal(top, "too many", "layers_with_weights", 1200, COMMANDS["layers"],
                             "1200 parts, and 1000 are the most")
        checks.check_refusal(top, "too large", "calls_of_one_function", 950, COMMANDS["layers"],
                             "would hold more than 64 times what the model does")
    print(len(hostile_models.PART_KINDS), "kinds,", checks.failures, "failures")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
