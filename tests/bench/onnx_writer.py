# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files of any size with little memory, for make_models.py.

The protobuf library would need the whole model in memory and stops at 2 GiB, so the
wire format is written by hand, canonically: shortest lengths, fields in ascending
order. A file equals, byte for byte, what protobuf itself would write.

Field numbers are those of onnx.proto; they stand as plain numbers beside the value
they carry, since each is used once.
"""

from __future__ import annotations

import array
import contextlib
import enum
import functools
import os
import random
import shutil
import struct
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Callable, Iterator, Sequence

FLOAT, INT64 = 1, 7  # TensorProto.DataType
ATTRIBUTE_INT, ATTRIBUTE_TENSOR, ATTRIBUTE_INTS = 2, 4, 7  # AttributeProto.AttributeType

EXTERNAL_FROM = 1024  # bytes; smaller tensors stay in the model, as exporters leave them
EXTERNAL_ALIGNMENT = 4096  # so that a reader can map each tensor


# ---------------------------------------------------------------- wire format


def varint(value: int) -> bytes:
    """`value` as a protobuf varint; negative numbers as 64-bit two's complement."""
    if 0 <= value < 0x80:
        return bytes((value,))
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def head(field: int, size: int) -> bytes:
    """What stands before `size` bytes of a length-delimited field."""
    return varint(field << 3 | 2) + varint(size)


def blob(field: int, payload: bytes) -> bytes:
    return head(field, len(payload)) + payload


def text(field: int, value: str) -> bytes:
    return blob(field, value.encode())


# ------------------------------------------------------------ ONNX messages


@functools.lru_cache(maxsize=None)
def int_attribute(name: str, value: int) -> bytes:
    return blob(5, text(1, name) + number(3, value) + number(20, ATTRIBUTE_INT))


@functools.lru_cache(maxsize=None)
def ints_attribute(name: str, values: tuple[int, ...]) -> bytes:
    items = b"".join(number(8, value) for value in values)
    return blob(5, text(1, name) + items + number(20, ATTRIBUTE_INTS))


@functools.lru_cache(maxsize=None)
def tensor_attribute(data_type: int, dims: tuple[int, ...], raw: bytes) -> bytes:
    tensor = b"".join(number(1, dim) for dim in dims) + number(2, data_type) + blob(9, raw)
    return blob(5, text(1, "value") + blob(5, tensor) + number(20, ATTRIBUTE_TENSOR))


def value_info(field: int, name: str, data_type: int, dims: Sequence[int | str]) -> bytes:
    """A graph input or output; a string in `dims` is a symbolic dimension."""
    shape = b"".join(blob(1, text(2, dim) if isinstance(dim, str) else number(1, dim))
                     for dim in dims)
    return blob(field, text(1, name) + blob(2, blob(1, number(1, data_type) + blob(2, shape))))


@dataclass(frozen=True)
class Tensor:
    """An initializer whose bytes are made only when they are written."""

    name: str
    data_type: int
    dims: tuple[int, ...]
    size: int
    literal: bytes | None = None  # None: take random weights

    def declaration(self) -> bytes:
        dims = b"".join(number(1, dim) for dim in self.dims)
        return dims + number(2, self.data_type) + text(8, self.name)


