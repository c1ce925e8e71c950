#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model cannot choose which files are opened: opened_files.py --tool ONNX-HIER --shim SHIM

Models whose weights are said to lie outside their folder (absolute paths, "..",
backslashes, links) go through every command, with every --external-data. The
shim tells which files were really opened: the model, the outputs and their
folders, nothing else.
Exit code: 0 all well, 1 not.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import field

LOCATIONS = (
    "../secret.bin",
    "{top}/secret.bin",
    "/etc/passwd",
    "a/../../secret.bin",
    "./../secret.bin",
    "..\\secret.bin",
    "link.bin",
    "linked/secret.bin",
    "linked/../secret.bin",
    ".",
    "..",
    "",
    "secret.bin\0.data",
    "pipe",
    "/proc/self/environ",
)
# Files of the system itself that each program may open.
SYSTEM = ("/dev/null",)


def model(location, weight="w"):
    external = field(13, field(1, "location") + field(2, location))
    tensor = field(1, 16) + field(2, 1) + field(8, weight) + external + field(14, 1)
    node = field(1, "x") + field(1, weight) + field(2, "y") + field(3, "/fc/MatMul") + field(4, "MatMul")
    graph = field(1, node) + field(2, "g") + field(5, tensor)
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def commands():
    """Every way to give such a model to the tool."""
    for data in ([], ["--external-data", "copy"], ["--external-data", "keep"]):
        for command in (["tag", "m.onnx"], ["strip", "m.onnx"]):
            yield [*command, "-o", "../out/m.onnx", "-f", *data]
        yield ["tag", "m.onnx", "--output-dir", "../out", "-f", *data]
        yield ["tag", "m.onnx", "--in-place", "-f", *data]
        yield ["check", "m.onnx", "--fix", "-o", "../out/m.onnx", "-f", *data]
        yield ["apply", "m_hierarchy.json", "m.onnx", "-o", "../out/m.onnx", "-f", *data]
    for data in ([], ["--external-data", "cut"]):
        yield ["extract", "m.onnx", "/", "-o", "../out/m.onnx", "-f", *data]
        yield ["split", "m.onnx", "--at", "fc", "--output-dir", "../out", "-f", *data]
    yield ["report", "m.onnx", "-o", "../out/page.html", "-f"]
    yield ["tree", "m.onnx"]
    yield ["check", "m.onnx", "--coverage"]
    yield ["check", "m.onnx", "--fresh"]
    yield ["explain", "m.onnx", "/fc/MatMul"]
    # Weights of these are compared with the model's, by content in the second.
    for other in ("same.onnx", "renamed.onnx"):
        yield ["diff", "m.onnx", other]
        yield ["apply", "m.onnx", other, "-o", "../out/m.onnx", "-f", "--external-data", "keep"]


def set_up(top):
    """models/ with the links, a secret beside it, out/ for outputs."""
    (top / "secret.bin").write_bytes(bytes(64))
    for name in ("models", "out", "elsewhere"):
        (top / name).mkdir()
    (top / "elsewhere" / "secret.bin").write_bytes(bytes(64))
    (top / "models" / "link.bin").symlink_to("../secret.bin")
    (top / "models" / "linked").symlink_to("../elsewhere")
    os.mkfifo(top / "models" / "pipe")


def strangers(log, top):
    """What was opened though it has nothing to do with the model."""
    allowed = {top / "models", top / "out"}
    for line in log.read_text(errors="replace").splitlines():
        if not line.startswith("opened "):
            continue
        path = line.removeprefix("opened ").removesuffix(" (deleted)")
        own = Path(path) in allowed or Path(path).parent in allowed
        if not own and path not in SYSTEM:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--shim", required=True, type=Path)
    options = parser.parse_args()
    problems, runs, refused = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="onnx-hier-faults-") as name:
        top = Path(name).resolve()
        set_up(top)
        log = top / "log"
        environment = {
            **os.environ,
            "LD_PRELOAD": str(options.shim.resolve()),
            "ASAN_OPTIONS": "verify_asan_link_order=0",
            "ONNX_HIER_CALLS": str(log),
        }
        for location in LOCATIONS:
            for arguments in commands():
                content = model(location.format(top=top))
                (top / "models" / "m.onnx").write_bytes(content)
                (top / "models" / "same.onnx").write_bytes(content)
                renamed = model(location.format(top=top), weight="v")
                (top / "models" / "renamed.onnx").write_bytes(renamed)
                log.unlink(missing_ok=True)
                done = subprocess.run(
                    [options.tool.resolve(), *arguments],
                    cwd=top / "models",
                    env=environment,
                    capture_output=True,
                    timeout=60,
                )
                runs += 1
                refused += done.returncode == 2
                what = f"{location!r}: {' '.join(arguments)}"
                if done.returncode not in (0, 1, 2):
                    problems.append(f"{what}: exit {done.returncode}: {done.stderr!r}")
                if not log.exists():
                    problems.append(f"{what}: the shim was not loaded")
                    continue
                problems += [f"{what}: opened {path}" for path in strangers(log, top)]
    for problem in problems:
        print(problem)
    print(f"{runs} runs, {refused} refused, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
