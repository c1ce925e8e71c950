#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of tools/recipes do, through thick and thin, what one run of the program does.

    recipes.py --tool ONNX-HIER --fragile ONNX-HIER --shim FAULT_SHIM --recipes tools/recipes
               [--models N] [--engine NAME]... FOLDER

--fragile is the program as tests/faults takes it, which the shim kills.

Makes a hub of N models (copies of FOLDER's smaller ones, in folders, some with odd names) and one
file that is none. Each recipe then runs twice: in the first run, the program is killed with SIGKILL
in the middle of a list; a run after that, with the bad file mended, must leave what an undisturbed
run leaves, byte by byte. Of a hub that is not there each says so, and fails. Engines that are not
installed are skipped; exit code 77 if all are.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
MOST_BYTES = 200_000
MODELS_A_JOB = 20
# A folder's name that a shell would run.
ODD = "of $(touch taken); touch taken #"

# Runs the program; the first time, it is killed as it puts the sixth model in its place, and so is
# whoever runs it. A list may have fewer, and any list may come first: then the next one has its turn.
KILLER = """#!/bin/bash
if ! mkdir "$STATE/first" 2> /dev/null; then exec "$TOOL" "$@"; fi
ONNX_HIER_FAULT=linkat:11:kill,renameat2:6:kill,renameat:6:kill LD_PRELOAD="$SHIM" "$FRAGILE" "$@" --jobs 1
status=$?
if [ $status != 137 ]; then rmdir "$STATE/first"; exit $status; fi
touch "$STATE/killed"
kill -KILL $$
"""


def parallel(recipes, hub, out):
    return [recipes / "parallel.sh", hub, out, MODELS_A_JOB]


def snakemake(recipes, hub, out):
    line = ["snakemake", "-s", recipes / "Snakefile", "--cores", "2", "--keep-going"]
    # Values are YAML.
    places = [f"hub={json.dumps(str(hub))}", f"out={json.dumps(str(out))}"]
    return [*line, "--config", *places, f"models={MODELS_A_JOB}"]


def slurm(recipes, hub, out):
    return [recipes / "slurm.sh", hub, out, MODELS_A_JOB, "--wait"]


def dask(recipes, hub, out):
    line = [sys.executable, recipes / "dask_tag.py", hub, out]
    return [*line, "--workers", "2", "--models", MODELS_A_JOB]


def has_dask():
    line = [sys.executable, "-c", "import distributed"]
    return subprocess.run(line, capture_output=True, check=False).returncode == 0


ENGINES = {
    "parallel": (parallel, lambda: shutil.which("parallel")),
    "snakemake": (snakemake, lambda: shutil.which("snakemake")),
    "slurm": (slurm, lambda: shutil.which("sbatch")),
    "dask": (dask, has_dask),
}


def make_hub(hub, models, folder):
    small = sorted(p for p in folder.glob("*.onnx") if p.stat().st_size < MOST_BYTES)
    small = [p for p in small if not p.stem.startswith("tags_")]  # Their data file is not with them.
    for i in range(models):
        inner = hub / f"family {i % 3}" / f"{i % 7}"
        inner.mkdir(parents=True, exist_ok=True)
        shutil.copy(small[i % len(small)], inner / f"model{i}'s.onnx")
    bad = hub / "family 1" / "cut.onnx"
    bad.write_bytes(small[0].read_bytes()[:1000])
    return bad, small[0]


def files_of(out):
    """Whatever is in the folder and not hidden, but for lists and logs."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(out).parts)
    }


def hidden_files(out):
    return [p for p in out.rglob("*") if p.is_file() and p.name.startswith(".onnx-hier")]


def run(line, **environment):
    started = time.monotonic()
    done = subprocess.run(
        [str(word) for word in line], capture_output=True, check=False, text=True,
        env={**os.environ, **environment},
    )
    return done, time.monotonic() - started


def problems_of(name, options, folder):
    make_line, _ = ENGINES[name]
    hub, state = folder / ODD, folder / f"{name}.state"
    out = folder / f"{name} {ODD}"
    bad, good = make_hub(hub, options.models, options.folder)
    for made in (out, state):
        made.mkdir()
    killer = state / "killer"
    killer.write_text(KILLER, "utf-8")
    killer.chmod(0o755)
    line = make_line(options.recipes, hub, out)
    disturbed = {"STATE": str(state), "TOOL": str(options.tool), "SHIM": str(options.shim),
                 "FRAGILE": str(options.fragile)}
    first, _ = run(line, ONNX_HIER=str(killer), **disturbed)
    problems = []
    if not (state / "killed").exists():
        problems.append("nothing was killed")
    if first.returncode == 0:
        problems.append("a model that is none is no failure")
    shutil.copy(good, bad)
    again, seconds = run(line, ONNX_HIER=str(options.tool))
    if again.returncode != 0:
        problems.append(f"exit code {again.returncode} in the end: {again.stderr[-2000:]}")
    expected = folder / "expected"
    if not expected.exists():
        names = "\0".join(sorted(map(str, hub.rglob("*.onnx"))))
        tag = [str(options.tool), "tag", "-q", "--files-from", "-", "--mirror", str(hub)]
        subprocess.run([*tag, "--output-dir", str(expected)], input=names.encode(), check=True)
    given, found = files_of(expected), files_of(out)
    different = sorted(n for n in given.keys() | found.keys() if given.get(n) != found.get(n))
    problems += [f"{n} is not as an undisturbed run leaves it" for n in different[:5]]
    problems += [f"{path} was left" for path in hidden_files(out)[:5]]
    missing, _ = run(make_line(options.recipes, folder / "missing", out),
                     ONNX_HIER=str(options.tool))
    if missing.returncode == 0 or "missing" not in missing.stdout + missing.stderr:
        problems.append("a hub that is not there is no failure")
    if any(Path(place, "taken").exists() for place in (".", hub, out, folder)):
        problems.append("a folder's name was run")
    print(f"{name}: {len(found)} files, {len(problems)} problems; the second run took {seconds:.1f} s")
    return problems


def timed(name, options, folder):
    """One undisturbed run, for a table of how long each takes."""
    out = folder / f"{name}.timed"
    out.mkdir()
    done, seconds = run(ENGINES[name][0](options.recipes, folder / ODD, out),
                        ONNX_HIER=str(options.tool))
    models = len(list(out.rglob("*_tagged.onnx")))
    print(f"{name}: {models} models in {seconds:.1f} s, exit code {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--fragile", required=True, type=Path)
    parser.add_argument("--shim", required=True, type=Path)
    parser.add_argument("--recipes", required=True, type=Path)
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--time", action="store_true", help="run each undisturbed, too")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    for name in ("tool", "fragile", "shim", "recipes"):
        setattr(options, name, getattr(options, name).resolve())
    here = [n for n in options.engine or ENGINES if ENGINES[n][1]()]
    if not here:
        print("skipped: no engine is installed")
        return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory(prefix="onnx-hier-recipes-") as folder:
        for name in here:
            problems = problems_of(name, options, Path(folder))
            for problem in problems:
                print(f"{name}: {problem}")
            failures += len(problems)
            if options.time:
                timed(name, options, Path(folder))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
