#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule of inference has its row, and every row its rule: rules.py ROOT

A row of lib/owners/RULES.md names a rule of lib/base/rules.h and the one file that asks whether it
is on, or a family of features of lib/owners/features.cc.
"""

import re
from pathlib import Path

from sources import files, report, root_argument

ROW = re.compile(r"^\| `([a-z_]+)` \| `([\w/.]+)` \| (.+) \|$", re.MULTILINE)
USE = re.compile(r"\bIsOn\(Rule::k(\w+)\)")
FAMILY = re.compile(r'^\s*\{"([a-z_]+)", Method::k', re.MULTILINE)
FEATURES = "lib/owners/features.cc"


def snake_case(name):
    return re.sub(r"(?<!^)([A-Z])", lambda m: "_" + m[1], name).lower()


def expected_rows(sources):
    """(name, file) of each rule that a file asks for and each family; `sources`: path, text."""
    rows = set()
    for path, text in sources:
        rows |= {(snake_case(name), path) for name in USE.findall(text)}
        if path == FEATURES:
            rows |= {(name, path) for name in FAMILY.findall(text)}
    return rows


def problems_of(table, listed, sources):
    """`table`: the text of RULES.md; `listed`: the names of all rules."""
    rows = ROW.findall(table)
    given = {(name, f"lib/{path}") for name, path, _ in rows}
    wanted = expected_rows(sources)
    problems = [f"RULES.md: no row for {name} in {path}" for name, path in sorted(wanted - given)]
    problems += [f"RULES.md: {path} has no {name}" for name, path in sorted(given - wanted)]
    used = {name for name, _ in wanted}
    problems += [f"rules.h: nobody asks for {name}" for name in listed if name not in used]
    names = [name for name, _, _ in rows]
    problems += [f"RULES.md: {name} twice" for name in sorted({n for n in names if names.count(n) > 1})]
    return problems


def main():
    root = root_argument(__doc__)
    sources = [
        (path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in files(root, "lib")
    ]
    header = (root / "lib/base/rules.h").read_text("utf-8")
    listed = re.findall(r'^  RULE\(k\w+, "([a-z_]+)"\)', header, re.MULTILINE)
    table = (root / "lib/owners/RULES.md").read_text("utf-8")
    report(problems_of(table, listed, sources), f"{len(ROW.findall(table))} rules")


if __name__ == "__main__":
    main()
