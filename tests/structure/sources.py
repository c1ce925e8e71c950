# SPDX-License-Identifier: Apache-2.0
"""Reading C++ sources for the checks in this folder."""

import re
import sys
from pathlib import Path

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
_TOKEN = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<tag>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=tag)"
      | "(?P<text>(?:\\.|[^"\\\n])*)"
      | '(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)


def all_files(root, *folders):
    """All files below the folders, in order, but what was built there (by pip)."""
    found = []
    for folder in folders:
        found += [path for path in (root / folder).rglob("*")
                  if path.is_file() and "build" not in path.relative_to(root).parent.parts]
    return sorted(found)


def files(root, *folders):
    """The C++ files among them."""
    return [path for path in all_files(root, *folders) if path.suffix in (".h", ".cc")]


def includes(text):
    """(line number, name) of each file that is included, in quotes or angle brackets."""
    return [(line_of(text, m.start(2)), m.group(2)) for m in _INCLUDE.finditer(text)]


def literals(text):
    """(line number, contents) of each string literal; comments and includes are passed over."""
    text = _INCLUDE.sub("", text)
    for match in _TOKEN.finditer(text):
        contents = match["raw"] if match["raw"] is not None else match["text"]
        if contents is not None:
            yield line_of(text, match.start()), contents


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def report(problems, checked):
    """Ends the program: 1 with the problems, or 0 with what was checked."""
    for problem in problems:
        print(problem)
    if not problems:
        print(f"fine: {checked}")
    sys.exit(1 if problems else 0)


def root_argument(usage):
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "lib").is_dir():
        sys.exit(usage)
    return Path(sys.argv[1])
