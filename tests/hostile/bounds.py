#!/usr/bin/env python3
"""Hostile models cost no more than honest ones: bounds.py --tool ONNX-HIER [--size N]

Every kind of hostile_models.py, with N nodes and with 4 N, goes through all
commands. Promised for each run:

- an answer, or exit code 2 with one line that names the file: no crash, no hang;
- memory: at most 64 MB, 1 KB a node, 3 KB a module and 4 times the files that
  are read (these models are all names: weights take no memory);
- CPU time: at most 5 times as much for 4 times the size (linear would be 4,
  quadratic 16), the least of several runs where one takes longer; and at most
  60 times as much as for ORDINARY, of the same size;
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
# What so many times the size may take of CPU time, caches that overflow included.
MOST_RATIO = 5.0
# A kind in which nothing hurts, and how much longer than it another one may take.
ORDINARY = "layers_without_most_names"
MOST_COST = 60
# Shorter times say nothing.
SHORT = 0.15
# A growth that is no accident.
HOPELESS = 10
# Runs of what seems too slow otherwise: a busy machine costs CPU time too, but not each time.
TRIES = 4
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
        self.ordinary = {}  # CPU times of that kind
        # The memory of a program counts from its parent's on: this process stays small.
        self.helper = multiprocessing.get_context("spawn").Pool(1)

    def commands(self):
        quiet = ["-q", "--no-sync", "--force", "-o"]
        return {
            "tag": ["tag", "in.onnx", *quiet, "out.onnx"],
            "check": ["check", "out.onnx", "--coverage", "--contamination"],
            "tree": ["tree", "in.onnx"],
            "strip": ["strip", "out.onnx", *quiet, "back.onnx"],
            # Of the model as it came: with tags of its own, if any.
            "given": ["check", "in.onnx", "--coverage", "--contamination"],
            "fresh": ["check", "in.onnx", "--fresh", "--json"],
            "fix": ["check", "in.onnx", "--fix", *quiet, "fixed.onnx"],
            "json": ["tree", "in.onnx", "--json"],
            "explain": ["explain", "in.onnx", "0"],
            "apply": ["apply", "out_hierarchy.json", "in.onnx", *quiet, "applied.onnx"],
        }

    # What a command may answer: checks find something or nothing, or have no tags to check.
    @staticmethod
    def is_answer(name, run):
        if name in ("given", "fix") and run.code == 2:
            return run.err.count(b"\n") == 1 and b"in.onnx: " in run.err
        return run.code in ((0, 1) if name in ("check", "given", "fresh", "fix") else (0,))

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
            if not self.is_answer(name, run):
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
            read = length
            if name == "apply":
                read += (self.folder / "out_hierarchy.json").stat().st_size
            self.judge_memory(place, kind, name, run.memory, *counts, read)
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
        for _ in range(TRIES if self.options.figures else 0):
            slow = self.too_slow(first, second)
            if not slow or any(second[name] > HOPELESS * first[name] for name in slow):
                break
            first = self.least(first, self.measure(kind, size))
            second = self.least(second, self.measure(kind, GROWTH * size))
        if kind == ORDINARY:
            self.ordinary = second
        figures = "  ".join(
            f"{name} {second[name]:6.2f} s x{second[name] / max(first[name], 1e-3):4.1f} "
            f"{self.worst[kind][name] >> 20:4} MB"
            for name in second
        )
        print(f"{kind:32}{GROWTH * size:9}  {figures}", flush=True)
        for name in self.too_slow(first, second) if self.options.figures else ():
            self.problems.append(
                f"{kind}: {name}: {first[name]:.2f} s for {size}, {second[name]:.2f} s for "
                f"{GROWTH} times as much; an ordinary model: {self.ordinary.get(name, 0):.2f} s"
            )

    @staticmethod
    def least(a, b):
        return {name: min(a[name], b[name]) for name in a}

    def too_slow(self, first, second):
        """The commands that took longer than they may."""
        return [
            name
            for name in first
            if second[name] > SHORT
            and (
                second[name] > MOST_RATIO * max(first[name], SHORT / GROWTH)
                or second[name] > MOST_COST * max(self.ordinary.get(name, 0), SHORT / GROWTH)
            )
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--no-figures", dest="figures", action="store_false")
    parser.add_argument("kinds", nargs="*", default=list(hostile_models.KINDS), metavar="KIND")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-hostile-") as folder:
        bounds = Bounds(options, Path(folder))
        for kind in [ORDINARY, *(kind for kind in options.kinds if kind != ORDINARY)]:
            bounds.compare(kind)
    for problem in bounds.problems:
        print(problem)
    print(f"{len(options.kinds)} kinds, {len(bounds.problems)} problems")
    return 1 if bounds.problems else 0


if __name__ == "__main__":
    sys.exit(main())
