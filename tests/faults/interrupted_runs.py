#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM, full disks, small limits, and inputs that change while they are read.

    interrupted_runs.py --tool ONNX-HIER [--rounds N] [--megabytes N] [--seed N]

Rounds of each of these at random moments or sizes. After each, the input is
whole, every output is absent, as before or complete, no hidden file is left, and

- a signal ends the run as that signal ends programs (128 + its number in a
  shell), unless the run was done before;
- with too little room (RLIMIT_FSIZE; a tmpfs of random size, where this
  program may mount one) the exit code is 2 and the error names the output;
- an input that is truncated, appended to, rewritten or replaced meanwhile gives
  an error with exit code 2, or a complete output of one of its versions;
- an input that is replaced while it is tagged or stripped in place stays as the
  other program wrote it;
- two runs that write the same output at once both leave it complete.

Exit code: 0 all well, 1 not.
"""

import argparse
import collections
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import harness

# A part of the time a run needs: the later ones of these meet the commit.
LATEST = 1.2
SECONDS = 120
FRESH = ["tag", "-q", "in.onnx", "-o", "out.onnx"]
OVER = [*FRESH, "--force"]
STRIP = ["strip", "-q", "tagged.onnx", "-o", "out.onnx", "--force"]


class Rounds:
    def __init__(self, tool, folder, chance, megabytes):
        self.tool = tool
        self.folder = folder
        self.chance = chance
        self.problems = []
        self.outcomes = collections.Counter()
        self.plain = harness.model_bytes(megabytes << 20)
        (folder / "in.onnx").write_bytes(self.plain)
        harness.timed([tool, "tag", "-q", "in.onnx", "-o", "tagged.onnx"], folder)
        self.sidecar_bytes = (folder / "tagged_hierarchy.json").read_bytes()
        (folder / "tagged_hierarchy.json").unlink()
        self.usual = min(harness.timed([tool, *OVER], folder) for _ in range(3))
        self.original = harness.digest(folder / "in.onnx")
        self.tagged = harness.digest(folder / "tagged.onnx")

    def prepare(self, old):
        for name in ("out.onnx", "out_hierarchy.json"):
            (self.folder / name).unlink(missing_ok=True)
        if old:
            (self.folder / "out.onnx").write_bytes(b"old")
            (self.folder / "out_hierarchy.json").write_bytes(b"old")

    def start(self, arguments, **options):
        return subprocess.Popen(
            [self.tool, *arguments], cwd=self.folder, stderr=subprocess.PIPE, **options
        )

    def judge(self, what, done, words, allowed, complete):
        """Outputs may have `allowed` digests; with exit code 0, `complete`."""
        out = harness.digest(self.folder / "out.onnx")
        self.outcomes[f"{what}: {done}"] += 1
        if out not in allowed:
            self.problems.append(f"{what}: the output is damaged")
        if harness.digest(self.folder / "in.onnx") != self.original:
            self.problems.append(f"{what}: the input is damaged")
        if harness.hidden_files(self.folder):
            self.problems.append(f"{what}: {harness.hidden_files(self.folder)} are left")
        if done == 0 and out not in complete:
            self.problems.append(f"{what}: exit 0 without a complete output")
        if done == 2 and words.count(b"\n") != 1:
            self.problems.append(f"{what}: not one line of error: {words!r}")

    def interrupt(self, arguments, number, old):
        self.prepare(old)
        before = harness.digest(self.folder / "out.onnx")
        complete = self.original if arguments is STRIP else self.tagged
        with self.start([*arguments, "--no-sync"]) as run:
            time.sleep(self.chance.random() * self.usual * LATEST)
            run.send_signal(number)
            words = run.communicate(timeout=SECONDS)[1]
        what = f"{arguments[0]}, {signal.Signals(number).name}"
        self.judge(what, run.returncode, words, [before, complete], [complete])
        if run.returncode not in (0, -number):
            self.problems.append(f"{what}: exit {run.returncode}: {words!r}")

    def limit(self):
        size = self.chance.randrange(len(self.plain) + (1 << 20))
        self.prepare(old=True)
        old = harness.digest(self.folder / "out.onnx")

        def lower():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        with self.start([*OVER, "--no-sync"], preexec_fn=lower) as run:
            words = run.communicate(timeout=SECONDS)[1]
        self.judge("file-size limit", run.returncode, words, [old, self.tagged], [self.tagged])
        if run.returncode not in (0, 2) or (run.returncode == 2 and b"out" not in words):
            self.problems.append(f"file-size limit {size}: {run.returncode}: {words!r}")

    def fill_disk(self, disk):
        """`disk` is a small file system; a file takes a random part of it."""
        need = os.path.getsize(self.folder / "tagged.onnx") + len(self.sidecar_bytes)
        room = os.statvfs(disk)
        taken = room.f_bavail * room.f_frsize - self.chance.randrange(int(need * 1.1))
        with open(disk / "filler", "wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, max(taken, 1))
        with self.start(["tag", "-q", "in.onnx", "-o", str(disk / "out.onnx")]) as run:
            words = run.communicate(timeout=SECONDS)[1]
        left = sorted(path.name for path in disk.iterdir())
        self.outcomes[f"full disk: {run.returncode}"] += 1
        if run.returncode == 0:
            expected = ["filler", "out.onnx", "out_hierarchy.json"]
            if harness.digest(disk / "out.onnx") != self.tagged:
                self.problems.append("full disk: exit 0 without a complete output")
        else:
            expected = ["filler"]
            if run.returncode != 2 or b"out" not in words or b"space" not in words:
                self.problems.append(f"full disk: {run.returncode}: {words!r}")
        if left != expected:
            self.problems.append(f"full disk: {left} are there")
        for path in disk.iterdir():
            path.unlink()

    def race(self):
        """The input changes all the time; what it was must come out, or an error."""
        racing = self.folder / "racing.onnx"
        versions = [self.plain, self.plain.replace(b"/encoder/", b"/decoder/")]
        racing.write_bytes(versions[0])
        stop = threading.Event()
        chance = random.Random(self.chance.random())

        def change():
            while not stop.is_set():
                kind = chance.randrange(4)
                if kind == 0:
                    os.truncate(racing, chance.randrange(len(self.plain)))
                elif kind == 1:
                    with open(racing, "ab") as stream:
                        stream.write(b"\x10\x00" * chance.randrange(1000))
                elif kind == 2:
                    other = racing.with_suffix(".new")
                    other.write_bytes(versions[chance.randrange(2)])
                    os.replace(other, racing)
                else:
                    with open(racing, "r+b") as stream:
                        stream.write(versions[chance.randrange(2)])
                time.sleep(chance.random() * self.usual / 4)

        changer = threading.Thread(target=change)
        changer.start()
        self.prepare(old=False)
        try:
            with self.start(["tag", "-q", "racing.onnx", "-o", "out.onnx", "--no-sync"]) as run:
                words = run.communicate(timeout=SECONDS)[1]
        finally:
            stop.set()
            changer.join()
        self.outcomes[f"changing input: {run.returncode}"] += 1
        out = self.folder / "out.onnx"
        if run.returncode == 2:
            if b"racing.onnx" not in words and b"out.onnx" not in words:
                self.problems.append(f"changing input: names no file: {words!r}")
            if out.exists():
                self.problems.append("changing input: exit 2 with an output")
        elif run.returncode == 0:
            harness.timed([self.tool, "strip", "-q", "out.onnx", "-o", "back.onnx"], self.folder)
            back = self.folder / "back.onnx"
            content = back.read_bytes()
            back.unlink()
            extra = content[len(self.plain) :]
            if content[: len(self.plain)] not in versions or extra.strip(b"\x10\x00"):
                self.problems.append("changing input: the output mixes versions")
        else:
            self.problems.append(f"changing input: exit {run.returncode}: {words!r}")

    def replaced(self, strip):
        """Another program puts a new model in place of the one that is worked on."""
        model = self.folder / "work.onnx"
        model.write_bytes((self.folder / ("tagged.onnx" if strip else "in.onnx")).read_bytes())
        newer = self.folder / "newer"
        newer.write_bytes(b"newer")
        command = ["strip", "-q"] if strip else ["tag", "-q", "--no-sidecar"]
        with self.start([*command, "work.onnx", "--in-place", "--no-sync"]) as run:
            time.sleep(self.chance.random() * self.usual * LATEST)
            os.replace(newer, model)
            words = run.communicate(timeout=SECONDS)[1]
        self.outcomes[f"replaced meanwhile: {run.returncode}"] += 1
        if model.read_bytes() != b"newer":
            self.problems.append("replaced meanwhile: the newer model is lost")
        if run.returncode not in (0, 2) or (run.returncode == 2 and words.count(b"\n") != 1):
            self.problems.append(f"replaced meanwhile: exit {run.returncode}: {words!r}")
        if harness.hidden_files(self.folder):
            self.problems.append(f"replaced: {harness.hidden_files(self.folder)} are left")
        model.unlink()

    def together(self):
        """Two runs, one output."""
        self.prepare(old=False)
        runs = [self.start(OVER) for _ in range(2)]
        for run in runs:
            words = run.communicate(timeout=SECONDS)[1]
            if run.returncode != 0:
                self.problems.append(f"two runs at once: exit {run.returncode}: {words!r}")
        self.judge("two runs at once", 0, b"", [self.tagged], [self.tagged])


def mounted(folder, size):
    """A small file system, or None where one may not be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], capture_output=True
    )
    return disk if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=10, help="of each kind")
    parser.add_argument("--megabytes", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # What runs in the background may have been told to ignore it, and hands that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="onnx-hier-faults-") as name:
        folder = Path(name)
        chance = random.Random(options.seed)
        rounds = Rounds(options.tool.resolve(), folder, chance, options.megabytes)
        for number in range(options.rounds):
            arguments = (FRESH, OVER, STRIP)[number % 3]
            for sent in (signal.SIGINT, signal.SIGTERM):
                rounds.interrupt(arguments, sent, old=arguments is not FRESH)
            rounds.limit()
            rounds.race()
            rounds.together()
            rounds.replaced(strip=number % 2 == 1)
        disk = mounted(folder, (options.megabytes + 8) << 20)
        try:
            for _ in range(options.rounds if disk else 0):
                rounds.fill_disk(disk)
        finally:
            if disk:
                subprocess.run(["umount", disk], check=True)
    for what, count in sorted(rounds.outcomes.items()):
        print(f"{count:5} x {what}")
    if not disk:
        print("full disk: not tried, this user cannot mount one")
    for problem in rounds.problems:
        print(problem)
    return 1 if rounds.problems else 0


if __name__ == "__main__":
    sys.exit(main())
