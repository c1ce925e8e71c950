#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What 'profile' writes, held to the rules of those who read it: formats.py --tool TOOL --testdata DIR

The times of a real profile, added up here once more; folded stacks as flamegraph.pl parses them;
speedscope's files by the parts of its schema that are used; trace events whose spans nest; a long
profile, read in little memory.
"""

import argparse
import csv
import io
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

MEMORY = 64 << 20
LONG_RUNS = 400  # of a profile that is larger than the memory that the program may use

PROBLEMS = []


def check(holds, what):
    if not holds:
        PROBLEMS.append(what)


def kernels_by_run(profile):
    """For each run of an onnxruntime profile, the nanoseconds of each kernel."""
    runs, now = [], defaultdict(int)
    for event in json.loads(profile.read_text("utf-8")):
        if event["cat"] == "Node" and event["name"].endswith("_kernel_time"):
            now[event["name"], event["args"]["node_index"]] += event["dur"] * 1000
        elif event["name"] == "model_run":
            runs.append(now)
            now = defaultdict(int)
    return runs


def check_sums(run, profile):
    """The table's figures, worked out here from the profile."""
    counted = kernels_by_run(profile)[1:]
    names = {key for run in counted for key in run}
    medians = sum(int(statistics.median(run[key] for run in counted)) for key in names)
    found = json.loads(run("--format", "json"))
    check(found["profile"]["total"] == medians, "the total is that of the kernels' medians")
    for arguments, runs in (((), counted), (("--warm-up", "0"), kernels_by_run(profile))):
        whole = sum(sum(run.values()) for run in runs)
        found = json.loads(run("--format", "json", "--sum-runs", *arguments))
        own = sum(module["own"] for module in found["modules"])
        check(found["profile"]["total"] == whole, f"the total is that of all kernels: {whole}")
        check(own + found["profile"]["not_placed"] == whole, "own times add up to it")
        check(sum(kernel["time"] for kernel in found["kernels"]) == whole, "so do kernels")
        root = found["modules"][0]
        check(root["total"] + found["profile"]["not_placed"] == whole, "and the root")
        operators = sum(o["own"] for m in found["modules"] for o in m["operators"])
        check(operators == own, "and operators")


def check_csv(run):
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv"))))
    found = json.loads(run("--format", "json"))
    check(sum(int(row["own_ns"]) for row in rows) == found["profile"]["total"], "csv adds up")
    check([r["module"] for r in rows] == [m["path"] for m in found["modules"]], "csv's modules")


def check_folded(run, total):
    """As flamegraph.pl reads a line: all up to the last space is the stack."""
    line_of = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
    whole = 0
    for line in run("--format", "folded").splitlines():
        match = line_of.match(line)
        check(match, f"a folded line: {line}")
        frames = match[1].split(";")
        check(all(frames) and frames[0] in ("/", "(not placed)"), f"frames: {line}")
        whole += int(match[2])
    check(whole == total, "folded stacks add up")


def check_speedscope(run, total):
    """speedscope's src/lib/file-format-spec.ts: a file with one sampled profile."""
    file = json.loads(run("--format", "speedscope"))
    check(
        file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "speedscope: schema"
    )
    frames = file["shared"]["frames"]
    check(all(isinstance(frame["name"], str) and frame["name"] for frame in frames), "frame names")
    (profile,) = file["profiles"]
    check(profile["type"] == "sampled" and profile["unit"] == "nanoseconds", "speedscope: kind")
    check(len(profile["samples"]) == len(profile["weights"]), "a weight for each sample")
    check(
        all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample),
        "samples are of frames",
    )
    check(sum(profile["weights"]) == profile["endValue"] - profile["startValue"], "weights add up")
    check(sum(profile["weights"]) == total, "to the total")


def check_trace(run):
    events = json.loads(run("--format", "trace"))["traceEvents"]
    tracks = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin, duration = (round(event[key] * 1000) for key in ("ts", "dur"))
            tracks[event["pid"], event["tid"], event["cat"]].append((begin, -duration))
        else:
            check(event["ph"] == "M" and event["args"]["name"], "only spans and names")
    kinds = sorted(kind for _, _, kind in tracks)
    check(kinds == ["kernel", "module"], f"two tracks: {kinds}")
    for spans in tracks.values():
        open_until = []
        for begin, negative in sorted(spans):
            end = begin - negative
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            check(not open_until or end <= open_until[-1], "spans nest")
            open_until.append(end)


def check_memory(tool, model, profile, folder):
    """The runs of a profile over and over, in less memory than the file takes."""
    lines = profile.read_text("utf-8").splitlines()[2:-1]
    path = Path(folder) / "long.json"
    with path.open("w") as out:
        out.write("[\n")
        for run in range(LONG_RUNS):
            out.write("\n".join(line.rstrip(",") + "," for line in lines))
            out.write("\n")
        out.write("{}]\n")
    check(path.stat().st_size > MEMORY // 4, "the profile is long")
    process = subprocess.run([tool, "profile", model, path], capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    check(process.returncode == 0, f"a long profile: {process.stderr}")
    check(used < MEMORY, f"{used >> 20} MiB for a long profile")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--testdata", type=Path, required=True)
    parser.add_argument(
        "--no-memory", action="store_true", help="do not judge memory: sanitizers keep shadows of it"
    )
    options = parser.parse_args()
    model, profile = (options.testdata / f"bert_tiny.{kind}" for kind in ("onnx", "profile.json"))

    def run(*arguments):
        command = [options.tool, "profile", model, profile, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    total = json.loads(run("--format", "json"))["profile"]["total"]
    if not options.no_memory:
        with tempfile.TemporaryDirectory() as folder:
            check_memory(options.tool, model, profile, folder)
    check_sums(run, profile)
    check_csv(run)
    for depth in ((), ("--depth", "2")):
        check_folded(lambda *a: run(*a, *depth), total)
        check_speedscope(lambda *a: run(*a, *depth), total)
        check_trace(lambda *a: run(*a, *depth))
    for problem in PROBLEMS[:20]:
        print(problem)
    sys.exit(1 if PROBLEMS else 0)


if __name__ == "__main__":
    main()
