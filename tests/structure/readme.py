#!/usr/bin/env python3
"""README.md shows what the program really prints: readme.py ONNX-HIER ROOT

Runs each `$ tools/run ...` of its console blocks in a fresh folder, and compares what follows;
durations may differ.
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
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"\b\d+(\.\d+)? (ms|s)\b")


def examples(text):
    """(command, output) of each command in console blocks."""
    for block in BLOCK.findall(text):
        for part in re.split(rf"^{re.escape(PROMPT)}", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.strip()


def run(tool, command, folder):
    words = [tool, *shlex.split(command.removeprefix(COMMAND))]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(words, cwd=folder, encoding="utf-8", check=False, **streams)
    return done.stdout.strip()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool, root = sys.argv[1], Path(sys.argv[2]).resolve()
    problems = []
    readme = (root / "README.md").read_text("utf-8")
    shown = [e for e in examples(readme) if e[0].startswith(COMMAND)]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "testdata").symlink_to(root / "testdata")
        for command, output in shown:
            printed = run(tool, command, folder)
            if DURATION.sub("{TIME}", printed) != DURATION.sub("{TIME}", output):
                problems.append(f"$ {command}\nprints now:\n{printed}")
    report(problems, f"{len(shown)} examples")


if __name__ == "__main__":
    main()
