#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives models random weights, and writes the checkpoint that they come from:

    make_checkpoints.py [--anonymous] OUT MODEL.onnx...

Of each MODEL.onnx with its MODEL.truth.json and modules.json: OUT/MODEL.onnx, whose floating point
parameters hold random numbers, OUT/MODEL.safetensors with the same numbers as PyTorch has them,
under the names that the modules of their readers give them, and the truth. No two tensors hold
the same, so that nothing but contents tells which is which. With --anonymous, all names of the
model are gone.
"""

import argparse
import collections
import json
import os
import re
import shutil
import struct
import zlib

import numpy as np
import onnx
from onnx import numpy_helper

TYPES = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "int32": "I32"}


def write_safetensors(path, tensors):
    """{name: array} as a file."""
    header, blobs, at = {}, [], 0
    for name, array in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": TYPES[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [at, at + len(blob)],
        }
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.writelines(blobs)


def modules_of(path):
    """All modules' qualified names; empty: they are not known."""
    stem = re.sub(r"[.](m\d+\w*|ort_\w+|dyn\d+|fn)$", "", os.path.basename(path)[: -len(".onnx")])
    folder = os.path.dirname(path)
    for other in (folder, os.path.join(folder, "..", "exports")):
        name = os.path.join(other, stem + ".modules.json")
        if os.path.exists(name):
            with open(name, encoding="utf-8") as text:
                return set(json.load(text))
    return set()


def randomise(model, seed):
    """Fills all floating point initializers; their arrays by name."""
    generator = np.random.default_rng(seed)
    arrays = {}
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind == "f" and array.size > 1:
            array = generator.normal(0, 0.1, array.shape).astype(array.dtype)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        arrays[tensor.name] = array
    return arrays


def checkpoint_of(model, truth, modules, arrays):
    """The parameters by the names that a PyTorch model gives them."""
    tensors = {}
    for name, array in arrays.items():
        owner = name.rpartition(".")[0]
        if array.dtype.kind == "f" and "." in name and (not modules or owner in modules):
            tensors[name] = array
    owners = {n["path"][0]: n.get("module") for n in truth["nodes"] if len(n["path"]) == 1}
    for index, node in enumerate(model.graph.node):
        module = owners.get(index)
        if not module or (modules and module not in modules):
            continue
        for value in node.input:
            array = arrays.get(value)
            if array is None or array.dtype.kind != "f" or value in tensors or array.ndim < 2:
                continue
            if "." in value and not value.startswith("onnx::"):
                continue
            name = module + ".weight"
            if name in tensors:
                continue
            is_matrix = node.op_type in ("MatMul", "FusedMatMul") and array.ndim == 2
            tensors[name] = array.T if is_matrix else array
    return tensors


def anonymise(model):
    """Takes all names away but those of inputs and outputs' count."""
    names = {}

    def renamed(value):
        return names.setdefault(value, "t%d" % len(names)) if value else value

    def walk(graph):
        for tensor in graph.initializer:
            tensor.name = renamed(tensor.name)
        for value in list(graph.input) + list(graph.output):
            value.name = renamed(value.name)
        del graph.value_info[:]
        for node in graph.node:
            node.name = ""
            node.doc_string = ""
            if hasattr(node, "metadata_props"):
                del node.metadata_props[:]
            node.input[:] = [renamed(value) for value in node.input]
            node.output[:] = [renamed(value) for value in node.output]
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    walk(attribute.g)
                for inner in attribute.graphs:
                    walk(inner)

    walk(model.graph)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--anonymous", action="store_true")
    parser.add_argument("out")
    parser.add_argument("models", nargs="+")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    counts = collections.Counter()
    for path in given.models:
        stem = os.path.basename(path)[: -len(".onnx")]
        model = onnx.load(path)
        if given.anonymous and model.functions:
            continue
        with open(path[: -len(".onnx")] + ".truth.json", encoding="utf-8") as text:
            truth = json.load(text)
        arrays = randomise(model, zlib.crc32(stem.encode()))
        tensors = checkpoint_of(model, truth, modules_of(path), arrays)
        if given.anonymous:
            anonymise(model)
        onnx.save(model, os.path.join(given.out, stem + ".onnx"))
        write_safetensors(os.path.join(given.out, stem + ".safetensors"), tensors)
        shutil.copy(path[: -len(".onnx")] + ".truth.json", given.out)
        counts["models"] += 1
        counts["tensors"] += len(tensors)
    print(dict(counts))


if __name__ == "__main__":
    main()
