#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes conditions, constants and results in lib, one at a time, and says which of these changes
the unit tests of the same room notice, and which of the others scripts do that are asked, too: models
with known owners (truth), onnx's own inference of shapes (inference: tests/shapes), the cases of the
command line (cases), and what commands said of models before (recorded).

    mutations.py ROOT BUILD [--count N] [--seed N] [--room ROOM...] [--line FILE:LINE...]
                 [--scripts all|NAME...]

BUILD is made once, of a copy of ROOT in it that holds all changes, each behind a switch, so a change
takes as long as its tests; what no test comes by is not even asked. It is run by hand: a change that
no unit test notices takes a minute with all scripts, a room with unit tests alone takes one, too.

Each line says 'noticed' or 'SURVIVED', the place, and by which tests, or the text before and after.
Noticed is what fails or does not end. A change that survives stands for a missing test, or makes no
difference: a bound of time, what is asked twice. What a compiler has to know (the size of an array, a
table of constants) has no switch and is left out; the first lines say how much of all that is. The
last lines give the share of each room; the script fails below --least percent of all.
"""

import argparse
import bisect
import collections
import concurrent.futures
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BINARY = {" == ": " != ", " != ": " == ", " < ": " <= ", " > ": " >= ", " <= ": " < ", " >= ": " > ",
          " && ": " || ", " || ": " && "}
# How closely an operator binds: an operand ends where one binds less.
BINDS = {" || ": 1, " && ": 2, " == ": 3, " != ": 3}
OPERATOR = re.compile(" (==|!=|<=|>=|<|>|&&|\\|\\|)(?=[ \n])")
KEYWORD = re.compile(r"\b(return|else|do|case)$")
# What is put before and behind group 1; {switch} is true while the change is on.
SWAPS = [
    (re.compile(r"(?:if|while) \((!)(?=[\w(])"), "{switch} ^ ", "", ""),
    (re.compile(r"return (true)\b"), "{switch} ? false : ", "", "false"),
    (re.compile(r"return (false)\b"), "{switch} ? true : ", "", "true"),
    (re.compile(r" \+ (1)\b"), "({switch} ? 2 : ", ")", "2"),
    (re.compile(r" - (1)\b"), "({switch} ? 0 : ", ")", "0"),
    (re.compile(r"\b(continue;)"), "{{ if (!{switch}) ", " }}", "{}"),
]
CONSTANT = re.compile(r"(constexpr) [\w:]+ (k[A-Z]\w*) = ([0-9]+(?:\.[0-9]+)?)f?;")
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#(?:\\\n|[^\n])*',
    re.DOTALL | re.MULTILINE)
# The memory that a change may make a program ask for.
MOST_MEMORY = 6 << 30

# What a program is told is written into its file: a case of the command line has its own environment.
SETTINGS = b"the mutation and the file of those that were reached:"
SWITCH = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
inline const volatile char mutation_settings[512] = "SETTINGS";
inline const char* const mutation_told =
    const_cast<const char*>(mutation_settings) + sizeof("SETTINGS") - 1;
inline const int mutation_chosen = std::atoi(mutation_told);
inline char* const mutations_reached = [] {
  if (*mutation_told != '/') return static_cast<char*>(nullptr);
  const int file = open(mutation_told, O_RDWR);
  void* at = mmap(nullptr, COUNT, PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return static_cast<char*>(at == MAP_FAILED ? nullptr : at);
}();
inline bool Mutation(int i) {
  if (mutations_reached != nullptr) mutations_reached[i] = 1;
  return i == mutation_chosen;
}
""".replace("SETTINGS", SETTINGS.decode())


class Place:
    """One change: `inserted` are (position, order among those at it, text)."""

    def __init__(self, path, line, last_line, texts, inserted, removed=None, constant=None):
        self.path = path
        self.line = line
        self.last_line = last_line
        self.before, self.after = texts
        # The same while the lines around it change.
        self.key = f"{path} {self.before} {self.after}"
        self.inserted = inserted
        self.removed = removed
        self.constant = constant
        self.number = -1


