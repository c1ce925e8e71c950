#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the library and the programs: tidy.py ROOT BUILD

It spends nearly all of its time in the headers that files include. So files are looked at in units
of many: first the headers of all of them, then one file after the other. Files that have the same
name for something of their own are in different units. A unit that does not compile after all is
halved.
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
# Folders of files that share headers.
PROGRAMS = (("lib", "tools/c", "tools/cli", "tools/fit-weights", "tools/onnx-hier"),
            ("tools/onnx-hier-verify",))
MOST_FILES = 64
# Seconds for a unit, which takes a tenth of that: bugprone-unchecked-optional-access solves formulas
# in an order that follows addresses, and may not end where the same unit is a matter of seconds.
LONGEST = 600
TRIES = 3
# Of headers; tables that are included where they belong are none.
INCLUDE = re.compile(r"^(#include [<\"][^>\"]*[^>\"c][>\"])", re.MULTILINE)
# The name that a line declares for the whole file, behind words that say what it is.
DECLARED = re.compile(r"(?!namespace|using namespace)\w[\w:<>,*&\[\] ]*[ *&](\w+)(?:\[\])? ?[({;=]")
BASES = re.compile(r" : [\w ,:]+ \{")
ENUMERATORS = re.compile(r"^enum (?!class)[^{]*\{([^}]*)\}", re.MULTILINE)


def names_in(text):
    """Names that a file declares outside of classes and functions."""
    found = map(DECLARED.match, (BASES.sub(" {", line) for line in text.splitlines()))
    enumerators = re.findall(r"k[A-Z]\w*", " ".join(ENUMERATORS.findall(text)))
    return {match[1] for match in found if match} | set(enumerators)


class Unit:
    def __init__(self):
        self.files = []
        self.names = set()


def units_of(files):
    """The files in units alike in size."""
    units = [Unit() for _ in range(-(-len(files) // MOST_FILES))]
    for file in files:
        names = names_in(file.read_text("utf-8"))
        free = [unit for unit in units if not unit.names & names]
        if not free:
            free = [Unit()]
            units += free
        unit = min(free, key=lambda unit: len(unit.files))
        unit.files.append(file)
        unit.names |= names
    return [unit.files for unit in units]


def unit_text(files):
    """A unit's source."""
    headers = dict.fromkeys(line for file in files
                            for line in INCLUDE.findall(file.read_text("utf-8")))
    return "\n".join([*headers, *(f'#include "{file}"' for file in files)]) + "\n"


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
            if len(files) > 1 and "clang-diagnostic-error" in done.stdout:
                half = len(files) // 2
                return self.look_at(files[:half]) + self.look_at(files[half:])
            return [done.stdout + done.stderr] if done.returncode != 0 else []
        names = " ".join(str(file.relative_to(self.root)) for file in files)
        return [f"clang-tidy did not end within {LONGEST} s, {TRIES} times: {names}"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build = (Path(argument).resolve() for argument in sys.argv[1:])
    units = [unit for program in PROGRAMS
             for unit in units_of([file for part in program
                                   for file in sorted((root / part).rglob("*.cc"))])]
    units.sort(key=len, reverse=True)
    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        problems = [text for found in pool.map(Tidy(root, build).look_at, units, 1)
                    for text in found]
    print("\n".join(problems))
    print(f"{sum(map(len, units))} files in {len(units)} units: {len(problems)} with problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
