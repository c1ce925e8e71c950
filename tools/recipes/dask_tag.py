#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tags all models of a folder, and of the folders in it, with Dask.

    tools/recipes/dask_tag.py HUB OUT --workers 4 > log.jsonl
    tools/recipes/dask_tag.py HUB OUT --scheduler tcp://head:8786 > log.jsonl

Workers on other machines see HUB and OUT under the same names, and have the program. Prints a line
of JSON for each model. A list of models whose worker is killed goes to another worker; run again,
the same command does what is left. Exit code: 0, or 2 if a model failed. ONNX_HIER is the program.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from distributed import Client, LocalCluster, as_completed

RETRIES = 2


def tag(program, names, hub, out):
    """The lines that the program prints for these models."""
    line = [program, "tag", "--files-from", "-", "--mirror", hub, "--output-dir", out]
    line += ["--skip-existing", "--external-data", "copy", "--json-lines", "--quiet"]
    done = subprocess.run(line, input=os.fsencode("\0".join(names)), stdout=subprocess.PIPE, check=False)
    # Names of files are bytes; in a line of JSON no other character ends it.
    lines = os.fsdecode(done.stdout).removesuffix("\n").split("\n")
    if not lines[-1] or "models" not in json.loads(lines[-1]):
        raise RuntimeError(f"{program} ended with {done.returncode} before all was done")
    return lines[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hub")
    parser.add_argument("out")
    parser.add_argument("--models", type=int, default=200, help="in one list")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="on this machine")
    parser.add_argument("--scheduler", help="address of a cluster that runs already")
    options = parser.parse_args()
    if not Path(options.hub).is_dir():
        parser.error(f"{options.hub}: there is no such folder")

    sys.stdout.reconfigure(errors="surrogateescape")
    program = os.environ.get("ONNX_HIER", "onnx-hier")
    names = sorted(map(str, Path(options.hub).rglob("*.onnx")))
    Path(options.out).mkdir(exist_ok=True)
    local = not options.scheduler
    with (
        LocalCluster(options.workers, threads_per_worker=1, dashboard_address=None)
        if local
        else Client(options.scheduler)
    ) as cluster, Client(cluster) if local else cluster as client:
        tasks = [
            client.submit(tag, program, names[i : i + options.models], options.hub, options.out,
                          pure=False, retries=RETRIES)
            for i in range(0, len(names), options.models)
        ]
        failed = 0
        for task in as_completed(tasks):
            if task.exception():
                failed += 1
                print(task.exception(), file=sys.stderr)
                continue
            for line in task.result():
                failed += json.loads(line)["status"] == "error"
                print(line)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
