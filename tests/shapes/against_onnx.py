#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shapes of operators as `cost --values` tells them, against onnx's own inference of shapes.

    against_onnx.py --tool ONNX-HIER [--each N] [--seed N]

Draws N nodes of each operator that onnx knows the shape of: ranks, sizes, axes, pads, strides,
contents of small tensors. All stand in one model, each with inputs of its own. Where onnx tells a
whole shape, the same is asked of the tool. Needs Debian's python3-onnx.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import TensorProto, helper, shape_inference

OPSET = 17


class Drawing:
    """What one node reads: values with shapes, and contents where these count."""

    def __init__(self, lot, name):
        self.lot, self.name = lot, name
        self.inputs, self.values, self.tensors = [], [], []

    def value(self, shape, kind=TensorProto.FLOAT):
        name = f"{self.name}_in{len(self.inputs)}"
        self.values.append(helper.make_tensor_value_info(name, kind, shape))
        self.inputs.append(name)
        return shape

    def contents(self, numbers, kind=TensorProto.INT64, shape=None):
        name = f"{self.name}_in{len(self.inputs)}"
        dims = [len(numbers)] if shape is None else shape
        self.tensors.append(helper.make_tensor(name, kind, dims, numbers))
        self.inputs.append(name)

    def none(self):
        self.inputs.append("")

    def shape(self, least=1, most=4, size=6):
        return [self.lot.randint(1, size) for _ in range(self.lot.randint(least, most))]

    def axis(self, rank, is_place=True):
        return self.lot.randint(-rank, rank - 1 if is_place else rank)

    def axes(self, rank):
        chosen = self.lot.sample(range(rank), self.lot.randint(1, rank))
        return [axis - rank if self.lot.random() < 0.4 else axis for axis in chosen]

    def broadcast(self, shape):
        """One that goes together with `shape`."""
        cut = self.lot.randint(0, len(shape) - 1)
        return [1 if self.lot.random() < 0.3 else size for size in shape[cut:]]


def elementwise(inputs, kind=TensorProto.FLOAT):
    def draw(d):
        shape = d.value(d.shape(), kind)
        for _ in range(inputs - 1):
            d.value(d.broadcast(shape), kind)
        return {}
    return draw


def window(d, spatial, sizes, own):
    """Attributes of what slides over `sizes`."""
    attributes = {}
    kernel = [d.lot.randint(1, 3) for _ in range(spatial)]
    if not own or d.lot.random() < 0.5:
        attributes["kernel_shape"] = kernel
    if d.lot.random() < 0.7:
        attributes["strides"] = [d.lot.randint(1, 3) for _ in range(spatial)]
    if own and d.lot.random() < 0.5:
        attributes["dilations"] = [d.lot.randint(1, 2) for _ in range(spatial)]
    way = d.lot.random()
    if way < 0.4:
        attributes["pads"] = [d.lot.randint(0, min(1, size - 1) if size else 0)
                              for size in kernel + kernel]
    elif way < 0.7:
        attributes["auto_pad"] = d.lot.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        attributes.pop("dilations", None)
    return kernel, attributes


def convolution(d):
    spatial = d.lot.randint(1, 3)
    groups, channels, features = d.lot.randint(1, 2), d.lot.randint(1, 3), d.lot.randint(1, 3)
    sizes = [d.lot.randint(5, 9) for _ in range(spatial)]
    kernel, attributes = window(d, spatial, sizes, True)
    d.value([d.lot.randint(1, 2), groups * channels, *sizes])
    d.value([groups * features, channels, *kernel])
    return {**attributes, "group": groups}


def transposed(d):
    spatial = d.lot.randint(1, 2)
    groups, channels, features = d.lot.randint(1, 2), d.lot.randint(1, 3), d.lot.randint(1, 3)
    sizes = [d.lot.randint(3, 6) for _ in range(spatial)]
    kernel, attributes = window(d, spatial, sizes, True)
    attributes.pop("auto_pad", None)
    d.value([1, groups * channels, *sizes])
    d.value([groups * channels, features, *kernel])
    if "strides" in attributes and d.lot.random() < 0.3:
        attributes["output_padding"] = [stride - 1 for stride in attributes["strides"]]
    return {**attributes, "group": groups}


