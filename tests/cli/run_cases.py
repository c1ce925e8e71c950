#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line cases: exact exit code, standard output and standard error.

    run_cases.py --tool ONNX-HIER --testdata DIR --version X.Y.Z [--update] CASE.test...

A case file reads from top to bottom in a fresh folder:

    # Why the case is there.
    needs: without-privilege true

    setup:
      cp "$TESTDATA/bert_tiny.onnx" in.onnx

    $ onnx-hier tag missing.onnx
    exit: 2
    stderr:
      onnx-hier: missing.onnx: no such file

- `needs:` is a command; where it fails, the file is skipped (exit code 77).
- `setup:` is shell, and must succeed. `$` lines are shell too, run one after
  the other with an empty standard input; `onnx-hier` is the tool under test,
  the helpers in bin/ are at hand, and nothing else of the caller's environment.
- A stream that is not listed must be empty. What is listed must match exactly,
  but for what changes from run to run or place to place: {DIR} is the folder of
  the case, {VERSION} the version, {TIME} a duration. Control characters and
  bytes that are not UTF-8 are shown as {0x1b}.
- Text must be tidy: no space before a line's end, one newline at the very end.

--update writes what the tool says today into the files, for review.
Exit code: 0 all as expected, 1 not, 77 nothing failed but some file was skipped.
"""

import argparse
import contextlib
import dataclasses
import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
INDENT = "  "
HELPERS = Path(__file__).resolve().parent / "bin"
STEP_SECONDS = 30

DURATION = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b")
JSON_DURATION = re.compile(r'("milliseconds": ?)\d+(?:\.\d+)?')
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]")


class CaseError(Exception):
    """A case file that cannot be read, or a setup that failed."""


@dataclasses.dataclass
class Step:
    """One command and what it is expected to do, or did."""

    command: str
    exit: int = 0
    stdout: str = ""
    stderr: str = ""

    def lines(self):
        """The step as it stands in a case file."""
        result = [f"$ {self.command}", f"exit: {self.exit}"]
        for name in ("stdout", "stderr"):
            text = getattr(self, name)
            if text:
                result.append(f"{name}:")
                result += [INDENT + line if line else "" for line in text.splitlines()]
        return result


@dataclasses.dataclass
class Case:
    """A case file: steps, and the lines between them as they stand there."""

    path: Path
    parts: list  # Step or str, in the order of the file.
    needs: str
    setup: str

    def text(self):
        lines = []
        for part in self.parts:
            lines += part.lines() if isinstance(part, Step) else [part]
        return "\n".join(lines) + "\n"


def read_block(lines):
    """Takes the indented lines off the front; blank lines inside belong to it."""
    block = []
    while lines and (lines[0].startswith(INDENT) or not lines[0]):
        block.append(lines.pop(0).removeprefix(INDENT))
    blank = 0
    while block and not block[-1]:
        block.pop()
        blank += 1
    lines[:0] = [""] * blank
    return "".join(line + "\n" for line in block)


def read_case(path):
    case = Case(path, [], "", "")
    lines = path.read_text("utf-8").splitlines()
    total = len(lines)
    step = None
    while lines:
        number = total - len(lines) + 1
        line = lines.pop(0)
        key, _, value = line.partition(":")
        if line.startswith("$ "):
            step = Step(line.removeprefix("$ "))
            case.parts.append(step)
        elif not line or line.startswith("#"):
            case.parts.append(line)
        elif key == "needs":
            case.needs = value.strip()
            case.parts.append(line)
        elif line == "setup:":
            case.setup = read_block(lines)
            case.parts += [line, *(INDENT + l if l else "" for l in case.setup.splitlines())]
        elif step and key == "exit":
            step.exit = int(value)
        elif step and line in ("stdout:", "stderr:"):
            setattr(step, key, read_block(lines))
        else:
            raise CaseError(f"line {number}: not understood: {line}")
    return case


class Runner:
    """Runs case files against one tool."""

    def __init__(self, options, programs):
        self.options = options
        self.path = f"{programs}:{HELPERS}:/usr/sbin:/usr/bin:/sbin:/bin"

    def is_met(self, needs):
        with tempfile.TemporaryDirectory() as folder:
            return not needs or self._shell(needs, folder).returncode == 0

    def run(self, case):
        """What the steps of a case did."""
        with tempfile.TemporaryDirectory(prefix="onnx-hier-cli-") as folder:
            # Where a temporary folder lies behind a link, the tool may name either.
            folder = os.path.realpath(folder)
            done = self._shell("set -e\n" + case.setup, folder)
            if done.returncode != 0:
                raise CaseError(f"setup failed: {self._shown(done.stderr, folder)}")
            steps = [part for part in case.parts if isinstance(part, Step)]
            return [self._step(step.command, folder) for step in steps]

    def _step(self, command, folder):
        done = self._shell(command, folder)
        return Step(
            command,
            done.returncode,
            self._shown(done.stdout, folder),
            self._shown(done.stderr, folder),
        )

    def _shell(self, script, folder):
        environment = {
            "PATH": self.path,
            "HOME": folder,
            "LC_ALL": "C.UTF-8",
            "TESTDATA": str(self.options.testdata.resolve()),
        }
        with subprocess.Popen(
            ["/bin/sh", "-c", script],
            cwd=folder,
            env=environment,
            # Of its own, so that what a command leaves running can be ended with it.
            start_new_session=True,
            umask=0o022,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as shell:
            try:
                stdout, stderr = shell.communicate(timeout=STEP_SECONDS)
            except subprocess.TimeoutExpired as error:
                raise CaseError(f"still runs after {STEP_SECONDS} s: {script}") from error
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGKILL)
        return subprocess.CompletedProcess(script, shell.returncode, stdout, stderr)

    def _shown(self, output, folder):
        """Output as it stands in a case file."""
        text = output.decode("utf-8", "surrogateescape")
        text = text.replace(folder, "{DIR}")
        text = text.replace(f"onnx-hier {self.options.version}", "onnx-hier {VERSION}")
        text = text.replace(f'"version": "{self.options.version}"', '"version": "{VERSION}"')
        text = JSON_DURATION.sub(r"\1{TIME}", DURATION.sub("{TIME}", text))
        # A byte that is not UTF-8 was decoded to a surrogate whose low byte it is.
        return UNPRINTABLE.sub(lambda match: f"{{0x{ord(match[0]) & 0xFF:02x}}}", text)


def untidy(step):
    """What about a step's output cannot stand in a case file, and should not."""
    for name in ("stdout", "stderr"):
        text = getattr(step, name)
        if text and not text.endswith("\n"):
            yield f"{name} does not end in a newline"
        if text.endswith("\n\n") or text == "\n":
            yield f"{name} ends in a blank line"
        if re.search(r"[ \t]$", text, re.MULTILINE):
            yield f"{name} has a space before a line's end"


