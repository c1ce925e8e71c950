#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public headers are clean: headers.py COMPILER INCLUDE_DIR...

Whoever includes one gets Abseil and the standard library with it, and no protobuf, JSON or command
line parser, by whatever way. (That each compiles alone is what CMake's
VERIFY_INTERFACE_HEADER_SETS checks.)
"""

import re
import subprocess
import sys
from pathlib import Path

from sources import report

FOREIGN = re.compile(r"/(google/protobuf|onnx|nlohmann)/|/cxxopts\.hpp$")


def dependencies(compiler, include_dirs, header):
    """Every file that the compiler reads for a header."""
    flags = [f"-I{folder}" for folder in include_dirs]
    command = [compiler, "-std=c++20", *flags, "-M", "-x", "c++", str(header)]
    rule = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return rule.replace("\\\n", " ").split()[1:]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    compiler, *include_dirs = sys.argv[1:]
    headers = [h for folder in include_dirs for h in sorted(Path(folder).rglob("*.h"))]
    problems = []
    for header in headers:
        for file in dependencies(compiler, include_dirs, header):
            if FOREIGN.search(file):
                problems.append(f"{header}: brings {file}")
    report(problems, f"{len(headers)} public headers")


if __name__ == "__main__":
    main()
