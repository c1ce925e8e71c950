#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source says in its first lines under which licence it stands: licences.py ROOT

Not the style and scripts of a page, which go into the pages that users make, and not tables that
programs write.
"""

from pathlib import Path

from sources import all_files, report, root_argument

IDENTIFIER = "SPDX-License-Identifier: Apache-2.0"
ENDINGS = (".c", ".cc", ".h", ".h.in", ".py", ".pyi", ".sh", ".cmake", ".cmake.in", ".js", ".mjs", ".ts")
NAMES = ("CMakeLists.txt", "Snakefile")
FOLDERS = ("lib", "tools", "tests", "testdata", ".ci")
PAGE = Path("lib/show/page")
HEAD_LINES = 2


def is_source(path, first_line):
    return path.name in NAMES or path.name.endswith(ENDINGS) or first_line.startswith("#!")


def lacks_licence(path, text):
    """Whether it is a source whose first lines name no licence."""
    head = text.split("\n", HEAD_LINES)[:HEAD_LINES]
    return is_source(path, head[0]) and not any(
        line.removesuffix(" */").endswith(IDENTIFIER) for line in head)


def main():
    root = root_argument(__doc__)
    problems, checked = [], 0
    for path in all_files(root, *FOLDERS):
        place = path.relative_to(root)
        if place.is_relative_to(PAGE) and path.suffix == ".js":
            continue
        with open(path, "rb") as stream:
            text = stream.read(300).decode("utf-8", "replace")
        checked += is_source(path, text)
        if lacks_licence(path, text):
            problems.append(f"{place}: says nowhere in its first lines '{IDENTIFIER}'")
    report(problems, f"licences of {checked} sources")


if __name__ == "__main__":
    main()