def compare(case, actual):
    """Prints how the steps differ from what the file expects; True if they do not."""
    expected = [part for part in case.parts if isinstance(part, Step)]
    good = True
    for want, got in zip(expected, actual, strict=True):
        for problem in untidy(got):
            good = False
            print(f"{case.path}: `{got.command}`: {problem}")
        if want != got:
            good = False
            difference = difflib.unified_diff(
                want.lines(), got.lines(), f"{case.path} (expected)", "the tool", lineterm="", n=99
            )
            print("\n".join(difference))
    return good


def update(case, actual):
    """Rewrites the case file with what the steps did."""
    remaining = iter(actual)
    case.parts = [next(remaining) if isinstance(part, Step) else part for part in case.parts]
    case.path.write_text(case.text(), "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE.test")
    parser.add_argument("--tool", required=True, type=Path, help="the onnx-hier program")
    parser.add_argument("--testdata", required=True, type=Path, help="becomes $TESTDATA")
    parser.add_argument("--version", required=True, help="the version that the tool must state")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    options = parser.parse_args()

    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="onnx-hier-bin-") as programs:
        # Only the tool, under its own name, whatever else its folder holds.
        (Path(programs) / "onnx-hier").symlink_to(options.tool.resolve(strict=True))
        runner = Runner(options, programs)
        for path in options.cases:
            try:
                case = read_case(path)
                if not runner.is_met(case.needs):
                    skipped += 1
                    print(f"skipped: {path}: `{case.needs}` does not work here")
                    continue
                actual = runner.run(case)
            except CaseError as error:
                failed += 1
                print(f"{path}: {error}")
                continue
            if options.update:
                update(case, actual)
            if not compare(case, actual):
                failed += 1
    print(f"{len(options.cases)} case files, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return SKIPPED if skipped and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
