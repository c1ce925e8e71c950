#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipe for object stores says exactly one line of each model, though a worker is killed.

    object_store.py --build FOLDER --recipe tools/recipes/object_store.py TESTDATA

FOLDER is that of CMake's build, with the Python package. Exit code 77 (skipped) without Dask.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
MODELS = 120
MODELS_A_BATCH = 4


def workers_of(process):
    """Worker processes of the recipe, which run its batches."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            command = (status.parent / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if parent == process.pid and b"spawn_main" in command:
            found.append(int(status.parent.name))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--recipe", required=True, type=Path)
    parser.add_argument("testdata", type=Path)
    options = parser.parse_args()
    package = options.build.resolve() / "tools" / "python"
    try:
        import distributed  # noqa: F401
        import fsspec
    except ImportError as error:
        print(error)
        return SKIPPED
    if not (package / "onnx_hier" / "libonnx_hier_c.so").exists():
        print("the library was not built: ONNX_HIER_BUILD_C is off")
        return SKIPPED
    sys.path[:0] = [str(package), str(options.recipe.parent)]
    sys.dont_write_bytecode = True
    import object_store  # the recipe

    problems = []
    small = [path for path in sorted(options.testdata.glob("*.onnx")) if path.stat().st_size < 200000]
    with tempfile.TemporaryDirectory(prefix="onnx-hier-store-") as folder:
        hub, out = Path(folder) / "hub", Path(folder) / "out"
        for i in range(MODELS):
            inner = hub / f"family {i % 3}"
            inner.mkdir(parents=True, exist_ok=True)
            shutil.copy(small[i % len(small)], inner / f"{i}.onnx")
        (hub / "bad.onnx").write_bytes(small[0].read_bytes()[:1000])
        line = [sys.executable, options.recipe, f"file://{hub}", f"file://{out}", "--workers", "2",
                "--models", str(MODELS_A_BATCH)]
        environment = {**os.environ, "PYTHONPATH": str(package)}
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not list(out.glob("*.jsonl")) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        victims = workers_of(process)
        if victims:
            os.kill(victims[0], signal.SIGKILL)
        else:
            problems.append("there was no worker to kill")
        said, _ = process.communicate(timeout=120)
        if process.returncode != 2:
            problems.append(f"exit code {process.returncode}, not 2 for the model that is none")
        lines = [json.loads(text) for path in out.glob("*.jsonl") for text in path.open()]
        names = sorted(line["model"] for line in lines)
        if names != sorted(f"file://{path}" for path in hub.rglob("*.onnx")):
            problems.append(f"{len(names)} lines of {len(set(names))} models, not one of {MODELS + 1}")
        bad = [line["model"] for line in lines if line["error"]]
        if [name.rpartition("/")[2] for name in bad] != ["bad.onnx"]:
            problems.append(f"errors of {bad}")
        before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
        again = subprocess.run(line, env=environment, check=False, capture_output=True)
        if again.returncode != 2 or before != {p: p.stat().st_mtime_ns for p in out.iterdir()}:
            problems.append("what was done was done again, or something was left")
        print(said.strip())

    # Weights are not read: of a model in memory, what is asked of its file is counted.
    model = options.testdata / "bert_tiny.onnx"
    with fsspec.open("memory://hub/bert.onnx", "wb") as file:
        file.write(model.read_bytes())
    columns = object_store.describe(["memory://hub/bert.onnx"])
    if (columns["nodes"], columns["error"]) != ([300], [None]):
        problems.append(f"of memory: {columns}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
