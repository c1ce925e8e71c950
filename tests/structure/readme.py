#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages for users show what the programs really print:
readme.py ONNX-HIER ROOT [ONNX-HIER-VERIFY] [--update]

Runs each `$ tools/run ...` and `$ onnx-hier-verify ...` of the console blocks in README.md, docs/
and tools/skill/, those of a page one after the other in a fresh folder, and compares what follows; durations
may differ. The latter are left out where that program was not built. A command is one line for the
shell. Other commands are shown and not run: they need what is not here. Links to files must lead
somewhere, those of docs/README.md to all pages beside it. --update writes into the pages what the
programs print now.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import report

PROGRAM = "tools/run "
VERIFY = "onnx-hier-verify "
FILE = "printf "  # what writes a file that these read
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
DURATION = re.compile(r"\b\d+(\.\d+)? (ms|s)\b")
LINK = re.compile(r"\]\(([^)#:\s]+)[)#]")
SECONDS = 60


def without_durations(text):
    return DURATION.sub("{TIME}", text.strip())


class Page:
    """A page whose commands are run in `folder`."""

    def __init__(self, path, folder, known):
        self.path, self.folder, self.known = path, folder, known
        self.count, self.problems = 0, []
        self.text = path.read_text("utf-8")
        self.now = BLOCK.sub(self._block, self.text)

    def _block(self, block):
        return f"```console\n{EXAMPLE.sub(self._run, block[1])}```"

    def _run(self, example):
        command, shown = example.groups()
        if not command.startswith(self.known):
            return example[0]
        self.count += 1
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=SECONDS, env={"PATH": f"{self.folder}/bin:/usr/bin:/bin"})
        if without_durations(done.stdout) == without_durations(shown):
            return example[0]
        self.problems.append(f"{self.path}: $ {command}\nprints now:\n{done.stdout.strip()}")
        space = "\n" if shown.endswith("\n\n") else ""
        return f"$ {command}\n{done.stdout}{space}"

    def dead_links(self):
        return [f"{self.path}: there is no {to}" for to in self.links()
                if not (self.path.parent / to).exists()]

    def links(self):
        return LINK.findall(self.text)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    root = Path(arguments[1]).resolve()
    known = (PROGRAM, FILE, VERIFY) if len(arguments) == 3 else (PROGRAM, FILE)
    problems, count = [], 0
    index = root / "docs/README.md"
    pages = [root / "README.md", *sorted(index.parent.glob("*.md")), root / "tools/skill/SKILL.md"]
    for path in pages:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "testdata").symlink_to(root / "testdata")
            for program, link in zip((arguments[0], *arguments[2:]),
                                     ("tools/run", "bin/onnx-hier-verify")):
                (folder / link).parent.mkdir()
                (folder / link).symlink_to(Path(program).resolve())
            page = Page(path, folder, known)
        if path == index:
            missing = {other.name for other in pages if other.parent == path.parent} - {path.name}
            problems += [f"{path}: has no link to {name}"
                         for name in sorted(missing - set(page.links()))]
        count += page.count
        problems += page.dead_links()
        if "--update" in sys.argv:
            path.write_text(page.now, "utf-8")
        else:
            problems += page.problems
    report(problems, f"{count} examples")


if __name__ == "__main__":
    main()
