#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well weights are found again that a tool has changed:

    perturbed_weights.py --tool TOOL [--work DIR] MODEL.onnx...

Takes the weights of all models, those of random or of trained networks, by one perturbation at a
time: each becomes an initializer without a name that tells, in an operator that reads it, and a
tensor of a checkpoint under its own. Prints, by perturbation, how many are right, wrong and not
found, and how many are wrong though surer than 0.95. Exits with 1 if any of these is, or if fewer
are right than --least PERCENT; with 77 where numpy or onnx are not installed.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from make_checkpoints import write_safetensors
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

LEAST, MOST = 64, 1 << 20
MOST_ALIKE = 0.85
GENERATOR = np.random.default_rng(7)


def likeness(a, b):
    """The larger one of the cosines of all numbers, and of those of each channel."""
    a, b = (array.reshape(array.shape[0], -1).astype(np.float64) for array in (a, b))
    products, lengths = (a * b).sum(1), np.sqrt((a * a).sum(1) * (b * b).sum(1)) + 1e-30
    whole = abs(products.sum()) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-30)
    return max(whole, np.abs(products / lengths).mean())


def is_new(array, others):
    """Whether it is no other one trained a little further, transposed or with a norm folded in."""
    for other in others:
        forms = [other] if other.ndim != 2 else [other, other.T]
        if any(form.shape == array.shape and likeness(array, form) > MOST_ALIKE for form in forms):
            return False
    return True


def weights_of(paths):
    """{name: array} of all different ones."""
    weights, seen, by_shape = {}, set(), collections.defaultdict(list)
    for path in paths:
        model = onnx.load(path, load_external_data=False)
        for tensor in model.graph.initializer:
            is_here = tensor.data_location != TensorProto.EXTERNAL
            if tensor.data_type != TensorProto.FLOAT or len(tensor.dims) < 2 or not is_here:
                continue
            try:
                array = numpy_helper.to_array(tensor)
            except ValueError:  # a file without its weights
                continue
            if not LEAST <= array.size <= MOST or len(np.unique(array)) <= 16:
                continue
            key = np.sort(array.reshape(-1)).tobytes()
            if key in seen or not np.isfinite(array).all():
                continue
            seen.add(key)
            others = by_shape[tuple(sorted(array.shape))]
            if not is_new(array, others):
                continue
            others.append(array)
            weights["%s.%d.weight" % (os.path.basename(path)[:20].replace(".", "_"), len(weights))] = array
    return weights


class Builder:
    """A model of operators that each read one weight."""

    def __init__(self):
        self.nodes, self.initializers, self.expected = [], [], {}

    def add(self, array, name=None):
        name = name or "t%d" % len(self.initializers)
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def read(self, value, op_type="Custom"):
        self.nodes.append(helper.make_node(op_type, ["x", value], ["y%d" % len(self.nodes)], domain="test"))

    def save(self, path):
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
            [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, None)],
            self.initializers,
        )
        imports = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("test", 1)]
        onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)


def matrix(array):
    """Its first axis of more than one index, and all others."""
    array = array.squeeze()
    return array.reshape(array.shape[0], -1)


def plain(change):
    def build(builder, name, array):
        changed = change(array)
        if changed is None:
            return
        value = builder.add(changed)
        builder.read(value)
        builder.expected[value] = [name]

    return build


def bfloat(array):
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def folded(array):
    factors = GENERATOR.uniform(0.2, 3, (array.shape[0],) + (1,) * (array.ndim - 1))
    return (array * factors.astype(np.float32)).astype(np.float32)


def quantised(per_channel, before=lambda array: array):
    def build(builder, name, array):
        array = before(array)
        axes = tuple(range(1, array.ndim)) if per_channel else None
        scale = np.abs(array).max(axis=axes, keepdims=per_channel) / 127
        scale = np.where(scale == 0, 1, scale).astype(np.float32)
        value = builder.add(np.clip(np.round(array / scale), -127, 127).astype(np.int8))
        scales = builder.add(scale.reshape(-1) if per_channel else np.float32(scale))
        builder.nodes.append(
            helper.make_node("DequantizeLinear", [value, scales], ["d" + value], axis=0)
        )
        builder.read("d" + value)
        builder.expected[value] = [name]

    return build


def unsigned(builder, name, array):
    """As dynamic quantisation does: uint8 with a zero point, in MatMulInteger, without a scale."""
    array = matrix(array).T
    low, high = min(array.min(), 0), max(array.max(), 0)
    scale = (high - low) / 255
    zero = np.uint8(round(-low / scale))
    value = builder.add(np.clip(np.round(array / scale) + zero, 0, 255).astype(np.uint8))
    zeros = builder.add(zero)
    builder.nodes.append(
        helper.make_node("MatMulInteger", ["x", value, "xz", zeros], ["y%d" % len(builder.nodes)])
    )
    builder.expected[value] = [name]


