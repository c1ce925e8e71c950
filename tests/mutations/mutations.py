#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes conditions, constants and results in lib, one at a time, and says which of these changes
the tests that CTest lists notice: the unit tests, and what runs onnx-hier with other tests asked for.

    mutations.py ROOT BUILD [--count N] [--seed N] [--room ROOM...] [--line FILE:LINE...]
                 [--tests PATTERN] [--longest SECONDS]

BUILD is made once, of a copy of ROOT in it that holds all changes, each behind a switch, so a change
takes as long as its tests, and each is asked of the tests that come by it. It is run by hand: with
unit tests a room takes minutes; with all tests (--tests .) a change that none notices takes one.

Each line says 'noticed' or 'SURVIVED', the place, and by which test, or the text before and after.
Noticed is what fails or does not end. A change that survives stands for a missing test, or makes no
difference: a bound of time, what is asked twice. What a compiler has to know (the size of an array, a
table of constants) has no switch and is left out; the first lines say how much of all that is. The
last lines give the share of each room; the script fails below --least percent of all.
"""

import argparse
import bisect
import collections
import concurrent.futures
import errno
import functools
import json
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


def tests_of(build):
    """Each test that CTest knows: name, command, folder, what its environment has besides."""
    found = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build / "dev", check=True,
                           capture_output=True)
    for test in json.loads(found.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        command = test.get("command", [])
        if test["name"].startswith("unit."):
            command = [*command, "--abort-after=1"]
        yield test["name"], command, properties["WORKING_DIRECTORY"], environment


class Test:
    """A command, and the program of this build that it runs: with changes, `reached` are those that it
    comes by."""

    def __init__(self, name, command, folder, environment):
        self.name = name
        self.command = command
        self.folder = folder
        self.environment = {**os.environ, **environment}
        self.seconds = 0
        self.reached = b""
        self.program = next((word for word in command if has_switches(word)), None)

    def by_model(self):
        """What asks folders of models, as a test for each model: most changes are reached by few."""
        if self.name != "recorded":
            return [self]
        models = [path for word in self.command for path in sorted(Path(word).glob("*.onnx"))]
        return [Test(f"{self.name}.{path.stem}", [*self.command, "--model", str(path)], self.folder, {})
                for path in models]

    def passes(self, most, told):
        """Whether it does within so many seconds with a program that is told this: the number of a
        change, or a file for those that it comes by."""
        content = program_text(self.program)
        at = content.index(SETTINGS) + len(SETTINGS)
        told = told.encode() + b"\0"
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / Path(self.program).name
            copy.write_bytes(content[:at] + told + content[at + len(told):])
            copy.chmod(0o755)
            command = [copy if word == self.program else word for word in self.command]
            with started(command, self.folder, self.environment) as running:
                try:
                    return running.wait(most) == 0
                except subprocess.TimeoutExpired:
                    os.killpg(running.pid, 9)
                    return False

    def learn(self, file, count, longest):
        """Runs it as it is. Whether it passes; then it knows what it comes by."""
        file.write_bytes(bytes(count + 1))
        started = time.monotonic()
        if not self.passes(longest, str(file)):
            return False
        self.seconds = time.monotonic() - started
        self.reached = file.read_bytes()
        return True

    def notices(self, place):
        return (self.reached[place.number] != 0
                and not self.passes(10 + 6 * self.seconds, str(place.number)))


@functools.cache
def program_text(path):
    return Path(path).read_bytes()


@functools.cache
def has_switches(word):
    path = Path(word)
    return path.is_file() and os.access(path, os.X_OK) and SETTINGS in program_text(word)


def learn_tests(build, pattern, longest, count):
    """The tests to ask, what is quick first."""
    found = [part for test in (Test(*each) for each in tests_of(build) if re.search(pattern, each[0]))
             if test.program for part in test.by_model()]
    (build / "reached").mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(
            lambda test: test.learn(build / "reached" / test.name, count, longest), found))
    left_out = [test.name for test, did_pass in zip(found, passed) if not did_pass]
    tests = sorted((test for test, did_pass in zip(found, passed) if did_pass),
                   key=lambda test: test.seconds)
    print(f"{len(tests)} tests, {sum(test.seconds for test in tests):.0f} s; they come by "
          f"{sum(map(any, zip(*(test.reached for test in tests))))} changes")
    print("left out, for they fail here or take long as they are:", *left_out or ["none"], flush=True)
    return tests


def which_notices(tests, place):
    """The first test that does: those of the change's room are asked first."""
    own = f"unit.{place.path.parts[1]}"
    ordered = sorted(tests, key=lambda test: test.name != own)
    return next((test.name for test in ordered if test.notices(place)), None)


def started(command, folder, environment):
    while True:
        try:
            return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    cwd=folder, env=environment, start_new_session=True,
                                    preexec_fn=limit_memory)
        except OSError as error:
            # A process that another thread begins has the program open for writing for a moment.
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(0.01)


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
    parser.add_argument("--tests", default="^unit", metavar="PATTERN",
                        help="of the tests that CTest lists, those with such names")
    parser.add_argument("--longest", type=float, default=30, metavar="SECONDS",
                        help="what takes longer as it is is not asked")
    options = parser.parse_args()
    root, build = options.root.resolve(), options.build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    rooms = sorted(
        file.parent.name for file in (root / "tests").glob("*/CMakeLists.txt")
        if "onnx_hier_unit_test(" in file.read_text())
    places, count = build_switched(root, build, rooms)
    print(f"{len(places)} changes; {count - len(places)} more have no switch", flush=True)
    tests = learn_tests(build, options.tests, options.longest, count)
    random.Random(options.seed).shuffle(places)
    drawn = [place for place in places
             if (not options.room or place.path.parts[1] in options.room)
             and (not options.line or f"{place.path}:{place.line}" in options.line)][:options.count]
    counts = collections.defaultdict(collections.Counter)
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, by in zip(drawn, pool.map(functools.partial(which_notices, tests), drawn)):
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
