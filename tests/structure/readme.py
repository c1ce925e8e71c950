#!/usr/bin/env python3
"""README.md shows what the programs really print: readme.py ONNX-HIER ROOT [ONNX-HIER-VERIFY]

Runs each `$ tools/run ...` and `$ onnx-hier-verify ...` of its console blocks in a fresh folder, one
after the other, and compares what follows; durations may differ. The latter are left out where that
program was not built.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import report

PROMPT = "$ "
COMMAND = "tools/run "
VERIFY = "onnx-hier-verify "
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"\b\d+(\.\d+)? (ms|s)\b")


def examples(text):
    """(command, output) of each command in console blocks."""
    for block in BLOCK.findall(text):
        for part in re.split(rf"^{re.escape(PROMPT)}", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.strip()


def run(programs, command, folder):
    (prefix,) = (prefix for prefix in programs if command.startswith(prefix))
    words = [programs[prefix], *shlex.split(command.removeprefix(prefix))]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(words, cwd=folder, encoding="utf-8", check=False, **streams)
    return done.stdout.strip()


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    programs, root = {COMMAND: sys.argv[1]}, Path(sys.argv[2]).resolve()
    if len(sys.argv) == 4:
        programs[VERIFY] = sys.argv[3]
    problems = []
    readme = (root / "README.md").read_text("utf-8")
    shown = [e for e in examples(readme) if e[0].startswith(tuple(programs))]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "testdata").symlink_to(root / "testdata")
        for command, output in shown:
            printed = run(programs, command, folder)
            if DURATION.sub("{TIME}", printed) != DURATION.sub("{TIME}", output):
                problems.append(f"$ {command}\nprints now:\n{printed}")
    report(problems, f"{len(shown)} examples")


if __name__ == "__main__":
    main()
