#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do two builds of the program do the same, byte for byte? other_machine.py TOOL OTHER... [-- MODELS...]

OTHER is a command: qemu-aarch64-static build/arm64/tools/onnx-hier/onnx-hier. Runs all commands with both
on MODELS (else on testdata), each in a folder of its own, and compares exit codes, what is printed
(but for durations), and all files that are written. Not among the tests that CTest runs: it needs
another machine's program.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"
DURATION = re.compile(rb"\b\d+(\.\d+)? (ms|s)\b|(?<=\"milliseconds\":)[0-9.]+")

# M is the model, N the one behind it; later ones use what earlier ones have written.
COMMANDS = [
    "tag M -o tagged.onnx --sidecar sidecar.json",
    "tag M -o full.onnx --values --metadata --name-nodes --min-confidence 0.9 --json",
    "strip tagged.onnx -o stripped.onnx",
    "apply sidecar.json M -o applied.onnx",
    "tree M --json",
    "tree M --nodes --classes",
    "explain M 0 1 2 3 5 8 13 21 34 55 89 144 --json",
    "check tagged.onnx --coverage",
    "check tagged.onnx --json",
    "check M --fresh --json",
    "select M ** --format json",
    "extract M ** -o part.onnx",
    "split M --output-dir parts",
    "fold M -o folded.onnx",
    "unfold folded.onnx -o unfolded.onnx",
    "report M -o page.html",
    "report M --compare N -o compared.html",
    "export M --format model-explorer -o explorer.json",
    "export M --format graphml -o modules.graphml",
    "diff M N",
    "diff M N --json",
]


def run(program, model, other, folder):
    """Everything that the commands say and write: {name: bytes}"""
    results = {}
    shutil.copy(model, folder / "M.onnx")
    shutil.copy(other, folder / "N.onnx")
    for command in COMMANDS:
        words = [{"M": "M.onnx", "N": "N.onnx"}.get(word, word) for word in command.split()]
        done = subprocess.run([*program, *words], cwd=folder, capture_output=True)
        results[command] = (done.returncode, DURATION.sub(b"TIME", done.stdout),
                            DURATION.sub(b"TIME", done.stderr))
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            results[str(file.relative_to(folder))] = file.read_bytes()
    return results


def main(arguments):
    end = arguments.index("--") if "--" in arguments else len(arguments)
    tool, *other = arguments[:end]
    models = [Path(model) for model in arguments[end + 1:]] or sorted(TESTDATA.glob("*.onnx"))
    other = [str(Path(word).resolve()) if Path(word).exists() else word for word in other]
    things = done = 0
    differ = []
    for model, after in zip(models, [*models[1:], models[0]]):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            ours = run([str(Path(tool).resolve())], model, after, Path(one))
            theirs = run(other, model, after, Path(two))
        things += len(ours)
        done += sum(isinstance(result, tuple) and result[0] == 0 for result in ours.values())
        differ += [f"{model.name}: {name}" for name in sorted({*ours, *theirs})
                   if ours.get(name) != theirs.get(name)]
    print("\n".join([*differ, f"{len(models)} models, {len(models) * len(COMMANDS)} commands, "
                     f"{done} of them with exit code 0; {things} results, {len(differ)} differ"]))
    return 1 if differ or not done else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
