#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets in turn and prints what came of it: fuzz.py --minutes M

    cmake --preset fuzz && cmake --build --preset fuzz
    tests/fuzz/fuzz.py --minutes 30 [--build build/fuzz] [TARGET...]

Each target has an equal share of the time. What it learns stays in
BUILD/fuzz-corpus/TARGET for the next run; inputs that break something go to
BUILD/fuzz-findings/TARGET. Exit code: 0 nothing found, 1 something.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
# Dictionary and longest input. Longer ones cost more time than they teach, but the reader of
# files has to meet some that it does not read at one go.
TARGETS = {
    "scan": ("onnx", 150_000),
    "round_trip": ("onnx", 12_000),
    "fold": ("onnx", 12_000),
    "cost": ("onnx", 12_000),
    "match": ("onnx", 12_000),
    "names": ("names", 2_000),
    "payload": ("json", 3_000),
    "json": ("json", 4_000),
    "profile": ("profile", 4_000),
    "commands": ("onnx", 12_000),
}
# One that breaks at once, again and again, leaves time to the others.
MOST_FINDINGS = 10


def seeds_of(target):
    """(name, file) of each seed."""
    files = list((HERE / "seeds" / target).glob("*"))
    if TARGETS[target][0] == "onnx":
        files += TESTDATA.glob("*.onnx")
    elif target == "json":
        files += TESTDATA.glob("*.modules.json")
    files += (path for path in (HERE / "reproducers" / target).glob("*") if path.is_file())
    longest = min(TARGETS[target][1], 60_000)
    return [path for path in files if path.stat().st_size <= longest]


class Fuzzing:
    """One target's share of the time."""

    def __init__(self, build, target):
        self.target = target
        self.program = build / "tests" / "fuzz" / f"fuzz_{target}"
        self.corpus = build / "fuzz-corpus" / target
        self.findings = build / "fuzz-findings" / target
        self.runs = self.coverage = self.features = 0
        for folder in (self.corpus, self.findings):
            folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds_of(target):
            shutil.copy(seed, self.corpus)

    def run(self, seconds):
        end = time.monotonic() + seconds
        before = set(self.findings.iterdir())
        while end - time.monotonic() > 1 and len(self.found(before)) < MOST_FINDINGS:
            self._once(int(end - time.monotonic()))
        return self.found(before)

    def found(self, before):
        return sorted(set(self.findings.iterdir()) - before)

    def _once(self, seconds):
        dictionary, longest = TARGETS[self.target]
        words = self.corpus.parent / f"{dictionary}.dict"
        # Names stand in models too.
        parts = ["onnx", "names"] if dictionary == "onnx" else [dictionary]
        words.write_text("".join((HERE / f"{part}.dict").read_text() for part in parts))
        run = subprocess.run(
            [
                self.program,
                f"-max_total_time={seconds}",
                f"-max_len={longest}",
                f"-dict={words}",
                f"-artifact_prefix={self.findings}/",
                "-timeout=60",
                # A busy machine is no finding.
                "-report_slow_units=60",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                self.corpus,
            ],
            capture_output=True,
            text=True,
            errors="replace",
        )
        log = run.stderr
        (self.findings.parent / f"{self.target}.log").write_text(log)
        self.runs += sum(int(n) for n in re.findall(r"number_of_executed_units:\s*(\d+)", log))
        covered = re.findall(r"cov: (\d+) ft: (\d+)", log)
        if covered:
            self.coverage = max(self.coverage, int(covered[-1][0]))
            self.features = max(self.features, int(covered[-1][1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--minutes", type=float, required=True, help="for all targets together")
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build" / "fuzz")
    options = parser.parse_args()
    targets = options.targets or list(TARGETS)
    found = 0
    print(f"{'target':12}{'runs':>12}{'edges':>8}{'features':>10}{'corpus':>8}{'findings':>10}")
    for target in targets:
        fuzzing = Fuzzing(options.build.resolve(), target)
        findings = fuzzing.run(options.minutes * 60 / len(targets))
        found += len(findings)
        corpus = sum(1 for _ in fuzzing.corpus.iterdir())
        print(
            f"{target:12}{fuzzing.runs:12}{fuzzing.coverage:8}{fuzzing.features:10}{corpus:8}"
            f"{len(findings):10}",
            flush=True,
        )
        for path in findings:
            print(f"  {path}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
