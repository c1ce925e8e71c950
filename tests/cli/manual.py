#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each command has a page of the manual with all its options, of which man has nothing to say:
manual.py --tool ONNX-HIER

Exit code 77 (skipped) if all is well but man is not installed.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
COMMAND = re.compile(r"^  ([a-z]+) +\S", re.MULTILINE)
OPTION = re.compile(r"^  (?:-\w, +)?(?:    )?(--[a-z][a-z-]*)", re.MULTILINE)


def say(tool, *words):
    return subprocess.run([tool, *words], capture_output=True, text=True, check=True).stdout


def roff(text):
    return text.replace("-", "\\-")


def warnings_of(page):
    with tempfile.NamedTemporaryFile("w", suffix=".1", encoding="utf-8") as file:
        file.write(page)
        file.flush()
        done = subprocess.run(["man", "-E", "UTF-8", "--warnings", "-l", file.name],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    tool = parser.parse_args().tool.resolve()
    problems = []
    commands = COMMAND.findall(say(tool, "--help").partition("Commands:\n")[2].partition("\n\n")[0])
    pages = {"onnx-hier": say(tool, "help", "--man")}
    for command in commands:
        name = f"onnx-hier-{command}"
        if f"\n.BR {roff(name)} (1)\n" not in pages["onnx-hier"]:
            problems.append(f"onnx-hier(1) does not name {name}(1)")
        pages[name] = say(tool, "help", command, "--man")
        options = OPTION.findall(say(tool, command, "--help"))
        problems += [f"{name}(1) lacks {option}" for option in options
                     if not re.search(rf"^\.B .*{re.escape(roff(option))}( |$)", pages[name],
                                      re.MULTILINE)]
        if not options:
            problems.append(f"{command} has no options")
    has_man = shutil.which("man") is not None
    if has_man:
        problems += [f"{name}(1): {said}" for name, page in pages.items()
                     if (said := warnings_of(page))]
    for problem in problems:
        print(f"WRONG {problem}")
    print(f"{len(pages)} pages, {len(problems)} problems" + ("" if has_man else "; man is missing"))
    return 1 if problems else 0 if has_man else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
