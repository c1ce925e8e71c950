#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All C++ is formatted by .clang-format: format.py ROOT

Exit code 77 (skipped) where clang-format 14 is not installed: other versions format differently.
"""

import re
import shutil
import subprocess
import sys

from sources import files, report, root_argument

VERSION = "14"
SKIPPED = 77


def find_tool():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", text):
                return path
    return None


def main():
    root = root_argument(__doc__)
    tool = find_tool()
    if not tool:
        print(f"clang-format {VERSION} is not installed")
        sys.exit(SKIPPED)
    sources = files(root, "lib", "tools", "tests")
    check = subprocess.run([tool, "--dry-run", *sources], capture_output=True, text=True)
    unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: warning:", check.stderr, re.MULTILINE)))
    if check.returncode and not unformatted:
        sys.exit(check.stderr)
    problems = [f"{path}: not formatted; run: {tool} -i {path}" for path in unformatted]
    report(problems, f"format of {len(sources)} files")


if __name__ == "__main__":
    main()
