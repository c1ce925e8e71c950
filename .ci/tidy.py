#!/usr/bin/env python3
"""clang-tidy over the library and the programs: tidy.py ROOT BUILD

It spends nearly all of its time in the headers that a file includes. So the files of a folder are
looked at in units, each of as many files as have no names of their own in common; a unit that does
not compile after all is looked at file by file. BUILD is a folder that CMake has configured.
(The preset tidy does the same for each file by itself, in three times the time.)
"""

import multiprocessing.pool
import os
import re
import subprocess
import sys
from pathlib import Path

TOOL = "clang-tidy-16"
INSIDE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# The name that a line declares, behind words that say what it is.
DECLARED = re.compile(r"\w[\w:<>,*&\[\] ]*[ *&](\w+)(?:\[\])? ?[({;=]")


def own_names(path):
    """Names in the unnamed namespaces of a file."""
    lines = "\n".join(INSIDE.findall(path.read_text("utf-8"))).splitlines()
    return {found[1] for found in map(DECLARED.match, lines) if found}


def units_of(folder):
    """The folder's files, in as few units as their names allow."""
    units = []
    for path in sorted(folder.glob("*.cc")):
        names = own_names(path)
        for unit in units:
            if not names & unit["names"]:
                break
        else:
            unit = {"files": [], "names": set()}
            units.append(unit)
        unit["files"].append(path)
        unit["names"] |= names
    return [unit["files"] for unit in units]


class Tidy:
    def __init__(self, root, build):
        self.root = root
        self.flags = ["-std=c++20", f"-I{root}", f"-I{root}/lib/include", f"-I{build}/include",
                      # As libonnx's package has it.
                      "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"]
        self.work = build / "tidy"
        self.work.mkdir(exist_ok=True)

    def look_at(self, files):
        """(file, what clang-tidy says) for each unit of these files with which something is wrong."""
        name = "_".join(files[0].relative_to(self.root).with_suffix("").parts)
        unit = self.work / f"{name}_{len(files)}.cc"
        unit.write_text("".join(f'#include "{file}"\n' for file in files))
        done = subprocess.run(
            # A unit is made of nothing but such includes.
            [TOOL, "--quiet", "--warnings-as-errors=*", "--checks=-bugprone-suspicious-include",
             f"--config-file={self.root}/.clang-tidy",
             f"--header-filter=^{self.root}/(lib|tools)/", str(unit), "--", *self.flags],
            capture_output=True, text=True)
        if done.returncode == 0:
            return []
        if "[clang-diagnostic-error" in done.stdout and len(files) > 1:
            return [problem for file in files for problem in self.look_at([file])]
        return [done.stdout + done.stderr]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build = (Path(argument).resolve() for argument in sys.argv[1:])
    folders = {path.parent for part in ("lib", "tools") for path in (root / part).rglob("*.cc")}
    units = [unit for folder in folders for unit in units_of(folder)]
    units.sort(key=len, reverse=True)
    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        problems = [text for found in pool.map(Tidy(root, build).look_at, units, 1)
                    for text in found]
    print("\n".join(problems))
    print(f"{sum(map(len, units))} files in {len(units)} units: {len(problems)} with problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
