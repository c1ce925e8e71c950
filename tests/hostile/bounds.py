#!/usr/bin/env python3
"""Hostile models cost no more than honest ones: bounds.py --tool ONNX-HIER [--size N]

Every kind of hostile_models.py, with N nodes and with 4 N, goes through tag,
check, tree and strip. Promised for each run:

- an answer, or exit code 2 with one line that names the file: no crash, no hang;
- memory: at most 64 MB, 1 KB a node, 3 KB a module and 4 times the file (of
  which these models are all names: weights take no memory);
- CPU time: at most 8 times as much for 4 times the size (linear would be 4,
  quadratic 16);
- a sidecar that is valid JSON with every node in it, reports on the terminal
  without control characters, and strip gives the file back byte for byte.

Times and memory are not judged with --no-figures (sanitizers change both).
Exit code: 0 all well, 1 not.
"""

import argparse
import filecmp
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hostile_models

BASE_BYTES = 64 << 20
NODE_BYTES = 1 << 10
MODULE_BYTES = 3 << 10
FILE_FACTOR = 4
GROWTH = 4
# What so many times the size may take of CPU time, caches that overflow and noise included.
MOST_RATIO = 8.0
# Shorter times say nothing.
SHORT = 0.1
SECONDS = 600


def make(kind, size, path):
    content = hostile_models.KINDS[kind](size)
    path.write_bytes(content)
    return len(content)


def count(path):
    """How many nodes and modules a sidecar lists; None if its sums do not agree."""
    sidecar = json.loads(path.read_text("utf-8"))
    summary = sidecar["summary"]
    agree = summary["nodes"] == summary["tagged"] == len(sidecar["nodes"])
    return (summary["nodes"], len(sidecar["modules"])) if agree else None


def is_printable(path):
    """Whether a text may go to a terminal."""
    with open(path, "rb") as stream:
        text = stream.read()
    return not any(bytes([byte]) in text for byte in [*range(10), *range(11, 32), 127])


class Run:
    """One command, with what it cost."""

    def __init__(self, command, folder):
        self.out = folder / "printed"
        with open(self.out, "wb") as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err)
            end = time.monotonic() + SECONDS
            pid = 0
            while pid == 0:
                time.sleep(0.001)
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid == 0 and time.monotonic() > end:
                    process.kill()
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
            self.cpu = usage.ru_utime + usage.ru_stime
            self.memory = usage.ru_maxrss * 1024
            err.seek(0)
            self.err = err.read(2000)


class Bounds:
    def __init__(self, options, folder):
        self.options = options
        self.tool = options.tool.resolve()
        self.folder = folder
        self.problems = []
        self.worst = {}
        # The memory of a program counts from its parent's on: this process stays small.
        self.helper = multiprocessing.get_context("spawn").Pool(1)

    def commands(self):
        return {
            "tag": ["tag", "-q", "in.onnx", "-o", "out.onnx", "--no-sync", "--force"],
            "check": ["check", "out.onnx", "--coverage", "--contamination"],
            "tree": ["tree", "in.onnx"],
            "strip": ["strip", "-q", "out.onnx", "-o", "back.onnx", "--no-sync", "--force"],
        }

    def measure(self, kind, size):
        """CPU times by command; None where the model is refused."""
        length = self.helper.apply(make, (kind, size, self.folder / "in.onnx"))
        times = {}
        for name, arguments in self.commands().items():
            run = Run([self.tool, *arguments], self.folder)
            place = f"{kind} {size}: {name}"
            if name == "tag" and run.code == 2:
                if run.err.count(b"\n") != 1 or b"in.onnx" not in run.err:
                    self.problems.append(f"{place}: no one-line error: {run.err[:300]!r}")
                return None
            if run.code not in ((0, 1) if name == "check" else (0,)):
                self.problems.append(f"{place}: exit {run.code}: {run.err[:300]!r}")
                return None
            if not self.helper.apply(is_printable, (run.out,)):
                self.problems.append(f"{place}: control characters on the terminal")
            times[name] = run.cpu
            if name == "tag":
                counts = self.helper.apply(count, (self.folder / "out_hierarchy.json",))
                if counts is None:
                    self.problems.append(f"{place}: the sidecar's sums do not agree")
                    return None
            self.judge_memory(place, kind, name, run.memory, *counts, length)
        if not filecmp.cmp(self.folder / "in.onnx", self.folder / "back.onnx", shallow=False):
            self.problems.append(f"{kind} {size}: strip does not give the file back")
        return times

    def judge_memory(self, place, kind, name, memory, nodes, modules, size):
        bound = BASE_BYTES + NODE_BYTES * nodes + MODULE_BYTES * modules + FILE_FACTOR * size
        self.worst.setdefault(kind, {})[name] = memory
        if self.options.figures and memory > bound:
            self.problems.append(f"{place}: {memory >> 20} MB, allowed are {bound >> 20} MB")

    def compare(self, kind):
        size = self.options.size
        first = self.measure(kind, size)
        second = self.measure(kind, GROWTH * size)
        if first is None or second is None:
            print(f"{kind:32}{size:9}  refused")
            return
        if self.options.figures and self.slower(first, second):
            # Once more: a busy machine costs CPU time too.
            first = self.least(first, self.measure(kind, size))
            second = self.least(second, self.measure(kind, GROWTH * size))
        figures = "  ".join(
            f"{name} {second[name]:6.2f} s x{second[name] / max(first[name], 1e-3):4.1f} "
            f"{self.worst[kind][name] >> 20:4} MB"
            for name in second
        )
        print(f"{kind:32}{GROWTH * size:9}  {figures}", flush=True)
        for name in self.slower(first, second) if self.options.figures else ():
            self.problems.append(
                f"{kind}: {name}: {first[name]:.2f} s for {size}, {second[name]:.2f} s for "
                f"{GROWTH} times as much"
            )

    @staticmethod
    def least(a, b):
        return {name: min(a[name], b[name]) for name in a}

    @staticmethod
    def slower(first, second):
        return [
            name
            for name in first
            if second[name] > SHORT and second[name] > MOST_RATIO * max(first[name], SHORT / GROWTH)
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--size", type=int, default=2500)
    parser.add_argument("--no-figures", dest="figures", action="store_false")
    parser.add_argument("kinds", nargs="*", default=list(hostile_models.KINDS), metavar="KIND")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-hostile-") as folder:
        bounds = Bounds(options, Path(folder))
        for kind in options.kinds:
            bounds.compare(kind)
    for problem in bounds.problems:
        print(problem)
    print(f"{len(options.kinds)} kinds, {len(bounds.problems)} problems")
    return 1 if bounds.problems else 0


if __name__ == "__main__":
    sys.exit(main())
