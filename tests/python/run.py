#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python package: run.py --build FOLDER --tool ONNX-HIER [PYTEST_OPTION...]

FOLDER is that of CMake's build, with the package in tools/python. Exit code 77 (skipped) if that was not built, or
if pytest or onnx are missing.
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

SKIPPED = 77
HERE = Path(__file__).resolve().parent


def missing(package):
    if not (package / "onnx_hier" / "libonnx_hier_c.so").exists():
        return "the library was not built: ONNX_HIER_BUILD_C is off"
    for name in ("pytest", "onnx"):
        if importlib.util.find_spec(name) is None:
            return f"python3-{name} is missing"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--tool", required=True, type=Path)
    arguments, options = parser.parse_known_args()
    build = arguments.build.resolve()
    package = build / "tools" / "python"
    lack = missing(package)
    if lack:
        print(lack)
        sys.exit(SKIPPED)
    sys.path.insert(0, str(package))
    os.environ["PYTHONPATH"] = str(package)  # of examples, which run for themselves
    os.environ["ONNX_HIER_BUILD"] = str(build)
    os.environ["ONNX_HIER_CMAKE"] = arguments.cmake
    os.environ["ONNX_HIER_TOOL"] = str(arguments.tool.resolve())
    import pytest
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(HERE), *options]))


if __name__ == "__main__":
    main()
