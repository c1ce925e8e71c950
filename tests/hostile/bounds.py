#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile models cost no more than honest ones: bounds.py --tool ONNX-HIER [--size N]

Every kind of hostile_models.py, with 4 N nodes, goes through all commands and
all forms of their reports; with N nodes through those that took long enough to
tell how they grow. Promised for each run:

- an answer, or exit code 2 with one line that names the file: no crash, no hang;
- memory: at most 64 MB, 2 KB a node, 4 KB a module and each list around one,
  1 KB an auxiliary tag and 4 times the file (of which these models are all names: weights take no
  memory), and 16 times the sidecar where one is read;
- outputs, each file and standard output: at most 64 KB, 3 KB a node, 3 KB a
  module, 1 KB an auxiliary tag and 8 times what is read; and 1,500 times what
  is read and 1 MB, whatever the counts are;
- time: at most 5 times as much for 4 times the size (linear would be 4, quadratic
  16), 8 times where it is short: CPU time, and the instructions where that seems
  too much in every one of several runs; and at most 60 times as much of both as
  for ORDINARY, of the same size (as `check` takes, where a command refuses that);
- a sidecar that is valid JSON with every node in it, reports on the terminal
  without control characters, and strip gives the file back byte for byte.

Times and memory are not judged with --no-figures (sanitizers change both).
Exit code: 0 all well, 1 not.
"""

import argparse
import dataclasses
import filecmp
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hostile_models

BASE_BYTES = 64 << 20
NODE_BYTES = 2 << 10
MODULE_BYTES = 4 << 10
AUXILIARY_BYTES = 1 << 10
FILE_FACTOR = 4
# Of what `fold` writes: the bodies of functions, as texts that are held against each other.
FOLDED_FACTOR = 4
# A JSON document in memory, its nodes as a tree.
SIDECAR_FACTOR = 16
OUTPUT_BASE_BYTES = 64 << 10
OUTPUT_NODE_BYTES = 3 << 10
OUTPUT_MODULE_BYTES = 3 << 10
OUTPUT_FACTOR = 8
MOST_TIMES = 1500
MOST_TIMES_BASE_BYTES = 1 << 20
GROWTH = 4
WRITE = ("--no-sync", "--force")
ALL = ("--coverage", "--contamination")
# Commands whose exit code says that something was found, or that there are no tags, or no nodes.
MAY_FIND = (
    "check", "lines", "check_json", "fresh", "fix", "tags", "explain", "explain_json", "apply",
    "select", "part", "probe", "fold", "unfold", "flat", "original", "diff",
)
# Those that read the sidecar as well.
WITH_SIDECAR = ("apply", "tags")
# What commands write besides standard output.
OUTPUTS = {
    "tag": ("out.onnx", "out_hierarchy.json"),
    "strip": ("back.onnx",),
    "names": ("named.onnx", "named_hierarchy.json"),
    "without_names": ("without_names.onnx",),
    "fix": ("fixed.onnx",),
    "apply": ("applied.onnx",),
    "original": ("from_original.onnx",),
    "part": ("part.onnx",),
    "probe": ("probe.onnx",),
    "fold": ("folded.onnx",),
    "unfold": ("unfolded.onnx",),
    "flat": ("flat.onnx",),
    "page": ("page.html",),
}
# Those that write what others read.
MAKERS = ("tag", "names", "fold")
# What so many times the size may take: of CPU time, and, where that seems too much, of instructions,
# which no cache and no other program on the machine can move. In times up to LONG page faults tell
# more than the work does.
MOST_RATIO = 5.0
MOST_SHORT_RATIO = 8.0
LONG = 0.175
# A kind in which nothing hurts, and how much longer than it another one may take.
ORDINARY = "layers_without_most_names"
MOST_COST = 60
# Shorter times say nothing.
SHORT = 0.025
# More runs of what seems too slow: a busy machine costs CPU time too, but not each time.
TRIES = 3
SECONDS = 600


def make(kind, size, path):
    content = hostile_models.KINDS[kind](size)
    path.write_bytes(content)
    return len(content)


@dataclasses.dataclass
class Counts:
    """What a sidecar lists."""

    nodes: int
    modules: int
    paths: int  # these, and the lists around them, which hold nothing else and are not listed
    auxiliary: int


def count(path):
    """The counts of a sidecar; None if its sums do not agree."""
    sidecar = json.loads(path.read_text("utf-8"))
    summary = sidecar["summary"]
    agree = summary["nodes"] == summary["tagged"] == len(sidecar["nodes"])
    auxiliary = sum(len(node["auxiliary"]) for node in sidecar["nodes"])
    paths = {()}
    for module in sidecar["modules"]:
        names = tuple(module["path"].replace("/", ".").split(".")[1:])
        paths.update(names[:depth] for depth in range(1, len(names) + 1))
    modules = len(sidecar["modules"])
    return Counts(summary["nodes"], modules, len(paths), auxiliary) if agree else None


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
        self.ordinary_names = {}  # what each command is compared with, of that kind
        self.ordinary = {}  # and its CPU time
        self.refused = set()  # commands that refused the last model
        self.times = 0  # the largest output, as a multiple of its input
        # The memory of a program counts from its parent's on: this process stays small.
        self.helper = multiprocessing.get_context("spawn").Pool(1)

    def commands(self):
        return {
            "tag": ["tag", "-q", "in.onnx", "-o", "out.onnx", *WRITE],
            "check": ["check", "out.onnx", *ALL],
            "tree": ["tree", "in.onnx"],
            "strip": ["strip", "-q", "out.onnx", "-o", "back.onnx", *WRITE],
            "names": ["tag", "-q", "in.onnx", "--name-nodes", "-o", "named.onnx", *WRITE],
            "without_names": ["strip", "-q", "named.onnx", "-o", "without_names.onnx", *WRITE],
            "classes": ["tree", "in.onnx", "--classes"],
            "tree_json": ["tree", "in.onnx", "--json"],
            "explain": ["explain", "in.onnx", "0", "1"],
            "explain_json": ["explain", "in.onnx", "0", "1", "--json"],
            "lines": ["check", "in.onnx", *ALL, "--lines"],
            "check_json": ["check", "in.onnx", *ALL, "--json"],
            "fresh": ["check", "in.onnx", "--fresh", "--json"],
            "fix": ["check", "in.onnx", "--fix", "-o", "fixed.onnx", *WRITE, "--json"],
            "apply": ["apply", "-q", "out_hierarchy.json", "in.onnx", "-o", "applied.onnx", *WRITE],
            # A tagged model and the one that it was made from.
            "original": ["apply", "-q", "in.onnx", "out.onnx", "-o", "from_original.onnx", *WRITE],
            "diff": ["diff", "in.onnx", "out.onnx", "--json"],
            "select": ["select", "in.onnx", "**", "--format", "json", "--values", "all"],
            # All modules that are in no others, with what lies between; a probe needs no types.
            "part": ["extract", "in.onnx", "*", "-o", "part.onnx", *WRITE, "--json"],
            "probe": ["extract", "in.onnx", "*", "--probe", "probe.onnx", *WRITE, "--json"],
            # Every module, however small. What could not be folded has nothing to be unfolded.
            "fold": ["fold", "in.onnx", "-o", "folded.onnx", "--min-nodes", "1", *WRITE, "--json"],
            "unfold": ["unfold", "-q", "folded.onnx", "-o", "unfolded.onnx", *WRITE],
            "flat": ["unfold", "-q", "in.onnx", "--all", "-o", "flat.onnx", *WRITE],
            "values": ["tag", "-q", "in.onnx", "--metadata", "--values", "-o", "all.onnx", *WRITE],
            "export": ["export", "in.onnx", "-o", "graphs.json", *WRITE],
            "dot": ["export", "in.onnx", "--format", "dot", "-o", "modules.dot", *WRITE],
            "cost": ["cost", "in.onnx", "--symbolic", "--json"],
            "page": ["report", "-q", "in.onnx", "-o", "page.html", *WRITE],
            "tags": ["check", "in.onnx", *ALL, "--tags", "out_hierarchy.json", "--json"],
        }

    def measure(self, kind, size, names):
        """CPU times of these commands; None where the model is refused."""
        folder = self.folder_of(kind, size)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.helper.apply(make, (kind, size, folder / "in.onnx"))
        times = {}
        self.refused = set()
        for name, arguments in self.commands().items():
            if name not in names:
                continue
            run = Run([self.tool, *arguments], folder)
            place = f"{kind} {size}: {name}"
            if name == "tag" and run.code == 2:
                if run.err.count(b"\n") != 1 or b"in.onnx" not in run.err:
                    self.problems.append(f"{place}: no one-line error: {run.err[:300]!r}")
                return None
            may_end = (0, 1, 2) if name in MAY_FIND or kind in hostile_models.FOLDS else (0,)
            if run.code not in may_end or run.code == 2 and run.err.count(b"\n") != 1:
                self.problems.append(f"{place}: exit {run.code}: {run.err[:300]!r}")
                return None
            if not self.helper.apply(is_printable, (run.out,)):
                self.problems.append(f"{place}: control characters on the terminal")
            times[name] = run.cpu
            if run.code == 2:
                self.refused.add(name)
            if name == "tag":
                counts = self.helper.apply(count, (folder / "out_hierarchy.json",))
                if counts is None:
                    self.problems.append(f"{place}: the sidecar's sums do not agree")
                    return None
            self.judge(place, kind, name, run, counts, folder)
        backs = {"strip": "back.onnx", "without_names": "without_names.onnx"}
        if "fold" not in self.refused:
            backs["unfold"] = "unfolded.onnx"
        for back in (back for name, back in backs.items() if name in names):
            path = folder / back
            if not path.exists() or not filecmp.cmp(folder / "in.onnx", path, shallow=False):
                self.problems.append(f"{kind} {size}: {back} is not the file as it was")
        return times

    def folder_of(self, kind, size):
        """Where the files of that size are, until the next kind's; those of ORDINARY stay."""
        return self.folder / f"{'ordinary' if kind == ORDINARY else 'hostile'}_{size}"

    def measure_again(self, kind, size, times, names):
        """The least of these CPU times and of those of another run of some commands."""
        commands = self.commands()
        folder = self.folder_of(kind, size)
        runs = {name: Run([self.tool, *commands[name]], folder) for name in names}
        return {name: min(cpu, runs[name].cpu) if name in runs else cpu
                for name, cpu in times.items()}

    def judge(self, place, kind, name, run, counts, folder):
        length = (folder / "in.onnx").stat().st_size
        sidecar = (folder / "out_hierarchy.json").stat().st_size
        # What `check` reads was tagged.
        read = (folder / "out.onnx").stat().st_size if name in ("check", "strip") else length
        read += sidecar if name in WITH_SIDECAR else 0
        bound = BASE_BYTES + NODE_BYTES * counts.nodes + MODULE_BYTES * counts.paths
        bound += AUXILIARY_BYTES * counts.auxiliary + FILE_FACTOR * read
        bound += SIDECAR_FACTOR * sidecar if name in WITH_SIDECAR else 0
        if name == "fold" and (folder / "folded.onnx").exists():
            bound += FOLDED_FACTOR * (folder / "folded.onnx").stat().st_size
        worst = self.worst.setdefault(kind, {})
        worst[name] = max(worst.get(name, 0), run.memory)
        if self.options.figures and run.memory > bound:
            self.problems.append(
                f"{place}: {run.memory >> 20} MB, allowed are {bound >> 20} MB"
            )
        most = OUTPUT_BASE_BYTES + OUTPUT_NODE_BYTES * counts.nodes
        most += OUTPUT_MODULE_BYTES * counts.modules + AUXILIARY_BYTES * counts.auxiliary
        most = min(most + OUTPUT_FACTOR * read, MOST_TIMES * read + MOST_TIMES_BASE_BYTES)
        for path in (run.out, *(folder / output for output in OUTPUTS.get(name, ()))):
            written = path.stat().st_size if path.exists() else 0
            self.times = max(self.times, written / length if written > 1 << 20 else 0)
            if written > most:
                self.problems.append(f"{place}: {path.name} has {written:,} bytes, not {most:,}")

    def compare(self, kind):
        size = self.options.size
        second = self.measure(kind, GROWTH * size, self.commands())
        if second is None:
            print(f"{kind:32}{GROWTH * size:9}  refused")
            return
        refused = self.refused
        # A time that says nothing needs no other one to be compared with.
        long = {name for name, cpu in second.items() if cpu > SHORT}
        first = self.measure(kind, size, {*MAKERS, *long}) if long else {}
        if first is None:
            return
        first = {name: first.get(name, cpu) for name, cpu in second.items()}
        for _ in range(TRIES if self.options.figures else 0):
            slow = self.too_slow(first, second)
            if not slow:
                break
            first = self.measure_again(kind, size, first, slow)
            second = self.measure_again(kind, GROWTH * size, second, slow)
        if kind == ORDINARY:
            self.ordinary_names = {n: "check" if n in refused else n for n in second}
            self.ordinary = {n: second[other] for n, other in self.ordinary_names.items()}
        figures = "  ".join(
            f"{name} {second[name]:6.2f} s x{second[name] / max(first[name], 1e-3):4.1f} "
            f"{self.worst[kind][name] >> 20:4} MB"
            for name in second
        )
        print(f"{kind:32}{GROWTH * size:9}  {figures}", flush=True)
        for name in self.too_slow(first, second) if self.options.figures else ():
            place = f"{kind}: {name}: {first[name]:.2f} s for {size}, {second[name]:.2f} s for "
            place += f"{GROWTH} times as much"
            few, many = (self.instructions(kind, n, name) for n in (size, GROWTH * size))
            usual = self.instructions(ORDINARY, GROWTH * size, self.ordinary_names[name])
            place += f"; {few:,} and {many:,} instructions, of an ordinary model {usual:,}"
            if few and many and many <= MOST_RATIO * few and many <= MOST_COST * usual:
                print(place)
            else:
                self.problems.append(place)

    def instructions(self, kind, size, name):
        """How many a command takes, in all its threads; 0 if it does not end in SECONDS."""
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                   "--log-file=counted", self.tool, *self.commands()[name]]
        folder = self.folder_of(kind, size)
        Run(command, folder)
        log = (folder / "counted").read_text("utf-8", "replace")
        found = re.search(r"Collected : (\d+)", log)
        return int(found[1]) if found else 0

    @staticmethod
    def grew_too_much(first, second):
        """Whether a time grew by more than it may."""
        return any(
            second > least and second > ratio * max(first, least / GROWTH)
            for least, ratio in ((SHORT, MOST_SHORT_RATIO), (LONG, MOST_RATIO))
        )

    def costs_too_much(self, name, cpu):
        """Whether it takes far longer than an ordinary model does."""
        return cpu > MOST_COST * max(self.ordinary.get(name, 0), SHORT / GROWTH)

    def too_slow(self, first, second):
        """The commands that took longer than they may."""
        return [
            name
            for name in first
            if second[name] > SHORT
            and (self.grew_too_much(first[name], second[name])
                 or self.costs_too_much(name, second[name]))
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--no-figures", dest="figures", action="store_false")
    parser.add_argument("kinds", nargs="*", default=list(hostile_models.KINDS), metavar="KIND")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-hostile-") as folder:
        bounds = Bounds(options, Path(folder))
        for kind in [ORDINARY, *(kind for kind in options.kinds if kind != ORDINARY)]:
            bounds.compare(kind)
    for problem in bounds.problems:
        print(problem)
    print(
        f"{len(options.kinds)} kinds, the largest output {bounds.times:.0f} times its input, "
        f"{len(bounds.problems)} problems"
    )
    return 1 if bounds.problems else 0


if __name__ == "__main__":
    sys.exit(main())
