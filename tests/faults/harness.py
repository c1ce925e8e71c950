# SPDX-License-Identifier: Apache-2.0
"""What the tests of faults share: models, runs of the tool, what may be there afterwards."""

import hashlib
import random
import subprocess
import time

LAYERS = 200


def varint(value):
    head = b""
    while value > 127:
        head += bytes([value & 127 | 128])
        value >>= 7
    return head + bytes([value])


def field(number, content):
    """A protobuf field: a number, or something with a length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    payload = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def model_bytes(size, layers=LAYERS):
    """A chain of nodes and one weight of about `size` bytes; none of it is zeros."""
    graph = b""
    for number in range(layers):
        name = f"/encoder/layer.{number}/act/Relu"
        graph += field(
            1,
            field(1, f"v{number}") + field(2, f"v{number + 1}") + field(3, name) + field(4, "Relu"),
        )
    weight = random.Random(1).randbytes(1 << 16) * (size >> 16)
    graph += field(2, "main_graph")
    graph += field(5, field(1, len(weight)) + field(2, 3) + field(8, "weight") + field(9, weight))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def digest(path):
    """None where there is no file."""
    if not path.exists():
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def hidden_files(folder):
    return sorted(path.name for path in folder.glob(".*"))


def timed(command, folder):
    """Seconds that a command takes which must succeed."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        raise RuntimeError(f"{words}: exit {done.returncode}: {done.stderr.decode()}")
    return time.monotonic() - start
