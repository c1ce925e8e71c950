#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets each system call of each command fail in turn: nothing is lost, nothing left behind.

    failing_calls.py --tool ONNX-HIER --shim fault_shim.so --testdata FOLDER

For each command that writes a model, each call it makes (open, pread, pwrite,
fsync, rename, ...) and each way in which that call can fail, the command runs
with just that failure (fault_shim.cc). Afterwards

- the input is whole, each output is absent, as before or complete;
- exit code 2 comes with one line that names a file, 0 with complete outputs;
- no hidden file is left, unless removing it, or the lock that says whose it is,
  was what failed: then that is said (but with -q), and the next run removes it;
- interrupted calls (EINTR), short counts and refused clones make no difference
  at all.

Exit code: 0 all well, 1 not.
"""

import argparse
import collections
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import harness

# How each call can fail, by its manual page.
FAULTS = {
    "open": ("EACCES", "EMFILE", "ENOSPC", "EINTR"),
    "tmpfile": ("EOPNOTSUPP", "ENOSPC", "EMFILE"),
    "read": ("EIO", "EINTR", "short"),
    "pread": ("EIO", "EINTR", "short"),
    "write": ("ENOSPC", "EIO", "EINTR", "short"),
    "pwrite": ("ENOSPC", "EIO", "EFBIG", "EINTR", "short"),
    "fsync": ("EIO", "ENOSPC", "EINTR"),
    "fallocate": ("ENOSPC", "EINTR", "EOPNOTSUPP"),
    "ftruncate": ("EIO",),
    "clone": ("EOPNOTSUPP", "EXDEV", "ENOSPC", "EIO", "EINTR"),
    "flock": ("ENOLCK", "EWOULDBLOCK"),
    "fchmod": ("EPERM",),
    "fchown": ("EPERM",),
    "fstat": ("EIO",),
    "fstatat": ("EIO",),
    "flistxattr": ("EIO",),
    "mkdirat": ("ENOSPC", "EACCES"),
    "unlinkat": ("EACCES",),
    "linkat": ("ENOSPC", "EACCES", "ENOENT"),
    "renameat": ("EIO", "ENOSPC"),
    "renameat2": ("EIO", "ENOSPC", "EINVAL"),
}
# Where one of these fails, a hidden file may stay until the next run.
MAY_LEAVE = ("unlinkat", "flock", "fstat")
LASTING = ("ENOSPC", "EIO", "EOPNOTSUPP")
# These must not show at all, except where POSIX lets a call fail for good.
HARMLESS = ("EINTR", "short")
# What cannot be cloned is copied.
NEVER_NEEDED = ("clone",)
SECONDS = 60


def is_hidden(path):
    return any(name.startswith(".") for name in path.split("/"))


class Case:
    """A command, the files it starts from, and what it makes of them."""

    def __init__(self, name, arguments, files, stdin=None, lacking="", calls=()):
        self.name = name
        self.arguments = arguments
        self.files = files
        self.stdin = stdin
        self.lacking = lacking  # faults that are there from the start
        self.calls = calls or FAULTS  # those that fail
        self.after = {}


class Sweep:
    def __init__(self, options, work):
        self.options = options
        self.work = work
        self.calls = work / "calls"
        self.folder = work / "folder"
        self.problems = []
        self.runs = collections.Counter()

    def prepare(self, case):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, content in case.files.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(content)

    def run(self, case, fault=""):
        environment = {**os.environ, "LD_PRELOAD": str(self.options.shim)}
        # A sanitizer wants to come first.
        environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        if fault or case.lacking:
            environment["ONNX_HIER_FAULT"] = ",".join(filter(None, (case.lacking, fault)))
        if not fault:
            environment["ONNX_HIER_CALLS"] = str(self.calls)
        return subprocess.run(
            [self.options.tool, *case.arguments],
            cwd=self.folder,
            env=environment,
            input=case.stdin,
            stdin=subprocess.DEVNULL if case.stdin is None else None,
            capture_output=True,
            timeout=SECONDS,
        )

    def contents(self):
        return {
            str(path.relative_to(self.folder)): b"" if path.is_dir() else path.read_bytes()
            for path in self.folder.rglob("*")
        }

    def sweep(self, case):
        self.prepare(case)
        self.calls.unlink(missing_ok=True)
        done = self.run(case)
        if done.returncode != 0:
            raise RuntimeError(f"{case.name}: {done.stderr.decode()}")
        case.after = self.contents()
        case.stdout = done.stdout
        counts = collections.Counter(
            line.split(" ", 1)[0] for line in self.calls.read_text().splitlines()
        )
        for call in case.calls:
            for kind in FAULTS[call]:
                # 1+: it never works again. A disk that is full stays full.
                lasting = ["1+"] if kind in LASTING and counts[call] > 0 else []
                for number in [*range(1, counts[call] + 1), *lasting]:
                    self.fail(case, call, number, kind)

    def fail(self, case, call, number, kind):
        fault = f"{call}:{number}:{kind if kind == 'short' else getattr(errno, kind)}"
        self.prepare(case)
        self.runs[call] += 1
        try:
            done = self.run(case, fault)
        except subprocess.TimeoutExpired:
            self.problems.append(f"{case.name}: {call} {number} {kind}: hangs")
            return
        for problem in self.judge(case, call, kind, done):
            self.problems.append(f"{case.name}: {call} {number} {kind}: {problem}")

    def torn_pairs(self, case, found):
        """Parts that are there without their own data: "part.data", or the new "part.data.1"."""
        for name in case.after:
            if not name.endswith(".onnx") or f"{name[:-5]}.data.1" not in case.after:
                continue
            is_old = found.get(name) == case.files.get(name)
            data = name[:-5] + (".data" if is_old else ".data.1")
            if found.get(data) != (case.files if is_old else case.after)[data]:
                yield f"{name} is there without its data"

    def judge(self, case, call, kind, done):
        found = self.contents()
        yield from self.torn_pairs(case, found)
        visible = {name: data for name, data in found.items() if not is_hidden(name)}
        for name in sorted({**case.files, **case.after, **visible}):
            allowed = [case.files.get(name), case.after.get(name)]
            if found.get(name) not in allowed:
                yield f"{name} is damaged"
        hidden = set(found) - set(visible)
        if hidden and call not in MAY_LEAVE:
            yield f"{sorted(hidden)} are left"
        elif hidden:
            is_told = "-q" in case.arguments or b"hidden folder" in done.stderr
            if done.returncode == 0 and not is_told:
                yield f"{sorted(hidden)} are left without a word"
            for name, data in case.files.items():
                (self.folder / name).write_bytes(data)
            force = [] if "--force" in case.arguments else ["--force"]
            again = self.run(Case("", [*case.arguments, *force], {}, case.stdin))
            if again.returncode != 0 or any(map(is_hidden, self.contents())):
                yield "the next run leaves it"
        words = done.stderr.decode(errors="replace")
        if done.returncode == 0:
            if visible != case.after or done.stdout != case.stdout:
                yield "exit 0 without complete outputs"
        elif done.returncode == 2:
            if words.count("\n") != 1 or not any(
                name in words for name in (*case.after, "standard", "/var/tmp")
            ):
                yield f"the error is not one line that names a file: {words!r}"
            if call in NEVER_NEEDED or kind in HARMLESS and call != "open":
                yield f"not tolerated: {words!r}"
        else:
            yield f"exit {done.returncode}: {words!r}"


def cases(options):
    """The commands, with outputs of the tool itself as inputs where they need some."""
    plain = (options.testdata / "resnet.onnx").read_bytes()
    wrong = (options.testdata / "tags_wrong_odd.onnx").read_bytes()
    # Copied in a dozen pieces: the first, the last, and those between.
    large = harness.model_bytes(6 << 20)
    shared = harness.model_bytes(20 << 20)
    with tempfile.TemporaryDirectory(prefix="onnx-hier-faults-") as name:
        folder = Path(name)
        (folder / "in.onnx").write_bytes(plain)
        command = [options.tool, "tag", "-q", "in.onnx", "-o", "t.onnx", "--sidecar", "t.json"]
        harness.timed(command, folder)
        subprocess.run([options.make_model, "e.onnx", "w.bin"], cwd=folder, check=True)
        beside = {"in.onnx": (folder / "e.onnx").read_bytes(), "w.bin": bytes(32)}
        for words in (
            ["fold", "-q", "in.onnx", "-o", "folded.onnx"],
            ["fold", "-q", "e.onnx", "-o", "f.onnx", "--min-nodes", "1"],
            ["tag", "-q", "e.onnx", "--sidecar-only", "--sidecar", "e.json"],
        ):
            harness.timed([options.tool, *words], folder)
        folded = (folder / "folded.onnx").read_bytes()
        data_folded = {"in.onnx": (folder / "f.onnx").read_bytes(), "w.bin": bytes(32)}
        data_tags = {**beside, "tags.json": (folder / "e.json").read_bytes()}
        parts = split_before(options.tool, folder / "before", beside["in.onnx"])
        tagged = (folder / "t.onnx").read_bytes()
        sidecar = (folder / "t.json").read_bytes()
    # Weights that are shared where they can be.
    sharing = Case(
        "tag, shared",
        ["tag", "-q", "in.onnx", "-o", "out.onnx"],
        {"in.onnx": shared},
        calls=("clone",),
    )
    found = [
        sharing,
        Case("tag -o", ["tag", "-q", "in.onnx", "-o", "out.onnx"], {"in.onnx": plain}),
        Case(
            "tag --force",
            ["tag", "-q", "in.onnx", "-o", "out.onnx", "--force"],
            {"in.onnx": plain, "out.onnx": b"old", "out_hierarchy.json": b"old"},
        ),
        Case("tag --in-place", ["tag", "-q", "in.onnx", "--in-place"], {"in.onnx": plain}),
        Case("tag, large", ["tag", "-q", "in.onnx", "-o", "out.onnx"], {"in.onnx": large}),
        Case("tag - -o -", ["tag", "-q", "-", "-o", "-", "--no-sidecar"], {}, plain),
        Case("strip -o", ["strip", "-q", "in.onnx", "-o", "out.onnx"], {"in.onnx": tagged}),
        Case("strip --in-place", ["strip", "-q", "in.onnx", "--in-place"], {"in.onnx": tagged}),
        Case(
            "check --fix",
            ["check", "-q", "in.onnx", "--fix", "-o", "out.onnx"],
            {"in.onnx": wrong},
        ),
        Case(
            "check --fix --in-place",
            ["check", "-q", "in.onnx", "--fix", "--in-place"],
            {"in.onnx": wrong},
        ),
        Case(
            "apply",
            ["apply", "-q", "tags.json", "in.onnx", "-o", "out.onnx"],
            {"in.onnx": plain, "tags.json": sidecar},
        ),
    ]
    several = ["split", "-q", "in.onnx", "--output-dir", ".", "--parts", "3", "--by", "nodes"]
    found.append(Case("split", several, {"in.onnx": plain}))
    found += data_cases(beside)
    # Over parts that have data of the same names.
    words = ["split", "-q", "in.onnx", "--output-dir", "sub", "--force"]
    found.append(Case("split, cut --force", words, {**beside, **parts, "w.bin": b"new." * 8}))
    copied = ["-o", "sub/out.onnx", "--external-data", "copy"]
    kept = {"sub/other": b""}
    found += [
        Case("unfold, data", ["unfold", "-q", "in.onnx", *copied], {**data_folded, **kept}),
        Case("apply, data", ["apply", "-q", "tags.json", "in.onnx", *copied], {**data_tags, **kept}),
        Case("unfold --in-place", ["unfold", "-q", "in.onnx", "--in-place"], {"in.onnx": folded}),
        Case("tag, folded", ["tag", "-q", "in.onnx", "-o", "out.onnx"], {"in.onnx": folded}),
        Case("select, folded", ["select", "in.onnx", "**", "--format", "ids"], {"in.onnx": folded}),
    ]
    # File systems without unnamed files, and without exclusive renames.
    no_unnamed = f"tmpfile:1+:{errno.EOPNOTSUPP}"
    no_renameat2 = f"{no_unnamed},renameat2:1+:{errno.EINVAL}"
    for name, lacking in (("no O_TMPFILE", no_unnamed), ("no renameat2", no_renameat2)):
        found += [
            Case(f"{case.name}, {name}", case.arguments, case.files, case.stdin, lacking, case.calls)
            for case in found[:6]
        ]
    return found


def split_before(tool, folder, model):
    """The files of an earlier split, by the names that they have now."""
    (folder / "sub").mkdir(parents=True)
    (folder / "in.onnx").write_bytes(model)
    (folder / "w.bin").write_bytes(b"old." * 8)
    harness.timed([tool, "split", "-q", "in.onnx", "--output-dir", "sub"], folder)
    return {f"sub/{path.name}": path.read_bytes() for path in (folder / "sub").iterdir()}


def data_cases(beside):
    """Commands that copy data files along or cut them, and those that write pages and folded models."""
    copy = ["--external-data", "copy"]
    other = {**beside, "sub/w.bin": b"old", "sub/out.onnx": b"old"}
    extract = ["extract", "-q", "in.onnx", "encoder.layer.0", "-o", "sub/out.onnx", *copy]
    loud = [word for word in extract if word != "-q"]
    split = ["split", "-q", "in.onnx", "--output-dir", "sub"]
    cut = {**beside, "sub/out.data": b"old", "sub/out.onnx": b"old"}
    return [
        Case("extract, data", extract, {**beside, "sub/other": b""}),
        Case("extract, data --force", [*loud, "--force"], other),
        Case("split, data", [*split, *copy], {**beside, "sub/other": b""}),
        Case("extract, cut --force", [*loud[: -len(copy)], "--force"], cut),
        Case("split, cut", split, {**beside, "sub/other": b""}),
        Case("fold", ["fold", "-q", "in.onnx", "-o", "out.onnx"], beside),
        Case("report", ["report", "-q", "in.onnx", "-o", "out.html"], beside),
        Case("export", ["export", "-q", "in.onnx", "-o", "out.json"], beside),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--shim", required=True, type=Path)
    parser.add_argument("--testdata", required=True, type=Path)
    parser.add_argument("--only", default="", metavar="NAME", help="cases whose name has it")
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    options.shim = options.shim.resolve()
    options.make_model = Path(__file__).resolve().parent.parent / "cli/bin/make-model"
    with tempfile.TemporaryDirectory(prefix="onnx-hier-faults-") as work:
        sweep = Sweep(options, Path(work))
        for case in cases(options):
            if options.only in case.name:
                sweep.sweep(case)
    for problem in sweep.problems:
        print(problem)
    kinds = ", ".join(f"{call} {count}" for call, count in sweep.runs.items())
    print(f"{sum(sweep.runs.values())} failures ({kinds}), {len(sweep.problems)} problems")
    return 1 if sweep.problems else 0


if __name__ == "__main__":
    sys.exit(main())
