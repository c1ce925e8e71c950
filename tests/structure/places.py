#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file tells where it was written: places.py ROOT

A path of this checkout in an expectation, a page or a comment holds on one machine only.
"""

import os
import re
from pathlib import Path

from sources import line_of, report, root_argument

# Made by builds and by git.
OTHERS = {".git", "build", "__pycache__"}
# Of a checkout right below the root, as "/src", the path may be part of others.
SHORTEST = 2


def lines_with(place, text):
    """The lines of a text that hold the path of a folder, or of what is in it."""
    pattern = re.compile(rf"(?<![\w./-]){re.escape(place)}(?![\w.-])")
    return [line_of(text, match.start()) for match in pattern.finditer(text)]


def texts(root):
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name not in OTHERS]
        if "CMakeCache.txt" in names:  # a build with a name of its own
            inner.clear()
            continue
        for name in names:
            path = Path(folder) / name
            try:
                yield path.relative_to(root), path.read_text("utf-8")
            except UnicodeDecodeError:
                continue  # a model, a picture


def main():
    root = root_argument(__doc__).resolve()
    place = str(root)
    read = list(texts(root)) if place.count("/") >= SHORTEST else []
    problems = [f"{path}:{line}: holds the path of this checkout"
                for path, text in read for line in lines_with(place, text)]
    report(problems, f"{len(read)} files")


if __name__ == "__main__":
    main()
