#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes conditions, constants and results in lib, one at a time, and says which of these changes
the unit tests of the same room notice, and with --cases, which of the others the cases of the
command line do (tests/cli/cases), where what a room prints or writes is mostly told, models with
known owners (tests/truth), what commands said of models before (tests/recorded), and onnx's own
inference of shapes (tests/shapes).

    mutations.py ROOT BUILD [--count N] [--seed N] [--room ROOM...] [--most SECONDS] [--cases]

BUILD is made with the preset dev of a copy of ROOT in it, so that nothing of ROOT is touched.
It is run by hand: a change takes some ten seconds. Each line says 'noticed' (a test fails, does not
end, or nothing compiles), 'by cases' or 'SURVIVED', the place, and the line before and after. A change that
survives stands for a missing test, or makes no difference: a bound of time, what is asked twice.
The last lines give the share of each room; the script fails below --least percent of all.
"""

import argparse
import collections
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

# Rooms that have unit tests; includes and comments are no code.
CODE = re.compile(r"^(?!\s*(//|#|using |namespace ))")
# What is changed to what: the pattern has the text in group 1.
SWAPS = [
    (re.compile(r"( == )"), " != "),
    (re.compile(r"( != )"), " == "),
    (re.compile(r"( < )(?=[\w(])"), " <= "),
    (re.compile(r"( > )(?=[\w(])"), " >= "),
    (re.compile(r"( <= )"), " < "),
    (re.compile(r"( >= )"), " > "),
    (re.compile(r"( && )"), " || "),
    (re.compile(r"( \|\| )"), " && "),
    (re.compile(r"(?:if|while) \((!)(?=[\w(])"), ""),
    (re.compile(r"return (true)\b"), "false"),
    (re.compile(r"return (false)\b"), "true"),
    (re.compile(r"( \+ 1)\b"), " + 2"),
    (re.compile(r"( - 1)\b"), " - 0"),
    (re.compile(r"\b(continue);"), "{}"),
]
CONSTANT = re.compile(r"\bk[A-Z]\w* = ([0-9]+(?:\.[0-9]+)?)f?;")


def places(root, rooms):
    """(path, line number, column, text, replacement) of all that may be changed."""
    found = []
    for room in rooms:
        for path in sorted((root / "lib" / room).rglob("*.cc")):
            for number, line in enumerate(path.read_text().splitlines()):
                if not CODE.match(line):
                    continue
                for pattern, replacement in SWAPS:
                    found += [(path, number, match.start(1), match.group(1), replacement)
                              for match in pattern.finditer(line)]
                constant = CONSTANT.search(line)
                if constant:
                    text = constant.group(1)
                    other = str(float(text) / 2) if "." in text else str(2 * int(text) + 1)
                    found.append((path, number, constant.start(1), text, other))
    return found


class Runner:
    """Builds and runs the tests of one room after the other."""

    def __init__(self, build, most):
        self.build = build
        self.most = most

    def builds(self, room):
        return self.run(["cmake", "--build", self.build, "--target", f"{room}_test"], 600)

    def passes(self, room):
        return self.run([self.build / "tests" / room / f"{room}_test"], self.most)

    def passes_cases(self, source):
        """Those that are quick, with the program as it is now."""
        if not self.run(["cmake", "--build", self.build, "--target", "onnx-hier"], 600):
            return False
        cases = sorted((source / "tests/cli/cases").glob("*.test"))
        half = [cases[0::2], cases[1::2]]
        tool = self.build / "tools/onnx-hier/onnx-hier"
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (source / "CMakeLists.txt").read_text())[1]
        running = [subprocess.Popen(
            [sys.executable, source / "tests/cli/run_cases.py", "--tool", tool, "--testdata",
             source / "testdata", "--version", version, *some],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for some in half]
        scripts = [[sys.executable, source / "tests/shapes/against_onnx.py", "--tool", tool]]
        scripts += [[sys.executable, source / f"tests/{name}/{name}.py", "--tool", tool, "--expected",
                     source / f"tests/{name}/expected.tsv", *options, source / "testdata",
                     source / "testdata/drawn"]
                    for name, options in (("truth", []), ("recorded", ["--first"]))]
        return (all([each.wait() == 0 for each in running]) and
                all(self.run(script, self.most) for script in scripts))

    @staticmethod
    def run(command, most):
        try:
            return subprocess.run(command, timeout=most, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def prepare(root, build):
    """A copy of the sources that git knows, and a build of it."""
    source = build / "source"
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                           capture_output=True).stdout.decode().split("\0")
    for name in filter(None, names):
        # What is the same stays as it is: it was built.
        to = source / name
        if to.exists() and to.read_bytes() == (root / name).read_bytes():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, to)
    subprocess.run(["cmake", "--preset", "dev", "-S", source, "-B", build / "dev",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O0"], check=True, cwd=source,
                   stdout=subprocess.DEVNULL)
    return source


def change(place):
    """Writes the change; gives the lines before and after."""
    path, number, column, text, replacement = place
    lines = path.read_text().split("\n")
    before = lines[number]
    lines[number] = before[:column] + replacement + before[column + len(text):]
    path.write_text("\n".join(lines))
    return before.strip(), lines[number].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", nargs="*", default=[])
    parser.add_argument("--least", type=float, default=80)
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--most", type=float, default=120, help="seconds for the tests of a room")
    options = parser.parse_args()
    options.build.mkdir(parents=True, exist_ok=True)
    source = prepare(options.root.resolve(), options.build.resolve())
    rooms = options.room or sorted(
        folder.parent.name for folder in (source / "tests").glob("*/CMakeLists.txt")
        if "onnx_hier_unit_test(" in folder.read_text())
    runner = Runner(options.build.resolve() / "dev", options.most)
    for room in rooms:
        if not (runner.builds(room) and runner.passes(room)):
            sys.exit(f"the tests of {room} fail as they are")
    if options.cases and not runner.passes_cases(source):
        sys.exit("the cases of the command line fail as they are")
    drawn = places(source, rooms)
    random.Random(options.seed).shuffle(drawn)
    counts = collections.defaultdict(collections.Counter)
    started = time.monotonic()
    for place in drawn[:options.count]:
        path = place[0]
        room = path.relative_to(source / "lib").parts[0]
        text = path.read_text()
        before, after = change(place)
        noticed = not (runner.builds(room) and runner.passes(room))
        by_cases = options.cases and not noticed and not runner.passes_cases(source)
        path.write_text(text)
        noticed = noticed or by_cases
        counts[room][noticed] += 1
        print("by cases" if by_cases else "noticed " if noticed else "SURVIVED", f"{path.relative_to(source)}:{place[1] + 1}",
              "" if noticed else f"\n    - {before}\n    + {after}", flush=True)
    noticed = sum(count[True] for count in counts.values())
    total = sum(sum(count.values()) for count in counts.values())
    for room, count in sorted(counts.items()):
        print(f"{room}: {count[True]} of {sum(count.values())}")
    print(f"{noticed} of {total} noticed ({100 * noticed / max(total, 1):.0f} %), "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(100 * noticed < options.least * total)


if __name__ == "__main__":
    main()
