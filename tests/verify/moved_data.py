#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts that have data of their tensors in a file of their own: the same bytes, wherever they are."""

from verifying import FLOAT, INT64, TensorProto, graph, helper, main, model, node, onnx


def stored(name, location, offset, length=16, element=FLOAT, count=4):
    """A tensor whose data are elsewhere."""
    tensor = onnx.TensorProto(name=name, data_type=element, dims=[count])
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": offset, "length": length}
    for key, entry in entries.items():
        if entry is not None:
            tensor.external_data.add(key=key, value=str(entry))
    return tensor


def whole(place, sparse_place):
    """A weight, a constant, one in a graph inside of a node, and a sparse one: each at a place."""
    sparse = onnx.SparseTensorProto(dims=[4])
    sparse.values.CopyFrom(stored("s", *sparse_place[0], 8, FLOAT, 2))
    sparse.indices.CopyFrom(stored("", *sparse_place[1], 16, INT64, 2))
    inner = graph([node("Add", "c v", "t")], [], ["t"], weights=[stored("v", *place[1])])
    made = graph(
        [
            helper.make_node("Constant", [], ["c"], name="one", value=stored("", *place[2])),
            node("Add", "x w", "b", "two"),
            node("If", "p", "d", "three", then_branch=inner),
            node("Sum", "b d s", "y", "four"),
        ],
        ["x", helper.make_tensor_value_info("p", TensorProto.BOOL, ())],
        ["y"],
        weights=[stored("w", *place[0])],
    )
    made.sparse_initializer.append(sparse)
    return model(made)


IN = whole((("w.bin", 1), ("w.bin", 17), ("w.bin", 33)), (("v.bin", 0), ("v.bin", 8)))
DATA = bytes(range(1, 50))
OUT = whole(
    (("out.data", 0), ("out.data", 32), ("out.data", 64)), (("out.data", 100), ("out.data", 128))
)
GOOD = "part: 4 of 4 nodes, 2 graph inputs, 1 graph output"


def moved():
    data = bytearray(150)
    for to, begin in ((0, 1), (32, 17), (64, 33)):
        data[to : to + 16] = DATA[begin : begin + 16]
    data[100:108] = DATA[:8]
    data[128:144] = DATA[8:24]
    return data


def parts(verifying):
    verifying.write("w.bin", DATA)
    verifying.write("v.bin", DATA)

    def check(what, line, out=OUT, data=None):
        verifying.write("out.data", bytes(moved() if data is None else data))
        verifying.says(what, IN, out, line, "--as", "part")

    def other(at):
        data = moved()
        data[at] ^= 1
        return data

    check("the same bytes elsewhere", GOOD)
    check("bytes between", GOOD, data=other(31))
    check("a weight", "different: data of 'w': byte 3 is not that of IN", data=other(3))
    check("in a graph", "different: data of 'v': byte 0 is not that of IN", data=other(32))
    constant = "'c', attribute 'value'"
    check("a constant", f"different: data of {constant}: byte 15 is not that of IN", data=other(79))
    check("values", "different: data of 's' values: byte 7 is not that of IN", data=other(107))
    check("indices", "different: data of 's' indices: byte 1 is not that of IN", data=other(129))
    check("too short", "different: data of 's' indices: 'out.data' cannot be read",
          data=moved()[:143])  # fmt: skip
    shorter = onnx.ModelProto()
    shorter.CopyFrom(OUT)
    shorter.graph.initializer[0].external_data[2].value = "12"
    check("shorter", "different: data of 'w': were 16 bytes, are 12", shorter)
    del shorter.graph.initializer[0].external_data[2]
    check("without a length", GOOD, shorter)
    where = "node 0 'one', attribute 'value', t, external_data 'location'"
    line = f"part, not same: {where}: value was 'w.bin', is 'out.data'"
    verifying.says("no other relation", IN, OUT, line, "--as", "same")


if __name__ == "__main__":
    main(parts)
