#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model still is the model: its outputs in onnxruntime stay the same, bit for bit.

    same_outputs.py --tool ONNX-HIER --work FOLDER [PATH...]

Tags each *.onnx file (of the folders that are named; else of testdata), strips
the result, and runs the three in onnxruntime on the same inputs. With --fold it
folds the file in each way of FOLDS; what comes out must load, and run without
onnxruntime's optimisation, in one way with all of it, too. Models that onnxruntime itself does not
load or run are counted apart.

onnxruntime comes as npm's package onnxruntime-node, which carries its own
binaries: it is installed into FOLDER, without its install scripts. Exit code:
0 all the same, 1 not, 77 where there is no npm or no package to be had.
"""

import argparse
import collections
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import TESTDATA, Runner, folder_like, models_in, runtime


def run(options, *command):
    return subprocess.run([options.tool, *command], capture_output=True)


def tagged(options, before, folder):
    """What tagging makes of a model, and stripping of that."""
    out, back = folder / "out-onnx-hier", folder / "back-onnx-hier"
    done = run(options, "tag", "-q", before, "-o", out, "--no-sidecar")
    if done.returncode != 2:
        subprocess.run([options.tool, "strip", "-q", out, "-o", back], check=True)
    return done, [(out, "disabled"), (back, "disabled")]


# How a model may be folded; and how far onnxruntime may optimise what comes out.
FOLDS = {
    "default": ((), ("disabled", "all")),
    "depth_1": (("--depth", "1"), ("disabled",)),
    "repeated": (("--repeated",), ("disabled",)),
    "every_module": (("--min-nodes", "1"), ("disabled",)),
}


def folded(options, before, folder):
    """What folding makes of it, in each way. Files beside it stay where they are."""
    after = []
    for name, (flags, levels) in FOLDS.items():
        out = folder / f"{name}-onnx-hier"
        done = run(options, "fold", "-q", before, "-o", out, "--external-data", "keep", *flags)
        if done.returncode == 2:
            return done, []
        after += [(out, level) for level in levels]
    return done, after


def compare(options, runner, path, work):
    """(outcome, detail) of one model."""
    folder = work / "model"
    folder_like(path, folder)
    before = folder / "in-onnx-hier"
    shutil.copyfile(path, before)
    done, after = (folded if options.fold else tagged)(options, before, folder)
    if done.returncode == 2:
        return "refused by onnx-hier", done.stderr.decode(errors="replace").strip()
    for model, optimization in after:
        result = runner.ask(
            {"before": str(before), "after": str(model), "optimization": optimization}
        )
        if result is None:
            return "not runnable", f"onnxruntime crashed ({optimization})"
        if result["outcome"] != "same":
            return result["outcome"], f"{model.name} {optimization}: {result['detail']}"
    return result["outcome"], result["detail"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path, help="where npm installs")
    parser.add_argument("--fold", action="store_true", help="compare what fold makes of them")
    parser.add_argument("paths", nargs="*", type=Path, default=[TESTDATA], metavar="PATH")
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    runner = Runner("run_models.js", runtime(options.work.resolve()))
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-ort-") as work:
        for path in models_in(options.paths):
            outcome, detail = compare(options, runner, path.resolve(), Path(work))
            outcomes[outcome] += 1
            if outcome != "same":
                print(f"{path}: {outcome}: {' '.join(detail.split())[:200]}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    return 1 if outcomes["different"] or not outcomes["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
