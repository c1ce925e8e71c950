# SPDX-License-Identifier: Apache-2.0
"""The command: `python -m onnx_hier`, and `onnx-hier` where the package is installed."""

import os
import sys
from pathlib import Path


def main() -> int:
    program = Path(__file__).with_name("onnx-hier")
    if not program.exists():
        print(f"onnx-hier: {program}: this package was built without the program", file=sys.stderr)
        return 2
    # Its exit code, its signals and its streams are those of this process.
    os.execv(program, ["onnx-hier", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