def pool(d):
    spatial = d.lot.randint(1, 3)
    sizes = [d.lot.randint(5, 9) for _ in range(spatial)]
    d.value([2, 3, *sizes])
    kernel, attributes = window(d, spatial, sizes, False)
    # A last window that begins behind the data is none for runtimes, but was one for onnx.
    is_behind = any(map(int.__gt__, attributes.get("strides", []), kernel))
    if d.lot.random() < 0.6 and not is_behind and not {"auto_pad", "pads"} & set(attributes):
        attributes["ceil_mode"] = 1
    return attributes


def whole_pool(d):
    d.value(d.shape(3, 5))
    return {}


def product(d):
    inner = d.lot.randint(1, 5)
    around = d.shape(1, 2)
    left, right = [*around, d.lot.randint(1, 5), inner], [*d.broadcast(around), inner, 4]
    way = d.lot.random()
    if way < 0.2:
        left = [inner]
    elif way < 0.4:
        right = [inner]
    elif way < 0.6:
        left, right = [d.lot.randint(1, 5), inner], [*around, inner, 3]
    d.value(left)
    d.value(right)
    return {}


def gemm(d):
    a, b = d.lot.randint(0, 1), d.lot.randint(0, 1)
    m, n, k = (d.lot.randint(1, 6) for _ in range(3))
    d.value([k, m] if a else [m, k])
    d.value([n, k] if b else [k, n])
    return {"transA": a, "transB": b}


def transpose(d):
    rank = len(d.value(d.shape(1, 5)))
    order = list(range(rank))
    d.lot.shuffle(order)
    return {"perm": order} if d.lot.random() < 0.8 else {}


def concat(d):
    shape = d.value(d.shape())
    axis = d.axis(len(shape))
    for _ in range(d.lot.randint(0, 2)):
        other = list(shape)
        other[axis] = d.lot.randint(1, 4)
        d.value(other)
    return {"axis": axis}


def split(d):
    shape = d.value([6, 6, 6][: d.lot.randint(1, 3)])
    sizes = d.lot.choice([[1, 5], [2, 2, 2], [3, 3], [1, 2, 3]])
    d.contents(sizes)
    return {"axis": d.axis(len(shape)), "outputs": len(sizes)}


def sliced(d):
    shape = d.value([d.lot.randint(2, 9) for _ in range(d.lot.randint(1, 4))])
    axes = d.axes(len(shape))
    d.contents([d.lot.randint(-4, 4) for _ in axes])
    d.contents([d.lot.choice([2**63 - 1, -1, 1, 3, 5, -2]) for _ in axes])
    d.contents(axes)
    if d.lot.random() < 0.6:
        d.contents([d.lot.choice([1, 2, 3, -1, -2]) for _ in axes])
    return {}


def squeeze(d):
    shape = [d.lot.choice([1, 1, 3]) for _ in range(4)]
    shape[d.lot.randint(0, 3)] = 1
    d.value(shape)
    ones = [i for i, size in enumerate(shape) if size == 1]
    if d.lot.random() < 0.7:
        d.contents([i - 4 * d.lot.randint(0, 1) for i in d.lot.sample(ones, 1)])
    return {}


def unsqueeze(d):
    rank = len(d.value(d.shape(1, 3)))
    count = d.lot.randint(1, 2)
    axes = d.lot.sample(range(rank + count), count)
    d.contents([i - (rank + count) * d.lot.randint(0, 1) for i in axes])
    return {}


def reshape(d):
    shape = d.value([2, 3, 4, 6][: d.lot.randint(2, 4)])
    count = 1
    for size in shape:
        count *= size
    d.contents(d.lot.choice([[-1], [0, -1], [count], [2, -1], [-1, 3], [0, 0, -1][: len(shape)],
                             [1, 2, -1, 3]]))
    return {}


def expand(d):
    shape = d.value([d.lot.choice([1, 3]) for _ in range(3)])
    wanted = [size if size > 1 else d.lot.randint(1, 4) for size in shape]
    d.contents(d.lot.choice([wanted, [2, *wanted], wanted[1:], [1, 1, 1]]))
    return {}


def tile(d):
    shape = d.value(d.shape(1, 4))
    d.contents([d.lot.randint(1, 3) for _ in shape])
    return {}


def padded(d):
    shape = d.value(d.shape(1, 4))
    d.contents([d.lot.randint(0, 2) for _ in 2 * shape])
    return {"mode": d.lot.choice(["constant", "edge"])}


def reduced(by_input):
    def draw(d):
        shape = d.value(d.shape(1, 4))
        attributes = {"keepdims": d.lot.randint(0, 1)}
        if d.lot.random() < 0.8:
            if by_input:
                d.contents(d.axes(len(shape)))
            else:
                attributes["axes"] = d.axes(len(shape))
        return attributes
    return draw


