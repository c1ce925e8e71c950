#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two types share a name: type_names.py ROOT

Two files of one program that each define a type of the same name in the same namespace are no
error to compiler or linker: one of the two is used for both. So each name stands once, over the
headers and sources of lib/ and over those of each program; names in anonymous namespaces are
nobody else's.
"""

import re

from sources import files, line_of, report, root_argument

# Definitions that are not indented, so in no other type.
_TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (\w+)\b(?!::)[^;{()]*\{", re.MULTILINE)
_ANONYMOUS = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)


def types(text):
    """(line number, name) of each type that other files could know."""
    text = _ANONYMOUS.sub(lambda m: "\n" * m.group().count("\n"), text)
    return [(line_of(text, m.start()), m.group(1)) for m in _TYPE.finditer(text)]


def main():
    root = root_argument(__doc__)
    problems = []
    checked = 0
    for program in [root / "lib", *sorted(p for p in (root / "tools").iterdir() if p.is_dir())]:
        places = {}
        for source in files(program, "."):
            path = source.relative_to(root).as_posix()
            for line, name in types(source.read_text("utf-8")):
                checked += 1
                first = places.setdefault(name, path)
                if first != path:
                    problems.append(f"{path}:{line}: {name} is a type of {first}, too")
    report(problems, f"names of {checked} types")


if __name__ == "__main__":
    main()
