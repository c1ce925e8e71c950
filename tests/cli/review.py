#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""'check --review' on a terminal: review.py --tool ONNX-HIER --testdata FOLDER

Answers its questions about a model as somebody would who knows the network, and looks at what becomes
of the answers: rules by which the nodes are where they were said to be, and about which nothing is
asked again.
"""

import argparse
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

PROMPT = "q(uit): "
NODE = re.compile(r"^    (\S+) \S+ .*\((/\S*)\)\r?$", re.MULTILINE)


class Session:
    """The command on a terminal of its own, in a folder with the model."""

    def __init__(self, tool, folder, *arguments):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execv(tool, [tool, "check", "m.onnx", "--review", *arguments])
        # What is typed would be read back.
        modes = termios.tcgetattr(self.terminal)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self.terminal, termios.TCSANOW, modes)

    def read(self):
        """Up to the next prompt, or the end."""
        text = ""
        while not text.endswith(PROMPT):
            try:
                more = os.read(self.terminal, 65536)
            except OSError:  # The other end is closed.
                break
            if not more:
                break
            text += more.decode()
        return text

    def answer(self, text):
        os.write(self.terminal, f"{text}\n".encode())
        return self.read()

    def code(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def require(what, is_so):
    if not is_so:
        raise SystemExit(f"review: {what}")


def questions(tool, folder, *arguments):
    done = subprocess.run([tool, "check", "m.onnx", "--review", "--json", *arguments], cwd=folder,
                          stdout=subprocess.PIPE, check=False)
    told = json.loads(done.stdout)
    require("the exit code says whether there are questions",
            done.returncode == (1 if told["questions"] else 0))
    return told


def tags(tool, folder, rules):
    done = subprocess.run([tool, "tag", "m.onnx", "--rules", rules, "--sidecar-only", "--sidecar", "-",
                           "-q"], cwd=folder, stdout=subprocess.PIPE, check=True)
    return {node["id"]: node["tag"] for node in json.loads(done.stdout)["nodes"]}


def try_all(tool, folder):
    asked = questions(tool, folder)
    require("there are doubts", asked["doubtful"] > 4 and len(asked["questions"]) > 1)

    session = Session(tool, folder)
    text = session.read()
    require("it says how many", f"{asked['doubtful']} nodes less sure than 0.9" in text)
    text = session.answer("nonsense")
    require("what is no answer is said", "that is none of these" in text)
    said = {}

    def note(listed, choice=None):
        for node, module in NODE.findall(listed):
            said[node] = choice or module

    # The first choice for all of the first question, a module for the second, nothing for the third.
    note(session.answer("l"))
    session.answer("1")
    text = session.answer("s")
    note(session.answer("l"), "/roberta/encoder")
    session.answer("/roberta/encoder")
    session.answer("n")
    text = session.answer("q")
    require("it says where the answers are", "m.rules" in text and "2 answers" in text)
    require("questions are left", session.code() == 1)

    now = tags(tool, folder, "m.rules")
    require("nodes are where they were said to be", all(now[node] == said[node] for node in said))
    again = questions(tool, folder)
    require("what was answered is not asked again", not set(said) & {
        node for question in again["questions"] for node in question["ids"]})

    # Further answers go behind those that are there, in the file that is named.
    shutil.copy(folder / "m.rules", folder / "mine.rules")
    session = Session(tool, folder, "--rules", "mine.rules", "--below", "0.95")
    session.read()
    session.answer("1")
    session.answer("q")
    session.code()
    before, after = (folder / "m.rules").read_text(), (folder / "mine.rules").read_text()
    require("answers are added", after.startswith(before) and len(after) > len(before))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--testdata", required=True, type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-review-") as name:
        folder = Path(name)
        shutil.copy(arguments.testdata / "bert_without_names.onnx", folder / "m.onnx")
        try_all(str(arguments.tool.resolve()), folder)


if __name__ == "__main__":
    sys.exit(main())
