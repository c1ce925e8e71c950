# SPDX-License-Identifier: Apache-2.0
"""Throw-away file systems in a file, of kinds whose files can share blocks.

    with mounted(folder, size, "xfs") as mount_point:
        ...
        remount(mount_point)   # what is read now was on the disk

Needs root, mkfs.xfs or mkfs.btrfs, and loop devices; `Unavailable` says which of them is missing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Iterator

MAKE = {"xfs": ("mkfs.xfs", "-q", "-m", "reflink=1"), "btrfs": ("mkfs.btrfs", "-q")}
PACKAGES = {"xfs": "xfsprogs", "btrfs": "btrfs-progs"}
SMALLEST = 512 << 20  # bytes; mkfs.xfs refuses less than 300 MB


class Unavailable(Exception):
    """There can be no such file system here; the text says why."""


def run(*argv: str) -> None:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise Unavailable(f"{Path(argv[0]).name} failed: {reason}")


def find_mkfs(kind: str) -> str:
    if os.geteuid() != 0:
        raise Unavailable("mounting a loop device needs root")
    name = MAKE[kind][0]
    mkfs = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if mkfs is None:
        raise Unavailable(f"{name} was not found (package {PACKAGES[kind]})")
    return mkfs


@contextlib.contextmanager
def mounted(folder: Path, size: int, kind: str) -> Iterator[Path]:
    """Makes a sparse image of at least `size` bytes in `folder`, mounts it, and takes both away
    at the end. A mount that cannot be undone raises OSError, so that nobody deletes through it."""
    mkfs = find_mkfs(kind)
    mount_point = folder / kind
    image = image_of(mount_point)
    try:
        with open(image, "wb") as out:
            out.truncate(max(size, SMALLEST))
        run(mkfs, *MAKE[kind][1:], str(image))
        mount_point.mkdir()
        mount(mount_point)
        try:
            yield mount_point
        finally:
            unmount(mount_point)
        mount_point.rmdir()
    finally:
        image.unlink(missing_ok=True)


def image_of(mount_point: Path) -> Path:
    return mount_point.with_suffix(".img")


def mount(mount_point: Path) -> None:
    run("mount", "-o", "loop", str(image_of(mount_point)), str(mount_point))


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


def remount(mount_point: Path) -> None:
    unmount(mount_point)
    mount(mount_point)
