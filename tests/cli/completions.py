#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions know every command and option, and shells take them: completions.py --tool ONNX-HIER

Commands and options are those of --help. bash is asked what it completes; zsh and fish, where they
are installed, only whether they can read their scripts.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = re.compile(r"^  ([a-z]+) +\S", re.MULTILINE)
OPTION = re.compile(r"^  (?:-(\w), +)?(?:    )?--([a-z][a-z-]*)", re.MULTILINE)
# Reads words of a line, the last of which is completed.
ASK_BASH = """
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { echo "compopt $*"; }
_onnx_hier
printf '%s\\n' "${COMPREPLY[@]}"
"""
READ_BY = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


class Completions:
    def __init__(self, tool, folder):
        self.tool = tool
        self.problems = []
        self.checks = 0
        self.scripts = {}
        for shell in READ_BY:
            self.scripts[shell] = folder / shell
            self.scripts[shell].write_text(self.say("completion", shell), "utf-8")

    def say(self, *words):
        return subprocess.run([self.tool, *words], capture_output=True, text=True,
                              check=True).stdout

    def expect(self, what, good):
        self.checks += 1
        if not good:
            self.problems.append(what)

    def bash(self, *words):
        done = subprocess.run(["bash", "--norc", "-c", ASK_BASH, "bash", self.scripts["bash"],
                               "onnx-hier", *words], capture_output=True, text=True, check=True)
        self.expect(f"bash says {done.stderr}", done.stderr == "")
        return done.stdout.split()

    def syntax(self):
        for shell, reader in READ_BY.items():
            if shutil.which(reader[0]):
                done = subprocess.run([*reader, self.scripts[shell]], capture_output=True, text=True)
                self.expect(f"{shell} does not read its script: {done.stderr}",
                            done.returncode == 0 and done.stderr == "")

    def options(self, command):
        found = OPTION.findall(self.say(command, "--help"))
        self.expect(f"{command} has options", len(found) > 1)
        shown = self.bash(command, "--")
        self.expect(f"bash completes {shown} of {command}",
                    shown == [f"--{name}" for _, name in found])
        zsh = self.scripts["zsh"].read_text().partition(f"\n    {command})")[2].partition(";;")[0]
        for letter, name in found:
            self.expect(f"zsh: {command} --{name}",
                        f"--{name}[" in zsh or f"-{letter},--{name}}}" in zsh)
            fish = f"from {command}' -l {name}" + (f" -s {letter}" if letter else "") + " "
            self.expect(f"fish: {command} --{name}", fish in self.scripts["fish"].read_text())

    def values(self):
        self.expect("choices", self.bash("tag", "--external-data", "") == ["copy", "keep"])
        self.expect("a folder", self.bash("split", "--output-dir", "") == [
            "compopt", "-o", "dirnames"])
        self.expect("no file for a number", "+o" in self.bash("tag", "-j", ""))
        self.expect("files", self.bash("tag", "") == [])
        for words in (("tree", "--profile"), ("tag", "--files-from"), ("profile", "--compare")):
            self.expect(f"files for {words}", "+o" not in self.bash(*words, ""))
        self.expect("formats", self.bash("tree", "--format", "c") == ["csv"])
        self.expect("columns", "alive" in self.bash("tree", "--sort", ""))
        self.expect("a part of a name", self.bash("ta") == ["tag"])
        self.expect("shells", self.bash("completion", "z") == ["zsh"])

    def check(self):
        self.syntax()
        commands = COMMAND.findall(
            self.say("--help").partition("Commands:\n")[2].partition("\n\n")[0])
        self.expect("commands", len(commands) > 10)
        self.expect("bash completes commands", self.bash("")[:len(commands)] == commands)
        for command in commands:
            self.options(command)
        self.values()
        wrong = subprocess.run([self.tool, "completion", "tcsh"], capture_output=True, text=True)
        self.expect("an unknown shell is an error",
                    wrong.returncode == 2 and "bash, zsh or fish" in wrong.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    tool = parser.parse_args().tool.resolve()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-completions-") as folder:
        completions = Completions(tool, Path(folder))
        completions.check()
    for problem in completions.problems:
        print(f"WRONG {problem}")
    print(f"{completions.checks} checks, {len(completions.problems)} wrong")
    return 1 if completions.problems else 0


if __name__ == "__main__":
    sys.exit(main())