def masked(text, strings_too=True):
    """The text with what is no code as blanks, and letters for strings."""
    def blank(match):
        is_string = match[0][0] in "R\"'"
        if is_string and not strings_too:
            return match[0]
        return re.sub(r"[^\n]", "S" if is_string else " ", match[0])
    return NO_CODE.sub(blank, text)


def ends_operand(code, at, step, level):
    """Whether an operand of an operator that binds so is over there; `step` is where it is read to."""
    if code[at] in ",;?" or (code[at] == ":" and "::" not in (code[at - 1:at + 1], code[at:at + 2])):
        return True
    if code[at] == "=" and code[at - 1] not in "=!<>" and code[at + 1] != "=":
        return True
    if step > 0:
        found = OPERATOR.match(code, at - 1)
    else:  # its last letter comes first
        found = OPERATOR.match(code, at - 1) or OPERATOR.match(code, at - 2)
    if found:
        other = BINDS.get(f" {found[1]} ", 4)
        return other < level or (step > 0 and other == level)
    return step < 0 and KEYWORD.search(code, max(at - 7, 0), at + 1) is not None


def operand_end(code, at, step, level):
    """Where the operand that begins at `at` is over, read forwards (1) or backwards (-1)."""
    opens, closes = ("([{", ")]}")[::step]
    depth = 0
    while 0 <= at < len(code):
        if code[at] in opens:
            depth += 1
        elif code[at] in closes:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and ends_operand(code, at, step, level):
            break
        at += step
    return at


def operands(code, start, end, operator):
    """From where to where the operator at start to end is, with its operands."""
    level = BINDS.get(operator, 4)
    left = operand_end(code, start - 1, -1, level) + 1
    right = operand_end(code, end, 1, level)
    both = code[left:right]
    return left + len(both) - len(both.lstrip()), right - len(both) + len(both.rstrip())


def places_of(path, text):
    code, plain = masked(text), masked(text, strings_too=False)
    starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def place(start, end, *rest):
        return Place(path, bisect.bisect_right(starts, start), bisect.bisect_right(starts, end), *rest)

    def said(start, end):
        return " ".join(plain[start:end].split())

    for match in OPERATOR.finditer(code):
        operator = f" {match[1]} "
        left, right = operands(code, match.start(), match.end(), operator)
        ends = (said(left, match.start()), said(match.end(), right))
        after = BINARY[operator].join(ends)
        swap = "({switch} ? (" + after.replace("{", "{{").replace("}", "}}") + ") : ("
        yield place(left, right, (operator.join(ends), after),
                    # Of two that begin or end together, the longer is around the other.
                    [(left, (1, -right), swap), (right, (0, -left), "))")])
    for pattern, before, behind, other in SWAPS:
        for match in pattern.finditer(code):
            start, end = match.span(1)
            line = said(starts[bisect.bisect_right(starts, start) - 1], code.find("\n", end))
            yield place(start, end, (line, f"{match[1]} -> {other or 'nothing'}"),
                        [(start, (2, 0), before)] + ([(end, (-1, 0), behind)] if behind else []))
    for match in CONSTANT.finditer(code):
        value = match[3]
        other = str(float(value) / 2) if "." in value else str(2 * int(value) + 1)
        yield place(match.start(), match.end(), (match[0], other),
                    [(match.start(3), (2, 0), "{switch} ? " + other + " : ")], match.span(1), match[2])


def switched(text, places):
    """The text with all changes in it, each behind its switch; no line moves."""
    edits = [(start, end, (3, 0), "const") for start, end in (p.removed for p in places if p.removed)]
    edits += [(at, at, order, said.format(switch=f"Mutation({p.number})"))
              for p in places for at, order, said in p.inserted]
    parts, last = ['#include "mutation.h"  ' if places else ""], 0
    for start, end, _, said in sorted(edits):
        parts += [text[last:start], said]
        last = end
    return "".join([*parts, text[last:]])