def arg(d):
    shape = d.value(d.shape(1, 4))
    return {"axis": d.axis(len(shape)), "keepdims": d.lot.randint(0, 1)}


def gather(d):
    shape = d.value(d.shape(1, 4))
    d.value(d.shape(0, 3), TensorProto.INT64)
    return {"axis": d.axis(len(shape))}


def gather_elements(d):
    shape = d.value(d.shape(1, 3))
    d.value([d.lot.randint(1, 4) for _ in shape], TensorProto.INT64)
    return {"axis": d.axis(len(shape))}


def gather_nd(d):
    shape = d.value([d.lot.randint(1, 5) for _ in range(3)])
    batch = d.lot.randint(0, 1)
    d.value([*shape[:batch], 2, d.lot.randint(1, 3 - batch)], TensorProto.INT64)
    return {"batch_dims": batch}


def scatter_elements(d):
    shape = d.value(d.shape(1, 3))
    d.value(shape, TensorProto.INT64)
    d.value(shape)
    return {"axis": d.axis(len(shape))}


def flatten(d):
    shape = d.value(d.shape(1, 4))
    return {"axis": d.axis(len(shape), False)}


def normalised(d):
    shape = d.value(d.shape(2, 4))
    axis = d.axis(len(shape))
    d.value(shape[axis:])
    return {"axis": axis, "outputs": d.lot.choice([1, 3])}


def batch_norm(d):
    shape = d.value(d.shape(2, 4))
    for _ in range(4):
        d.value([shape[1]])
    return {}


def recurrent(gates):
    def draw(d):
        hidden, ways = d.lot.randint(1, 4), d.lot.randint(1, 2)
        _, _, width = d.value([d.lot.randint(1, 4), d.lot.randint(1, 3), d.lot.randint(1, 4)])
        d.value([ways, gates * hidden, width])
        d.value([ways, gates * hidden, hidden])
        return {"hidden_size": hidden, "direction": ["forward", "bidirectional"][ways - 1],
                "outputs": d.lot.randint(1, 3 if gates == 4 else 2)}
    return draw


def top(d):
    shape = d.value([d.lot.randint(3, 6) for _ in range(d.lot.randint(1, 3))])
    d.contents([d.lot.randint(1, 3)])
    return {"axis": d.axis(len(shape)), "outputs": 2}


def one_hot(d):
    rank = len(d.value(d.shape(1, 3), TensorProto.INT64))
    d.contents([d.lot.randint(2, 5)], shape=[])
    d.value([2])
    return {"axis": d.axis(rank + 1)}


def counted(d):
    start, step = d.lot.randint(-3, 3), d.lot.choice([-2, -1, 1, 2, 3])
    d.contents([start], shape=[])
    d.contents([start + step * d.lot.randint(0, 4) + d.lot.randint(0, 1)], shape=[])
    d.contents([step], shape=[])
    return {}


def filled(d):
    d.contents(d.shape(1, 4))
    return {}


def resized(d):
    d.value([1, 2, d.lot.randint(2, 6), d.lot.randint(2, 6)])
    d.none()
    if d.lot.random() < 0.5:
        d.contents([1.0, 1.0, d.lot.choice([0.5, 1.5, 2.0]), d.lot.choice([0.5, 3.0])],
                   TensorProto.FLOAT)
    else:
        d.contents([], TensorProto.FLOAT)
        d.contents([1, 2, d.lot.randint(1, 9), d.lot.randint(1, 9)])
    return {}


def depth(to_space):
    def draw(d):
        block = d.lot.randint(1, 3)
        d.value([2, 2 * block * block, 3, 2] if to_space else [2, 3, 2 * block, 3 * block])
        return {"blocksize": block}
    return draw


def whole(kind=TensorProto.FLOAT, **attributes):
    """Of any shape, which counts."""
    def draw(d):
        d.value(d.shape(1, 4), kind)
        return dict(attributes)
    return draw


def at_axis(d):
    shape = d.value(d.shape(1, 4))
    return {"axis": d.axis(len(shape))}


def where(d):
    shape = d.value(d.shape(), TensorProto.BOOL)
    d.value(d.broadcast(shape))
    d.value(d.broadcast(shape))
    return {}


def quantised(d):
    d.value(d.shape())
    d.contents([0.5], TensorProto.FLOAT, [])
    return {}


def einsum(d):
    a, b, c = (d.lot.randint(1, 5) for _ in range(3))
    d.value([a, b])
    d.value([b, c])
    return {"equation": d.lot.choice(["ij,jk->ik", "ij,jk->ki", "ij,jk", "ij,jk->i"])}


