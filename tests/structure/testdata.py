#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test data is what its list says: testdata.py TESTDATA

Each file in SHA256SUMS is there unchanged, each model and each JSON file is listed, README.md
tells of each model, and make_dialects.py makes the models that are its own.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import report


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    readme = (folder / "README.md").read_text("utf-8")

    problems = []
    there = {str(p.relative_to(folder)): p for p in folder.rglob("*")
             if p.suffix in (".onnx", ".json", ".safetensors")}
    for name in sorted(sums.keys() | there.keys()):
        if name not in there:
            problems.append(f"{name}: listed in SHA256SUMS, but missing")
        elif name not in sums:
            problems.append(f"{name}: not listed in SHA256SUMS")
        elif hashlib.sha256(there[name].read_bytes()).hexdigest() != sums[name]:
            problems.append(f"{name}: changed")
        told = name.split("/")[0] + "/" if "/" in name else name.removesuffix(".onnx")
        if name.endswith(".onnx") and f"`{told}`" not in readme:
            problems.append(f"{name}: README.md does not say what it is")
    with tempfile.TemporaryDirectory() as made:
        for maker in ("make_dialects.py", "make_tables.py"):
            subprocess.run([sys.executable, folder / maker, made], check=True)
        for path in Path(made).iterdir():
            if path.read_bytes() != (folder / path.name).read_bytes():
                problems.append(f"{path.name}: it is made otherwise now")
    report(problems, f"{len(sums)} files")


if __name__ == "__main__":
    main()
