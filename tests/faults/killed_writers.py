#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the tool with SIGKILL at random moments: no model is ever damaged.

    killed_writers.py --tool ONNX-HIER [--rounds N] [--megabytes N] [--seed N]

Rounds of `tag -o`, `tag -o --force` over an old output, `tag --in-place`,
`strip --in-place` and `check --fix --in-place` on a model with one large weight. After each kill the input
is whole and every output is absent, as before, or complete; after the next
run that is left alone, no hidden file is there any more.
Exit code: 0 all well, 1 not.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import digest, model_bytes

# The path of one node's module, and what stands there in a model with a wrong tag.
WRONG_FROM = b'"hierarchy_path":"/encoder/layer.120/act"'
WRONG_TO = b'"hierarchy_path":"/encoder/layer.121/act"'
# A part of the time a run needs: the later ones of these meet the commit.
LATEST = 1.2


class Rounds:
    """Runs a command again and again, each time killed at another moment."""

    def __init__(self, tool, folder, chance):
        self.tool = tool
        self.folder = folder
        self.chance = chance
        self.killed = self.litter = 0
        self.problems = []

    def _start(self, arguments):
        # Without waiting for the disk: a kill loses nothing that was written.
        command = [self.tool, *arguments, "-q", "--no-sync"]
        return subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE)

    def complete(self, arguments):
        start = time.monotonic()
        with self._start(arguments) as run:
            errors = run.communicate()[1]
        if run.returncode != 0:
            raise RuntimeError(f"{arguments}: exit {run.returncode}: {errors.decode()}")
        return time.monotonic() - start

    def kill(self, arguments, usual, allowed, prepare):
        """One round. `allowed` are the digests that each file may have afterwards."""
        prepare()
        with self._start(arguments) as run:
            time.sleep(self.chance.random() * usual * LATEST)
            run.kill()
            run.communicate()
        self.killed += run.returncode < 0
        for name, digests in allowed.items():
            if digest(self.folder / name) not in digests:
                self.problems.append(f"{' '.join(arguments)}: {name} is damaged")
        hidden = list(self.folder.glob(".*"))
        self.litter += len(hidden)
        if hidden:
            prepare()
            self.complete(arguments)
            left = [path.name for path in self.folder.glob(".*")]
            if left:
                self.problems.append(f"{' '.join(arguments)}: {left} stay behind")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-faults-") as name:
        folder = Path(name)
        rounds = Rounds(options.tool.resolve(), folder, random.Random(options.seed))
        plain, tagged, sidecar = (folder / n for n in ("in.onnx", "tagged", "tagged.json"))
        plain.write_bytes(model_bytes(options.megabytes << 20))
        first = ["tag", plain.name, "-o", "tagged", "--sidecar", sidecar.name, "--force"]
        # The fastest of a few: on a busy machine most kills would come too late otherwise.
        usual = min(rounds.complete(first) for _ in range(4))
        original, with_tags, with_tree = digest(plain), digest(tagged), digest(sidecar)

        def place(source=None):
            """The output as it is before the run: absent, or a link to one of the models."""
            for path in (folder / "out", folder / "out.json"):
                path.unlink(missing_ok=True)
            if source:
                # The tool replaces the name; what it was linked to stays.
                (folder / "out").hardlink_to(source)

        copy = folder / "copy"
        copy.write_bytes(plain.read_bytes())
        fresh = ["tag", "in.onnx", "-o", "out", "--sidecar", "out.json"]
        # A sidecar may be there without its model: the two names are given one after the other.
        outputs = {"in.onnx": [original], "out": [None, with_tags], "out.json": [None, with_tree]}
        over = {"in.onnx": [original], "out": [original, with_tags], "out.json": [None, with_tree]}
        into = {"in.onnx": [original], "out": [original, with_tags]}
        in_place = ["tag", "out", "--in-place", "--no-sidecar"]
        # A tag of the right length that names another layer.
        wrong, fixed = folder / "wrong", folder / "fixed"
        wrong.write_bytes(tagged.read_bytes().replace(WRONG_FROM, WRONG_TO))
        rounds.complete(["check", "wrong", "--fix", "-o", "fixed"])
        if digest(wrong) == digest(fixed):
            raise RuntimeError("check --fix found no wrong tag")
        mended = {"in.onnx": [original], "out": [digest(wrong), digest(fixed)]}
        kinds = [
            (fresh, outputs, place),
            # Over a link to its input the tool refuses: here the old output is a copy.
            ([*fresh, "--force"], over, lambda: place(copy)),
            (in_place, into, lambda: place(plain)),
            (["strip", "out", "--in-place"], into, lambda: place(tagged)),
            (["check", "out", "--fix", "--in-place"], mended, lambda: place(wrong)),
        ]
        for number in range(options.rounds):
            arguments, allowed, prepare = kinds[number % len(kinds)]
            rounds.kill(arguments, usual, allowed, prepare)
        for path, right in ((plain, original), (tagged, with_tags), (copy, original)):
            if digest(path) != right:
                rounds.problems.append(f"{path.name} is damaged")
    print(f"{options.rounds} rounds, {rounds.killed} killed while at work, "
          f"{rounds.litter} hidden files left and removed by the next run")
    for problem in rounds.problems:
        print(problem)
    return 1 if rounds.problems else 0


if __name__ == "__main__":
    sys.exit(main())
