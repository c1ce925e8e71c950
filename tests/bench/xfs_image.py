"""A throw-away XFS file system in a file, to measure copies that share blocks.

    with mounted(folder, size) as mount_point:
        ...

Needs root, mkfs.xfs and loop devices; `Unavailable` says which of them is missing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Iterator

SMALLEST = 512 << 20  # bytes; mkfs.xfs refuses less than 300 MB


class Unavailable(Exception):
    """There can be no such file system here; the text says why."""


def run(*argv: str) -> None:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise Unavailable(f"{Path(argv[0]).name} failed: {reason}")


def find_mkfs() -> str:
    if os.geteuid() != 0:
        raise Unavailable("mounting a loop device needs root")
    mkfs = shutil.which("mkfs.xfs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if mkfs is None:
        raise Unavailable("mkfs.xfs was not found (package xfsprogs)")
    return mkfs


@contextlib.contextmanager
def mounted(folder: Path, size: int) -> Iterator[Path]:
    """Makes a sparse image of at least `size` bytes in `folder`, mounts it, and takes both away
    at the end. A mount that cannot be undone raises OSError, so that nobody deletes through it."""
    mkfs = find_mkfs()
    image, mount_point = folder / "xfs.img", folder / "xfs"
    try:
        with open(image, "wb") as out:
            out.truncate(max(size, SMALLEST))
        run(mkfs, "-q", "-m", "reflink=1", str(image))
        mount_point.mkdir()
        run("mount", "-o", "loop", str(image), str(mount_point))
        try:
            yield mount_point
        finally:
            unmount(mount_point)
        mount_point.rmdir()
    finally:
        image.unlink(missing_ok=True)


def unmount(mount_point: Path) -> None:
    """Tries for a second or so: a command that was just killed may still be on its way out."""
    for attempt in range(1, 6):
        try:
            return run("umount", str(mount_point))
        except Unavailable as failure:
            if attempt == 5:
                raise OSError(f"{mount_point} is still mounted: {failure}; "
                              "unmount it by hand") from failure
        time.sleep(0.3)
