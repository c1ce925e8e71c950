#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time by module of profiles that onnxruntime writes.

    profiles.py --tool ONNX-HIER --work FOLDER [PATH...]

Runs each *.onnx file (of the folders that are named; else of testdata) in
onnxruntime at all levels of optimisation, with profiling. Promised for each
profile:

- against the graph that onnxruntime saved, all of the time is placed; against
  the original, 97 % of it;
- the times of modules add up to those of the kernels, to the nanosecond, and
  these are the profile's own, where no kernel runs inside another one.

Told besides, by level: the share of the time that is in another module than with
the graph that onnxruntime saved and the original's modules (--original), where
every kernel is known by its name; and the models with the largest.

onnxruntime is installed as by same_parts.py; models that it does not load or
run are counted apart. Exit code: 0 all is well, 1 not, 77 where there is no npm
or no package to be had.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from harness import TESTDATA, Runner, models_in, runtime

LEVELS = ("disabled", "basic", "extended", "all")
RUNS = 3
LEAST = 0.97
KERNEL = "_kernel_time"
NESTING = {"If", "Loop", "Scan"}


def times(tool, model, profile, *flags):
    command = [tool, "profile", model, profile, "--format", "json", "--sum-runs", "--warm-up", "0"]
    command += flags
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def problems_of(tool, model, saved, profile):
    """What is wrong; the shares of the time that are placed against the original, and apart."""
    events = json.loads(profile.read_text("utf-8"))
    kernels = [e for e in events if e["cat"] == "Node" and e["name"].endswith(KERNEL)]
    whole = 1000 * sum(event["dur"] for event in kernels)
    nests = any(event["args"]["op_name"] in NESTING for event in kernels)
    found = {
        "saved": times(tool, saved, profile, "--original", model),
        "original": times(tool, model, profile),
    }
    problems, placed = [], {}
    for what, report in found.items():
        if report is None:
            return [f"{what}: no answer"], 0, 0
        total = report["profile"]["total"]
        own = sum(module["own"] for module in report["modules"])
        if own + report["profile"]["not_placed"] != total:
            problems.append(f"{what}: own times do not add up")
        if total != whole and not nests:
            problems.append(f"{what}: {total} ns, not {whole}")
        placed[what] = 1 - report["profile"]["not_placed"] / max(1, total)
    if placed["saved"] < 1:
        problems.append(f"{placed['saved']:.1%} placed against the saved graph")
    if placed["original"] < LEAST:
        problems.append(f"{placed['original']:.1%} placed against the original")
    pairs = zip(found["original"]["kernels"], found["saved"]["kernels"], strict=True)
    apart = sum(ours["time"] for ours, theirs in pairs if ours["module"] != theirs["module"])
    return problems, placed["original"], apart / max(1, whole)


def print_apart(shares):
    """`shares`: by level, of each model."""
    print("time in another module than by the saved graph:")
    for level, models in shares.items():
        models.sort(key=lambda model: model[0])
        found = [share for share, _ in models]
        tenth = found[int(0.9 * (len(found) - 1) + 0.5)]
        worst = ", ".join(f"{share:.1%} {name}" for share, name in models[:-4:-1])
        print(f"{level}: median {statistics.median(found):.2%}, p90 {tenth:.2%}, worst {worst}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("models", nargs="*", type=Path, metavar="PATH")
    options = parser.parse_args()
    runner = Runner("run_profiled.js", runtime(options.work))
    counts, least, aparts, wrong = Counter(), 1.0, defaultdict(list), 0
    for model in models_in(options.models or [TESTDATA]):
        for level in LEVELS:
            saved, prefix = options.work / "saved.onnx", options.work / "profile"
            for old in (*options.work.glob("profile_*.json"), *options.work.glob("saved.onnx*")):
                old.unlink()
            job = {"model": str(model.resolve()), "optimization": level, "runs": RUNS}
            answer = runner.ask(job | {"saved": str(saved), "prefix": str(prefix)})
            outcome = answer["outcome"] if answer else "crashed"
            counts[outcome] += 1
            if outcome != "ran":
                continue
            (profile,) = options.work.glob("profile_*.json")
            problems, placed, apart = problems_of(options.tool, model, saved, profile)
            least = min(least, placed)
            aparts[level].append((apart, model.name))
            for problem in problems:
                wrong += 1
                print(f"{model.name}, {level}: {problem}")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    print_apart(aparts)
    print(f"at least {least:.1%} of the time placed against the original; {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