def copy_changed(root, source, build):
    """A copy of the sources that git knows. What is the same stays as it is: it was built."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                           capture_output=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (root / name).is_file() and not (name.startswith("lib/") and name.endswith(".cc")):
            write_changed(source / name, (root / name).read_bytes())
            shutil.copymode(root / name, source / name)


def write_changed(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def build_switched(root, build, rooms):
    """Builds with all changes that compile; gives these, and how many do not."""
    source = build / "source"
    copy_changed(root, source, build)
    texts, places = {}, {}
    for path in sorted((root / "lib").rglob("*.cc")):
        name = path.relative_to(root)
        texts[name] = path.read_text()
        places[name] = list(places_of(name, texts[name])) if name.parts[1] in rooms else []
    every = [place for each in places.values() for place in each]
    for number, place in enumerate(every, 1):
        place.number = number
    (build / "include").mkdir(exist_ok=True)
    write_changed(build / "include/mutation.h", SWITCH.replace("COUNT", str(len(every) + 1)).encode())
    without = build / "without_switch"
    known = set(without.read_text().splitlines()) if without.exists() else set()
    while True:
        places = {name: [place for place in each if place.key not in known]
                  for name, each in places.items()}
        for name, text in texts.items():
            write_changed(source / name, switched(text, places[name]).encode())
        wrong = errors_of_build(source, build, rooms)
        if not wrong:
            return [place for each in places.values() for place in each], len(every)
        before = len(known)
        for name, lines in wrong.items():
            # A constant is wrong where it is needed.
            said = [texts[name].split("\n")[line - 1] for line in lines]
            known.update(place.key for place in places[name]
                         if any(place.line <= line <= place.last_line for line in lines)
                         or (place.constant and any(place.constant in line for line in said)))
        if len(known) == before:
            sys.exit(f"does not compile as it is: {dict(wrong)}")
        without.write_text("\n".join(sorted(known)) + "\n")


def errors_of_build(source, build, rooms):
    """The lines of lib that do not compile, by file."""
    targets = ["onnx-hier", *(f"{room}_test" for room in rooms)]
    subprocess.run(["cmake", "--preset", "dev", "-S", source, "-B", build / "dev",
                    "-DONNX_HIER_WERROR=OFF", "-DONNX_HIER_HARDEN=ON",  # as it is shipped
                    f"-DCMAKE_CXX_FLAGS_DEBUG=-O1 -w -I{build}/include"],
                   check=True, cwd=source, stdout=subprocess.DEVNULL)
    result = subprocess.run(["cmake", "--build", build / "dev", "--target", *targets, "--", "-k", "0"],
                            capture_output=True, text=True)
    wrong = collections.defaultdict(set)
    for match in re.finditer(r"source/(lib/\S+?\.cc):(\d+):\d+:", result.stdout):
        wrong[Path(match[1])].add(int(match[2]))
    if result.returncode != 0 and not wrong:
        sys.exit(result.stdout[-4000:])
    return wrong


def scripts(source, tool):
    """What else is asked, in this order: what is quick first."""
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (source / "CMakeLists.txt").read_text())[1]
    tests = source / "tests"
    models = [source / "testdata", source / "testdata/drawn"]
    commands = {
        "truth": ["truth/truth.py", "--expected", tests / "truth/expected.tsv", *models],
        "inference": ["shapes/against_onnx.py"],
        "cases": ["cli/run_cases.py", "--testdata", source / "testdata", "--version", version,
                  *sorted((tests / "cli/cases").glob("*.test"))],
        "recorded": ["recorded/recorded.py", "--expected", tests / "recorded/expected.tsv", "--first",
                     *models],
    }
    return {name: [sys.executable, tests / script, "--tool", tool, *words]
            for name, (script, *words) in commands.items()}


class Tests:
    """The tests of a build, each with the changes that it comes by."""

    def __init__(self, build, rooms, asked, count):
        self.commands = {room: [build / "dev/tests" / room / f"{room}_test", "--abort-after=1"]
                         for room in rooms}
        self.tool = build / "dev/tools/onnx-hier/onnx-hier"
        self.scripts = {name: command for name, command in scripts(build / "source", self.tool).items()
                        if "all" in asked or name in asked}
        self.commands |= self.scripts
        self.reached, self.seconds = {}, {}
        (build / "reached").mkdir(exist_ok=True)
        for name in self.commands:
            reached = build / "reached" / name
            reached.write_bytes(bytes(count + 1))
            started = time.monotonic()
            if not self.run(name, 3600, str(reached)):
                sys.exit(f"{name} fails as it is")
            self.seconds[name] = time.monotonic() - started
            self.reached[name] = reached.read_bytes()
            print(f"{name}: {self.seconds[name]:.1f} s, comes by {sum(self.reached[name])} of {count}",
                  flush=True)

    def notice(self, name, place):
        if not self.reached[name][place.number]:
            return False
        most = 10 + 6 * self.seconds[name]
        return not self.run(name, most, str(place.number))

    def which_notices(self, place):
        """Of its own room and the scripts the first that does."""
        return next((name for name in [place.path.parts[1], *self.scripts] if self.notice(name, place)),
                    None)

    def run(self, name, most, told):
        """Whether it passes with a program that is told this: a number, or where to say what it reaches."""
        command = self.commands[name]
        program = self.tool if name in self.scripts else command[0]
        content = program.read_bytes()
        at = content.index(SETTINGS) + len(SETTINGS)
        told = told.encode() + b"\0"
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / program.name
            copy.write_bytes(content[:at] + told + content[at + len(told):])
            copy.chmod(0o755)
            with subprocess.Popen([copy if word == program else word for word in command],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True, preexec_fn=limit_memory) as running:
                try:
                    return running.wait(most) == 0
                except subprocess.TimeoutExpired:
                    os.killpg(running.pid, 9)
                    return False


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--line", nargs="*", default=[], help="only changes there")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", nargs="*", default=[])
    parser.add_argument("--least", type=float, default=80)
    parser.add_argument("--scripts", nargs="+", default=[],
                        choices=["all", "truth", "inference", "cases", "recorded"])
    options = parser.parse_args()
    root, build = options.root.resolve(), options.build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    rooms = sorted(
        file.parent.name for file in (root / "tests").glob("*/CMakeLists.txt")
        if "onnx_hier_unit_test(" in file.read_text())
    places, count = build_switched(root, build, rooms)
    print(f"{len(places)} changes; {count - len(places)} more have no switch", flush=True)
    tests = Tests(build, rooms, options.scripts, count)
    random.Random(options.seed).shuffle(places)
    drawn = [place for place in places
             if (not options.room or place.path.parts[1] in options.room)
             and (not options.line or f"{place.path}:{place.line}" in options.line)][:options.count]
    counts = collections.defaultdict(collections.Counter)
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, by in zip(drawn, pool.map(tests.which_notices, drawn)):
            room = place.path.parts[1]
            counts[room][by is not None] += 1
            print("noticed " if by else "SURVIVED", f"{place.path}:{place.line}",
                  by or f"\n    - {place.before}\n    + {place.after}", flush=True)
    noticed = sum(each[True] for each in counts.values())
    total = sum(sum(each.values()) for each in counts.values())
    for room, each in sorted(counts.items()):
        print(f"{room}: {each[True]} of {sum(each.values())}")
    print(f"{noticed} of {total} noticed ({100 * noticed / max(total, 1):.0f} %), "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(100 * noticed < options.least * total)


if __name__ == "__main__":
    main()
