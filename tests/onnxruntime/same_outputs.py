#!/usr/bin/env python3
"""The model still is the model: its outputs in onnxruntime stay the same, bit for bit.

    same_outputs.py --tool ONNX-HIER --work FOLDER [PATH...]

Tags each *.onnx file (of the folders that are named; else of testdata), strips
the result, and runs the three in onnxruntime on the same inputs. Models that
onnxruntime itself does not load or run are counted apart.

onnxruntime comes as npm's package onnxruntime-node, which carries its own
binaries: it is installed into FOLDER, without its install scripts. Exit code:
0 all the same, 1 not, 77 where there is no npm or no package to be had.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
SKIPPED = 77
INSTALL_SECONDS = 300


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def runtime(work):
    """The folder with onnxruntime-node, installed if need be."""
    if not shutil.which("npm") or not shutil.which("node"):
        skip("node and npm are not installed")
    modules = work / "node_modules"
    if not (modules / "onnxruntime-node").is_dir():
        work.mkdir(parents=True, exist_ok=True)
        (work / "package.json").write_text('{"private": true}\n')
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        try:
            done = subprocess.run(
                [*command, "onnxruntime-node"],
                cwd=work,
                capture_output=True,
                text=True,
                timeout=INSTALL_SECONDS,
            )
        except subprocess.TimeoutExpired:
            skip("npm did not answer")
        if done.returncode != 0:
            skip(f"npm has no onnxruntime-node for us: {done.stderr.strip()[-300:]}")
    return modules


class Runner:
    """The program that runs models; a model that crashes onnxruntime takes only itself along."""

    def __init__(self, modules):
        self.environment = {**os.environ, "NODE_PATH": str(modules)}
        self.process = None

    def compare(self, before, after):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                ["node", HERE / "run_models.js"],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        job = json.dumps({"before": str(before), "after": str(after)})
        self.process.stdin.write(job + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            return {"outcome": "not runnable", "detail": "onnxruntime crashed"}
        return json.loads(line)


def compare(options, runner, path, work):
    """(outcome, detail) of one model."""
    # Beside the model, where its weights are looked for; but that folder is not ours.
    folder = work / "model"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for neighbour in path.parent.iterdir():
        if neighbour.is_file() or neighbour.is_dir():
            (folder / neighbour.name).symlink_to(neighbour.resolve())
    before, tagged, stripped = (folder / f"{name}-onnx-hier" for name in ("in", "out", "back"))
    shutil.copyfile(path, before)
    done = subprocess.run(
        [options.tool, "tag", "-q", before, "-o", tagged, "--no-sidecar"], capture_output=True
    )
    if done.returncode == 2:
        return "refused by onnx-hier", done.stderr.decode(errors="replace").strip()
    subprocess.run([options.tool, "strip", "-q", tagged, "-o", stripped], check=True)
    for after in (tagged, stripped):
        result = runner.compare(before, after)
        if result["outcome"] != "same":
            break
    return result["outcome"], result["detail"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path, help="where npm installs")
    parser.add_argument("paths", nargs="*", type=Path, default=[TESTDATA], metavar="PATH")
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    runner = Runner(runtime(options.work.resolve()))
    paths = sorted(
        {p for top in options.paths for p in (top.rglob("*.onnx") if top.is_dir() else [top])}
    )
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-ort-") as work:
        for path in paths:
            outcome, detail = compare(options, runner, path.resolve(), Path(work))
            outcomes[outcome] += 1
            if outcome != "same":
                print(f"{path}: {outcome}: {' '.join(detail.split())[:200]}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    return 1 if outcomes["different"] or not outcomes["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