def blocks(builder, name, array):
    """MatMulNBits: int4 in blocks of 32."""
    rows = matrix(array)
    if rows.shape[1] % 32:
        return
    block = rows.reshape(rows.shape[0], -1, 32)
    scale = np.abs(block).max(axis=2) / 7
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    numbers = (np.clip(np.round(block / scale[..., None]), -8, 7) + 8).astype(np.uint8)
    packed = numbers[..., 0::2] | numbers[..., 1::2] << 4
    value = builder.add(packed)
    scales = builder.add(scale.reshape(-1))
    builder.nodes.append(
        helper.make_node(
            "MatMulNBits", ["x", value, scales], ["y%d" % len(builder.nodes)], domain="com.microsoft",
            K=rows.shape[1], N=rows.shape[0], bits=4, block_size=32,
        )
    )
    builder.expected[value] = [name]


def transposed(array):
    return array.T if array.ndim == 2 else np.transpose(array, [2, 3, 1, 0]) if array.ndim == 4 else None


PERTURBATIONS = {
    "same": plain(lambda array: array),
    "transposed": plain(transposed),
    "float16": plain(lambda array: array.astype(np.float16)),
    "bfloat16": plain(bfloat),
    "transposed, float16": plain(lambda array: None if transposed(array) is None else transposed(array).astype(np.float16)),
    "int8 per tensor": quantised(False),
    "int8 per channel": quantised(True),
    "uint8, no scale": unsigned,
    "int4 in blocks": blocks,
    "folded norm": plain(folded),
    "folded norm, int8": quantised(True, folded),
    "noise of 1 %": plain(lambda array: (array + GENERATOR.normal(0, 0.01 * array.std(), array.shape)).astype(np.float32)),
}


def packed(weights):
    """Three of a kind, as one; the tensors get names of siblings."""
    builder, tensors = Builder(), {}
    by_shape = collections.defaultdict(list)
    for array in weights.values():
        by_shape[array.shape].append(array)
    count = 0
    for arrays in by_shape.values():
        for i in range(0, len(arrays) - 2, 3):
            names = ["block.%d.%s.weight" % (count, leaf) for leaf in "qkv"]
            tensors.update(zip(names, arrays[i : i + 3]))
            array = np.concatenate(arrays[i : i + 3], 0)
            value = builder.add(array.T if array.ndim == 2 else array)
            builder.read(value)
            builder.expected[value] = names
            count += 1
    return builder, tensors


def split(weights):
    """One in three, which operators read one after the other."""
    builder, tensors = Builder(), {}
    for name, array in weights.items():
        if array.shape[0] % 3:
            continue
        tensors[name] = array
        for part in np.split(array, 3, 0):
            value = builder.add(part.T if part.ndim == 2 else part)
            builder.read(value)
            builder.expected[value] = [name]
    return builder, tensors


def measure(tool, work, builder, tensors):
    model, checkpoint = os.path.join(work, "m.onnx"), os.path.join(work, "m.safetensors")
    builder.save(model)
    write_safetensors(checkpoint, tensors)
    ran = subprocess.run(
        [tool, "weights", model, "--checkpoint", checkpoint, "--json"],
        capture_output=True, text=True, check=True,
    )
    found = {row["weight"]: row for row in json.loads(ran.stdout)["weights"]}
    counts = collections.Counter()
    for value, names in builder.expected.items():
        row = found.get(value, {"tensors": []})
        if not row["tensors"] or row.get("tie"):
            counts["lost"] += 1
        elif sorted(row["tensors"]) == sorted(names):
            counts["right"] += 1
        else:
            counts["wrong"] += 1
            counts["sure"] += row["probability"] > 0.95
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("models", nargs="+")
    given = parser.parse_args()
    weights = weights_of(given.models)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or folder
        print("%d weights" % len(weights))
        for title in [*PERTURBATIONS, "packed", "split"]:
            if title == "packed":
                builder, tensors = packed(weights)
            elif title == "split":
                builder, tensors = split(weights)
            else:
                builder, tensors = Builder(), dict(weights)
                for name, array in weights.items():
                    PERTURBATIONS[title](builder, name, array)
            counts = measure(given.tool, work, builder, tensors)
            total = len(builder.expected)
            if not total:
                continue
            failed = failed or counts["sure"] > 0 or 100 * counts["right"] < given.least * total
            print(
                "%-20s %5d weights: right %6.2f %%, wrong %5.2f %%, not found %5.2f %%, sure and wrong %d"
                % (title, total, 100 * counts["right"] / total, 100 * counts["wrong"] / total, 100 * counts["lost"] / total, counts["sure"])
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