class Weights:
    """Weight bytes without end: one random block of floats, read round and round.

    Neither zeros nor holes, so file systems cannot cheat, and cheap enough to fill
    gigabytes. Reading goes on where it stopped: tensors do not begin alike.
    """

    BLOCK = 1 << 20

    def __init__(self, rng: random.Random) -> None:
        floats = array.array("f", (rng.uniform(-0.05, 0.05) for _ in range(self.BLOCK // 4)))
        if sys.byteorder == "big":
            floats.byteswap()
        self._block = memoryview(floats.tobytes())
        self._at = 0

    def write(self, out: BinaryIO, size: int) -> None:
        while size > 0:
            piece = self._block[self._at:self._at + size]
            out.write(piece)
            size -= len(piece)
            self._at = (self._at + len(piece)) % self.BLOCK


def dynamo_metadata(scope: str, op_type: str, number_of_node: int) -> bytes:
    """What torch.onnx.export(dynamo=True) says of a node: its modules, and where it was called."""
    modules = [""]
    for part in scope.strip("/").split("/") if scope.strip("/") else []:
        modules.append(f"{modules[-1]}.{part}".lstrip("."))
    names = [*modules, f"{op_type.lower()}_{number_of_node}"]
    classes = [*(f"models.bert.{(m or 'model').split('.')[-1].title()}" for m in modules),
               f"aten.{op_type.lower()}.default"]
    stack = "".join(f'File "/home/user/models/bert.py", line {40 + i}, in forward\n'
                    f"    return self.{m}(x)\n" for i, m in enumerate(modules))
    entries = {"namespace": "/".join(f"{n}: {c}" for n, c in zip(names, classes)),
               "pkg.torch.onnx.class_hierarchy": str(classes),
               "pkg.torch.onnx.name_scopes": str(names),
               "pkg.torch.onnx.stack_trace": stack}
    return b"".join(blob(9, text(1, key) + text(2, value)) for key, value in entries.items())


def stack_trace(scope: str) -> str:
    """A doc_string of about 1 kB, as torch.onnx.export(verbose=True) leaves it."""
    line = "/home/user/models/transformers/modeling_bert.py"
    return "".join(f'{line}({100 + 7 * i}): "{scope}" forward\n' for i in range(12))


class Style(enum.Enum):
    """What nodes and values are called, and what nodes say beside it."""

    SCOPED = "a node's name begins with its module"
    TRACED = "the same, and where it was called stands in its doc_string"
    DYNAMO = "modules stand in the nodes' metadata"
    NAMELESS = "nodes have no names and values have numbers; parameters are named"
    ANONYMOUS = "nor are parameters"


class Graph:
    """Collects a graph: nodes go straight to `sink`, initializers are kept as declarations."""

    def __init__(self, sink: BinaryIO, rng: random.Random, scopeless: float, style: Style) -> None:
        self._sink = sink
        self._rng = rng
        self._scopeless = scopeless
        self._style = style
        self._nodes = 0
        self._used: dict[str, int] = {}
        self.initializers: list[Tensor] = []

    def node(self, scope: str, op_type: str, inputs: Sequence[str], *attributes: bytes) -> str:
        """Appends a node of the module `scope` (`""`: the root) and returns its output's name."""
        rest = b""  # what follows the attributes
        if self._style is Style.DYNAMO:
            output = f"{op_type.lower()}_{self._nodes}"
            name, rest = f"node_{output}", dynamo_metadata(scope, op_type, self._nodes)
        elif self._style in (Style.NAMELESS, Style.ANONYMOUS):
            name, output = "", str(self._nodes)
        else:
            name = self._name(scope, op_type)
            output = f"{name}_output_0"
            rest = text(6, stack_trace(scope)) if self._style is Style.TRACED else b""
        self._sink.write(blob(1, b"".join((*(text(1, value) for value in inputs), text(2, output),
                                           text(3, name) if name else b"", text(4, op_type),
                                           *attributes, rest))))
        self._nodes += 1
        return output

    def ints(self, scope: str, *values: int, scalar: bool = False) -> str:
        raw = struct.pack(f"<{len(values)}q", *values)
        dims = () if scalar else (len(values),)
        return self.node(scope, "Constant", (), tensor_attribute(INT64, dims, raw))

    def real(self, scope: str, value: float) -> str:
        raw = struct.pack("<f", value)
        return self.node(scope, "Constant", (), tensor_attribute(FLOAT, (), raw))

    def weight(self, name: str, *dims: int) -> str:
        size = 4
        for dim in dims:
            size *= dim
        return self.initializer(Tensor(name, FLOAT, dims, size))

    def initializer(self, tensor: Tensor) -> str:
        if self._style is Style.ANONYMOUS:
            tensor = replace(tensor, name=f"onnx::{len(self.initializers) + 1000000}")
        self.initializers.append(tensor)
        return tensor.name

    def product_weight(self, *dims: int) -> str:
        """A matrix that the exporter transposed, whereby it lost its parameter's name."""
        return self.weight(f"onnx::MatMul_{len(self.initializers) + 1000}", *dims)

    def _name(self, scope: str, op_type: str) -> str:
        """Exporter style: a scoped name counted per module and operator, or a bare counted one."""
        if self._scopeless and self._rng.random() < self._scopeless:
            return f"{op_type}_{self._nodes}"
        name = f"{scope}/{op_type}"
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return f"{name}_{count}" if count else name


# ---------------------------------------------------------------------- files


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the name `path` when it is complete, and vanishes when it is not."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as out:
            yield out
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def inline_tensor(tensor: Tensor) -> bytes:
    """The initializer field up to where its bytes begin."""
    before = tensor.declaration() + head(9, tensor.size)
    return head(5, len(before) + tensor.size) + before


def external_tensor(tensor: Tensor, location: str, offset: int) -> bytes:
    entries = (("location", location), ("offset", str(offset)), ("length", str(tensor.size)))
    data = b"".join(blob(13, text(1, key) + text(2, value)) for key, value in entries)
    return blob(5, tensor.declaration() + data + number(14, 1))


def write_external(path: Path, tensors: Sequence[Tensor], weights: Weights) -> dict[str, int]:
    """Writes the second file and returns the offset of each tensor in it."""
    offsets: dict[str, int] = {}
    with replacing(path) as out:
        for tensor in tensors:
            if tensor.size >= EXTERNAL_FROM and tensor.literal is None:
                out.write(bytes(-out.tell() % EXTERNAL_ALIGNMENT))
                offsets[tensor.name] = out.tell()
                weights.write(out, tensor.size)
    return offsets


def write_graph(out: BinaryIO, nodes: BinaryIO, tensors: Sequence[tuple[bytes, Tensor | None]],
                ends: bytes, weights: Weights) -> None:
    """Writes the graph field: `tensors` holds each initializer's bytes up to its data, and the
    initializer itself when its data follows in this file."""
    name = text(2, "main_graph")
    size = nodes.tell() + len(name) + len(ends)
    size += sum(len(field) + (tensor.size if tensor else 0) for field, tensor in tensors)
    out.write(head(7, size))
    nodes.seek(0)
    shutil.copyfileobj(nodes, out, 1 << 20)
    out.write(name)
    for field, tensor in tensors:
        out.write(field)
        if tensor and tensor.literal is not None:
            out.write(tensor.literal)
        elif tensor:
            weights.write(out, tensor.size)
    out.write(ends)


def write_model(path: Path, build: Callable[[Graph], bytes], *, seed: int, scopeless: float = 0.0,
                style: Style = Style.SCOPED, external: bool = False) -> None:
    """Makes one model at `path`, with its larger weights in `path`.data if `external`.

    `build` fills the graph and returns its encoded inputs and outputs. A graph's length
    stands before the graph, so the nodes wait in a temporary file until all sizes are
    known; weights are never held at all.
    """
    rng = random.Random(seed)
    weights = Weights(rng)
    with tempfile.TemporaryFile(dir=path.parent) as nodes:
        graph = Graph(nodes, rng, scopeless, style)
        ends = build(graph)
        data = path.with_name(path.name + ".data")
        offsets = write_external(data, graph.initializers, weights) if external else {}
        tensors = [(external_tensor(t, data.name, offsets[t.name]), None) if t.name in offsets
                   else (inline_tensor(t), t) for t in graph.initializers]
        with replacing(path) as out:
            # The producer is the one whose names are imitated: readers treat both alike.
            out.write(number(1, 8) + text(2, "pytorch") + text(3, "1.13.1")
                      + text(6, "synthetic model for benchmarks"))
            write_graph(out, nodes, tensors, ends, weights)
            out.write(blob(8, text(1, "") + number(2, 14)))