UNARY = ("Abs Acos Ceil Cos Elu Erf Exp Floor HardSigmoid HardSwish Identity IsNaN LeakyRelu Log "
         "Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Softplus Softsign Sqrt Tan Tanh "
         "ThresholdedRelu LRN Celu Shrink").split()
OPERATORS = {
    **{name: elementwise(1) for name in UNARY},
    **{name: elementwise(2) for name in "Add Sub Mul Div Pow PRelu Less Greater Equal Mod".split()},
    **{name: elementwise(3) for name in "Sum Max Min Mean".split()},
    **{name: elementwise(2, TensorProto.BOOL) for name in "And Or Xor".split()},
    **{name: at_axis for name in "Softmax LogSoftmax Hardmax".split()},
    **{name: pool for name in "MaxPool AveragePool LpPool".split()},
    **{name: whole_pool for name in "GlobalAveragePool GlobalMaxPool".split()},
    **{name: reduced(False) for name in "ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 "
       "ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare".split()},
    **{name: arg for name in "ArgMax ArgMin".split()},
    "ReduceSum": reduced(True), "Conv": convolution, "ConvTranspose": transposed,
    "MatMul": product, "Gemm": gemm, "Transpose": transpose, "Concat": concat, "Split": split,
    "Slice": sliced, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Reshape": reshape,
    "Expand": expand, "Tile": tile, "Pad": padded, "Gather": gather,
    "GatherElements": gather_elements, "GatherND": gather_nd, "ScatterElements": scatter_elements,
    "Flatten": flatten, "LayerNormalization": normalised, "BatchNormalization": batch_norm,
    "LSTM": recurrent(4), "GRU": recurrent(3), "RNN": recurrent(1), "TopK": top,
    "OneHot": one_hot, "Range": counted, "ConstantOfShape": filled, "Resize": resized,
    "DepthToSpace": depth(True), "SpaceToDepth": depth(False), "Shape": whole(), "Size": whole(),
    "Not": whole(TensorProto.BOOL), "Cast": whole(to=TensorProto.INT64), "Where": where,
    "QuantizeLinear": quantised, "DynamicQuantizeLinear": whole(outputs=3), "Einsum": einsum,
    "Dropout": whole(outputs=2), "Trilu": elementwise(1), "NonZero": whole(),
}


def shapes_of(model):
    """By value: the dimensions, where all are known."""
    found = {}
    for value in model.graph.value_info:
        shape = value.type.tensor_type
        if shape.HasField("shape") and all(dim.HasField("dim_value") for dim in shape.shape.dim):
            found[value.name] = [dim.dim_value for dim in shape.shape.dim]
    return found


def model_of(nodes, values, tensors):
    graph = helper.make_graph(nodes, "drawn", values, [], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    return model


def draw(lot, name, number):
    """A node, what it reads, and what onnx says of its outputs; none: it refuses it."""
    drawing = Drawing(lot, f"{name}_{number}")
    attributes = OPERATORS[name](drawing)
    outputs = [f"{drawing.name}_out{i}" for i in range(attributes.pop("outputs", 1))]
    node = helper.make_node(name, drawing.inputs, outputs, drawing.name, **attributes)
    try:
        told = shape_inference.infer_shapes(
            model_of([node], drawing.values, drawing.tensors), True, True, True)
    except Exception:  # what it throws has no class of its own everywhere
        return None
    return node, drawing, shapes_of(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lot = random.Random(options.seed)
    nodes, values, tensors, expected = [], [], [], {}
    for name in OPERATORS:
        drawn = [draw(lot, name, i) for i in range(options.each)]
        kept = [each for each in drawn if each is not None]
        if not kept:
            sys.exit(f"onnx refuses all of {name}")
        for node, drawing, told in kept:
            nodes.append(node)
            values += drawing.values
            tensors += drawing.tensors
            expected.update(told)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.onnx"
        onnx.save(model_of(nodes, values, tensors), str(path))
        result = subprocess.run([options.tool, "cost", path, "--values"], capture_output=True,
                                check=True)
    found = {value["name"]: value["shape"] for value in json.loads(result.stdout)["values"]}
    problems = [f"{name}: {found.get(name)}, onnx: {shape}" for name, shape in expected.items()
                if found.get(name) != shape]
    print(*problems, f"{len(nodes)} nodes, {len(expected)} shapes, {len(problems)} not the same",
          sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
