#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weights are shared where the file system can, and the bytes are those of a copy.

    shared_blocks.py --tool ONNX-HIER KIND

Makes a file system of that kind (xfs, btrfs) in a file, and in it, for each
command that writes a model:

- the output is byte for byte what the command writes to a pipe, which is always
  copied; also after unmounting and mounting again;
- all but its first part lies in blocks that it shares with the input;
- it is written where there is no room for a copy, and if there is no room at
  all, the error is one line and nothing is left.

Exit code: 0 all well, 1 not, 77 there can be no such file system here.
"""

import argparse
import contextlib
import fcntl
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "faults")]
import disk_image  # noqa: E402
import harness  # noqa: E402

SKIPPED = 77
WEIGHTS = 64 << 20  # bytes
# What is written anew of an output: nodes, and blocks that are not whole.
MOST_UNSHARED = 1 << 20
LEFT_FREE = 16 << 20  # too little for the weights, enough for all else

# linux/fiemap.h
FS_IOC_FIEMAP = 0xC020660B
FIEMAP_FLAG_SYNC = 1
FIEMAP_EXTENT_SHARED = 0x2000
HEADER = struct.Struct("=QQIIII")
EXTENT = struct.Struct("=QQQQQIIII")
MOST_EXTENTS = 1000


def shared_bytes(path):
    """How many bytes of a file lie in blocks that other files have too."""
    room = bytes(EXTENT.size * MOST_EXTENTS)
    request = bytearray(HEADER.pack(0, 2**64 - 1, FIEMAP_FLAG_SYNC, 0, MOST_EXTENTS, 0) + room)
    with open(path, "rb") as file:
        fcntl.ioctl(file, FS_IOC_FIEMAP, request)
    count = HEADER.unpack_from(request)[3]
    extents = [EXTENT.unpack_from(request, HEADER.size + EXTENT.size * i) for i in range(count)]
    return sum(extent[2] for extent in extents if extent[5] & FIEMAP_EXTENT_SHARED)


def with_external_data(location, size):
    """A model of one node whose weight of `size` bytes is the file at `location`."""
    entry = harness.field(13, harness.field(1, "location") + harness.field(2, location))
    tensor = harness.field(1, size) + harness.field(2, 3) + harness.field(8, "w")
    node = harness.field(1, "w") + harness.field(2, "y") + harness.field(4, "Neg")
    graph = harness.field(1, node) + harness.field(5, tensor + entry + harness.field(14, 1))
    return harness.field(1, 8) + harness.field(7, graph)


class Test:
    """The commands on one file system; all that is wrong goes to `problems`."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.problems = []
        self.written = {}  # name: what the command wrote to a pipe

    def run(self, *arguments):
        return subprocess.run([self.tool, *arguments], cwd=self.folder, capture_output=True)

    def check(self, good, problem):
        if not good:
            self.problems.append(problem)

    def succeed(self, *arguments):
        done = self.run(*arguments)
        if done.returncode not in (0, 1):  # `check` has found something
            raise RuntimeError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def write(self, output, *arguments):
        """Runs a command with `output` as its output."""
        self.written[output] = self.succeed(*arguments, "-q", "-o", "-")
        self.succeed(*arguments, "-q", "-o", output)
        self.look_at(output)

    def look_at(self, output):
        path = self.folder / output
        self.check(path.read_bytes() == self.written[output], f"{output}: not what a copy has")
        unshared = path.stat().st_size - shared_bytes(path)
        self.check(unshared <= MOST_UNSHARED, f"{output}: {unshared} bytes are not shared")

    def commands(self):
        original = harness.model_bytes(WEIGHTS)
        (self.folder / "in.onnx").write_bytes(original)
        self.write("tagged.onnx", "tag", "in.onnx", "--sidecar", "tags.json", "--force")
        self.write("again.onnx", "tag", "tagged.onnx", "--no-sidecar")
        self.write("stripped.onnx", "strip", "tagged.onnx")
        self.write("applied.onnx", "apply", "tags.json", "in.onnx")
        right, wrong = (b'"hierarchy_path":"/encoder/layer.%d/act"' % i for i in (120, 121))
        tagged = self.written["tagged.onnx"]
        (self.folder / "wrong.onnx").write_bytes(tagged.replace(right, wrong))
        self.write("fixed.onnx", "check", "wrong.onnx", "--fix")
        for name, wanted in (("again", tagged), ("stripped", original), ("applied", tagged)):
            self.check(self.written[f"{name}.onnx"] == wanted, f"{name}.onnx: not as it should be")
        # Its blocks stay shared with tagged.onnx once it has replaced in.onnx.
        self.written["in.onnx"] = tagged
        self.succeed("tag", "in.onnx", "--in-place", "-q", "--no-sidecar")
        self.look_at("in.onnx")

    def external_data(self):
        (self.folder / "from").mkdir()
        (self.folder / "to").mkdir()
        weights = harness.model_bytes(WEIGHTS)[:-7]
        (self.folder / "from/w.bin").write_bytes(weights)
        (self.folder / "from/m.onnx").write_bytes(with_external_data("w.bin", len(weights)))
        self.written["to/w.bin"] = weights
        arguments = ("tag", "-q", "from/m.onnx", "-o", "to/m.onnx", "--external-data", "copy")
        self.succeed(*arguments)
        self.look_at("to/w.bin")

    def on_a_full_disk(self):
        with self.filled(LEFT_FREE):
            self.written["little.onnx"] = self.written["again.onnx"]
            self.succeed("tag", "-q", "stripped.onnx", "-o", "little.onnx", "--no-sidecar")
            self.look_at("little.onnx")
        before = sorted(path.name for path in self.folder.iterdir())
        with self.filled(0):
            done = self.run("tag", "-q", "stripped.onnx", "-o", "none.onnx", "--no-sidecar")
            words = done.stderr.decode()
        self.check(done.returncode == 2, f"full disk: exit {done.returncode}: {words}")
        self.check(words.count("\n") == 1 and "none.onnx" in words, f"full disk: {words}")
        left = sorted(path.name for path in self.folder.iterdir())
        self.check(left == before, f"full disk: {left} are left")

    @contextlib.contextmanager
    def filled(self, left):
        """Leaves about as many bytes free."""
        path = self.folder / "filler"
        try:
            with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
                piece = bytes(1 << 20)
                while (free := self.free()) > left:
                    file.write(piece[: min(len(piece), free - left)])
                    # Room that was promised is not yet room that is taken.
                    os.fsync(file.fileno())
            yield
        finally:
            path.unlink()

    def free(self):
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=tuple(disk_image.MAKE))
    parser.add_argument("--tool", required=True, type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-reflink-") as work:
        try:
            with disk_image.mounted(Path(work), 8 * WEIGHTS, options.kind) as mount_point:
                test = Test(options.tool.resolve(), mount_point)
                test.commands()
                test.external_data()
                test.on_a_full_disk()
                disk_image.remount(mount_point)
                for output in test.written:
                    test.look_at(output)
        except disk_image.Unavailable as reason:
            print(f"skipped: {reason}")
            return SKIPPED
    for problem in test.problems:
        print(problem)
    print(f"{len(test.written)} outputs on {options.kind}, {len(test.problems)} problems")
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
