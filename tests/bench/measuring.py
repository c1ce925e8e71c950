# SPDX-License-Identifier: Apache-2.0
"""Runs commands in turn and keeps what each run cost.

    launcher = Launcher(Path("launch"))
    rows = run_rounds(launcher, commands, workspace, rounds=5, cold=False)

Commands are compared only within one call: round by round, A B C A B C, so that a slow
minute of the machine falls on all of them alike.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Sequence


class CommandFailed(Exception):
    """The command did not do its job; the text says how."""


@dataclass(frozen=True)
class Command:
    """One way of doing a job.

    `inputs` are the files it reads. `outputs` maps each file it must leave behind to its
    least size in bytes, so that a command that quietly does less is not measured;
    `output_count` is how many files there must be at least, for a command that names its
    outputs itself. `durable`: it returns only when its output is on the disk.
    """

    label: str
    argv: tuple[str, ...]
    inputs: tuple[Path, ...] = ()
    outputs: dict[Path, int] = field(default_factory=dict)
    output_count: int = 0
    durable: bool = False


@dataclass(frozen=True)
class Run:
    """The cost of one run: milliseconds, and megabytes of 10^6 bytes."""

    wall_ms: float
    cpu_ms: float
    peak_rss_mb: float


@dataclass
class Row:
    """A command's measured runs, or why it has none."""

    command: Command
    runs: list[Run] = field(default_factory=list)
    error: str | None = None

    def wall_median(self) -> float:
        return statistics.median(run.wall_ms for run in self.runs)

    def wall_minimum(self) -> float:
        return min(run.wall_ms for run in self.runs)

    def cpu_median(self) -> float:
        return statistics.median(run.cpu_ms for run in self.runs)

    def peak_rss(self) -> float:
        return max(run.peak_rss_mb for run in self.runs)


class Launcher:
    """Starts commands through the small program `launch`, which takes the figures."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def run(self, command: Command) -> Run:
        # A session of its own, so that an interrupted benchmark can end the command and
        # everything it started before their folder is deleted.
        with subprocess.Popen([str(self._program), *command.argv], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                figures, complaint = process.communicate()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        if process.returncode != 0:
            raise CommandFailed(last_line(complaint))
        wall_ns, cpu_us, rss_kib, code = map(int, figures.split())
        if code != 0:
            raise CommandFailed(f"exit code {code}: {last_line(complaint)}")
        return Run(wall_ns / 1e6, cpu_us / 1e3, rss_kib * 1024 / 1e6)


class Workspace:
    """A folder for outputs that is emptied before each run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def empty(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()


def last_line(text: str) -> str:
    """The line of an error output that most likely names the error."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


def evict(path: Path) -> None:
    """Drops a file from the page cache. Dirty pages cannot be dropped: they are written first."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def check_outputs(command: Command, workspace: Workspace) -> None:
    count = sum(1 for _ in workspace.folder.iterdir())
    if count < command.output_count:
        raise CommandFailed(f"left {count} files, at least {command.output_count} expected")
    for path, least in command.outputs.items():
        if not path.is_file():
            raise CommandFailed(f"left no {path.name}")
        if path.stat().st_size < least:
            raise CommandFailed(f"left {path.name} with {path.stat().st_size} bytes, "
                                f"at least {least} expected")


def run_once(launcher: Launcher, command: Command, workspace: Workspace, cold: bool) -> Run:
    workspace.empty()
    if cold:
        for path in command.inputs:
            evict(path)
    run = launcher.run(command)
    check_outputs(command, workspace)
    return run


def run_rounds(launcher: Launcher, commands: Sequence[Command], workspace: Workspace, *,
               rounds: int, cold: bool, progress: Callable[[str], None]) -> list[Row]:
    """Measures each command once per round, each time right after an unmeasured run of the same
    command: the first touch of memory and of file-system structures is paid there. A command
    that fails is left out of the rounds that follow."""
    rows = [Row(command) for command in commands]
    for number in range(1, rounds + 1):
        for row in rows:
            if row.error:
                continue
            progress(f"round {number}/{rounds}: {row.command.label}")
            try:
                run_once(launcher, row.command, workspace, cold)
                row.runs.append(run_once(launcher, row.command, workspace, cold))
            except CommandFailed as failure:
                row.error = str(failure)
                row.runs.clear()
    workspace.empty()
    return rows
