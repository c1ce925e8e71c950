#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the library and the programs: tidy.py ROOT BUILD

It spends nearly all of its time in the headers that files include. So files are looked at in units
of many: first the headers of all of them, then one file after the other. Names that two files of a
unit have for themselves are told apart by macros. A unit that does not compile after all is halved.
BUILD is a folder that CMake has configured.
(The preset tidy does the same for each file by itself, in many times the time.)
"""

import multiprocessing.pool
import os
import re
import subprocess
import sys
from pathlib import Path

TOOL = "clang-tidy-16"
COMPILER = "clang++"
MOST_FILES = 24
# Seconds for a unit, which takes a tenth of that. bugprone-unchecked-optional-access solves formulas
# in an order that follows addresses, and may not end where the same unit is a matter of seconds.
LONGEST = 300
TRIES = 3
# Of headers; tables that are included where they belong are none.
INCLUDE = re.compile(r"^#include .*[^c][>\"]$", re.MULTILINE)
INSIDE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# The name that a line declares, behind words that say what it is.
DECLARED = re.compile(r"\w[\w:<>,*&\[\] ]*[ *&](\w+)(?:\[\])? ?[({;=]")


def own_names(text):
    """Names in the unnamed namespaces of a file."""
    lines = "\n".join(INSIDE.findall(text)).splitlines()
    return {found[1] for found in map(DECLARED.match, lines) if found}


def units_of(files):
    return [files[i:i + MOST_FILES] for i in range(0, len(files), MOST_FILES)]


def unit_text(files):
    """A unit's source."""
    texts = {file: file.read_text("utf-8") for file in files}
    headers = dict.fromkeys(line for text in texts.values() for line in INCLUDE.findall(text))
    lines = list(headers)
    taken = set()
    for file, text in texts.items():
        names = own_names(text)
        twice = sorted(names & taken)
        taken |= names
        lines += [f"#define {name} {name}_{file.stem}" for name in twice]
        lines.append(f'#include "{file}"')
        lines += [f"#undef {name}" for name in twice]
    return "\n".join(lines) + "\n"


class Tidy:
    def __init__(self, root, build):
        self.root = root
        self.flags = ["-std=c++20", f"-I{root}", f"-I{root}/lib/include",
                      f"-I{root}/lib/include_program", f"-I{root}/tools/c/include",
                      f"-I{build}/include",
                      # As where weights are fitted.
                      "-DONNX_HIER_ABLATION",
                      # As libonnx's package has it.
                      "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"]
        self.work = build / "tidy"
        self.work.mkdir(exist_ok=True)

    def look_at(self, files):
        """What clang-tidy says, where something is wrong with these files."""
        name = "_".join(files[0].relative_to(self.root).with_suffix("").parts)
        unit = self.work / f"{name}_{len(files)}.cc"
        unit.write_text(unit_text(files))
        if len(files) > 1 and not self.compiles(unit):
            half = len(files) // 2
            return self.look_at(files[:half]) + self.look_at(files[half:])
        for _ in range(TRIES):
            try:
                done = subprocess.run(
                    # A unit is made of such includes.
                    [TOOL, "--quiet", "--warnings-as-errors=*",
                     "--checks=-bugprone-suspicious-include",
                     f"--config-file={self.root}/.clang-tidy",
                     f"--header-filter=^{self.root}/(lib|tools)/", str(unit), "--", *self.flags],
                    capture_output=True, text=True, timeout=LONGEST)
            except subprocess.TimeoutExpired:
                continue
            return [done.stdout + done.stderr] if done.returncode != 0 else []
        names = " ".join(str(file.relative_to(self.root)) for file in files)
        return [f"clang-tidy did not end within {LONGEST} s, {TRIES} times: {names}"]

    def compiles(self, unit):
        return subprocess.run([COMPILER, "-fsyntax-only", "-w", *self.flags, str(unit)],
                              capture_output=True).returncode == 0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build = (Path(argument).resolve() for argument in sys.argv[1:])
    units = [unit for part in ("lib", "tools/cli", "tools/fit-weights", "tools/onnx-hier",
                               "tools/onnx-hier-verify", "tools/python")
             for unit in units_of(sorted((root / part).rglob("*.cc")))]
    units.sort(key=len, reverse=True)
    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        problems = [text for found in pool.map(Tidy(root, build).look_at, units, 1)
                    for text in found]
    print("\n".join(problems))
    print(f"{sum(map(len, units))} files in {len(units)} units: {len(problems)} with problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
