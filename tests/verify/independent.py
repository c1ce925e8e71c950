#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onnx-hier-verify judges by itself: independent.py ONNX-HIER-VERIFY LIBONNX_HIER.A ROOT

Of the library the program holds what is in lib/base, which makes texts safe and knows no model:
nothing that reads, changes or writes one.
"""

import re
import subprocess
import sys
from pathlib import Path

# Several files of lib/base, where many are compiled at a time.
UNIT = re.compile(r"lib_base_\d+\.cc\.o")


def defined(*words):
    """Lines of nm about what is defined, without what several files may define."""
    listing = subprocess.run(
        ["nm", "--defined-only", *words], check=True, capture_output=True, text=True
    ).stdout
    lines = [line.split() for line in listing.splitlines()]
    return [words for words in lines if len(words) >= 3 and words[-2] in "TRDB"]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, library, root = sys.argv[1:]
    shared = {f"{path.name}.o" for path in (Path(root) / "lib/base").glob("*.cc")}
    # LIBRARY:MEMBER:ADDRESS KIND NAME
    members = {words[-1]: words[0].split(":")[-2] for words in defined("-A", library)}
    held = {words[-1] for words in defined(program)} & members.keys()
    foreign = sorted(member for member in {members[name] for name in held} - shared
                     if not UNIT.fullmatch(member))
    for member in foreign:
        print(f"WRONG: holds what is in {member} of the library")
    print(f"{len(held)} names of the library, {len(foreign)} files wrong")
    sys.exit(1 if foreign or not held else 0)


if __name__ == "__main__":
    main()
