#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two types share a name: type_names.py ROOT

Two files of one program that each define a type of the same name in the same namespace are no
error to compiler or linker: one of the two is used for both. So each name stands once, over the
headers and sources of lib/ and over those of each program. A type in an anonymous namespace is
nobody else's, and may not be called like one that its readers know: of its program, or of a public
header.
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


def own_types(text):
    """The same of those that none could."""
    return [(line_of(text, inside.start() + m.start()), m.group(1))
            for inside in _ANONYMOUS.finditer(text) for m in _TYPE.finditer(inside.group())]


def main():
    root = root_argument(__doc__)
    problems = []
    checked = 0
    public = {}
    for program in [root / "lib", *sorted(p for p in (root / "tools").iterdir() if p.is_dir())]:
        texts = {source.relative_to(root).as_posix(): source.read_text("utf-8")
                 for source in files(program, ".")}
        places = {}
        for path, text in texts.items():
            for line, name in types(text):
                checked += 1
                first = places.setdefault(name, path)
                if first != path:
                    problems.append(f"{path}:{line}: {name} is a type of {first}, too")
        known = {**public, **places}
        for path, text in texts.items():
            for line, name in own_types(text):
                checked += 1
                if name in known:
                    problems.append(f"{path}:{line}: {name} is a type of {known[name]}, too")
        public |= {name: path for name, path in places.items() if path.startswith("lib/include/")}
    report(problems, f"names of {checked} types")


if __name__ == "__main__":
    main()
