# SPDX-License-Identifier: Apache-2.0
"""Bytes come back as bytes, protos are changed in place, and weights stay where they are."""

import io
import warnings

import numpy
import onnx
import onnx_hier
import pytest
from conftest import MODELS, TESTDATA
from onnx import TensorProto, helper, numpy_helper
from onnx_hier._wire import Standins

ids = dict(ids=lambda path: path.stem)


def parsed(contents):
    return onnx.ModelProto.FromString(contents)


@pytest.mark.parametrize("path", MODELS, **ids)
def test_tags_of_bytes_and_protos_are_those_of_files(path, tmp_path):
    contents, model = path.read_bytes(), onnx.load(str(path), load_external_data=False)
    onnx_hier.tag(path, tmp_path / "out.onnx", sidecar=False, sync=False, external_data="keep")
    tagged = (tmp_path / "out.onnx").read_bytes()
    assert onnx_hier.tag(contents) == tagged
    assert onnx_hier.tag(bytearray(contents)) == tagged
    before = parsed(model.SerializeToString())
    assert onnx_hier.tag(model) is model
    assert model == parsed(tagged)
    assert onnx_hier.strip(tagged) == onnx_hier.strip(contents)
    if onnx_hier.strip(contents) == contents:
        assert onnx_hier.strip(model) == before


def model_with_weights():
    """Two layers alike, with long and short weights, some in a Constant; 2.5 MB in all."""
    nodes, weights = [], []
    for layer in range(2):
        for part, size in (("query", 400), ("key", 450)):
            name = f"encoder.layer.{layer}.{part}"
            weights.append(numpy_helper.from_array(
                numpy.random.default_rng(size + layer).random((size, 400), numpy.float32),
                f"{name}.weight"))
            weights.append(numpy_helper.from_array(numpy.full(1, layer, numpy.float32),
                                                   f"{name}.bias"))
    x = "x"
    for layer in range(2):
        scope = f"/encoder/layer.{layer}"
        for part, turned in (("query", 1), ("key", 0)):
            name = f"encoder.layer.{layer}.{part}"
            y = f"{scope}/{part}/out"
            nodes.append(helper.make_node("Gemm", [x, f"{name}.weight"], [y + "_0"],
                                          f"{scope}/{part}/Gemm", transB=turned))
            nodes.append(helper.make_node("Add", [y + "_0", f"{name}.bias"], [y],
                                          f"{scope}/{part}/Add"))
            x = y
            if turned:
                shift = numpy_helper.from_array(
                    numpy.random.default_rng(layer).random((450, 400), numpy.float32))
                nodes.append(helper.make_node("Constant", [], [y + "_c"],
                                              f"{scope}/{part}/Constant", value=shift))
                nodes.append(helper.make_node("Gemm", [y, y + "_c"], [y + "_t"],
                                              f"{scope}/{part}/Gemm_1", transB=1))
                x = y + "_t"
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1, 400])],
                              [value(x, TensorProto.FLOAT, [1, 450])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])


def test_weights_are_left_out_and_put_back():
    model = model_with_weights()
    contents = model.SerializeToString()
    assert len(contents) > 2_000_000
    assert len(Standins().light(model)) < 16384  # of 2.5 MB; two constants in nodes are padded
    assert onnx_hier.extract(model, "encoder.layer.1") == parsed(
        onnx_hier.extract(contents, "encoder.layer.1"))
    parts = onnx_hier.split(model, parts=2)
    assert parts == [parsed(part) for part in onnx_hier.split(contents, parts=2)]
    folded = onnx_hier.fold(model, min_nodes=1)
    assert onnx_hier.fold(model, min_nodes=None) == folded
    assert folded.functions
    assert onnx_hier.unfold(folded) == model == parsed(contents)
    assert onnx_hier.diff(model, contents)["changed"] == []
    trained = parsed(contents)
    trained.graph.initializer[2].raw_data = bytes(len(trained.graph.initializer[2].raw_data))
    assert [m["a"] for m in onnx_hier.diff(model, trained)["changed"]] == ["/encoder/layer.0/key"]
    assert onnx_hier.diff(model, trained, weights=False)["changed"] == []
    nameless = parsed(contents)
    for node in nameless.graph.node:
        node.name = ""
    tagged = parsed(onnx_hier.tag(nameless.SerializeToString()))
    assert onnx_hier.tag(nameless) == tagged
    onnx_hier.strip(nameless)
    assert onnx_hier.apply(model, nameless) is nameless
    assert '"/encoder/layer.1/key"' in nameless.graph.node[-1].doc_string


def test_constants_of_one_size_are_alike_without_their_contents():
    constants = [numpy_helper.from_array(numpy.zeros(shape, numpy.float32), "c")
                 for shape in ((40, 50), (50, 40), (41, 50), (40, 50))]
    nodes = [helper.make_node("Constant", [], [f"c{i}"], value=c)
             for i, c in enumerate(constants)]
    written = parsed(Standins().light(helper.make_model(
        helper.make_graph(nodes, "g", [], []))))
    lengths = [node.attribute[0].t.ByteSize() for node in written.graph.node]
    assert lengths[0] == lengths[1] == lengths[3] != lengths[2]
    assert min(lengths) > 4096


def test_what_this_onnx_does_not_know_is_kept():
    model = model_with_weights()
    unknown = bytes([0xF2, 0x3F, 3]) + b"new"  # field 1022 of the model
    grown = parsed(model.SerializeToString() + unknown)
    assert Standins().light(grown).endswith(unknown)
    long_node = next(node for node in grown.graph.node if node.op_type == "Constant")
    long_node.MergeFromString(b"\x4A\x0B\x0A\x09namespace")  # metadata_props, of newer nodes
    assert b"namespace" in Standins().light(grown)


def test_names_for_nodes_come_and_go():
    model = onnx.load(str(TESTDATA / "bert_tiny.onnx"))
    for node in model.graph.node:
        node.ClearField("name")
    before = parsed(model.SerializeToString())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert onnx_hier.select(model) == []
    assert "have no name" in str(caught[0].message)
    onnx_hier.tag(model, name_nodes=True)
    assert len(onnx_hier.select(model)) == len(model.graph.node)
    assert onnx_hier.strip(model) == before


def test_parts_of_protos_are_those_of_bytes():
    path = TESTDATA / "bert_tiny.onnx"
    model, contents = onnx.load(str(path)), path.read_bytes()
    for reach in ("modules", "up_to", "from"):
        assert onnx_hier.extract(model, "bert.encoder.layer.1", reach=reach) == parsed(
            onnx_hier.extract(contents, "bert.encoder.layer.1", reach=reach))
    assert onnx_hier.fold(model) == parsed(onnx_hier.fold(contents))
    assert onnx_hier.check(onnx_hier.tag(model))["tags"]["tagged"] == 300


def test_parts_between_values():
    model = onnx.load(str(TESTDATA / "bert_tiny.onnx"))
    end = "/bert/encoder/layer.0/output/LayerNorm/Add_1_output_0"
    up_to = onnx_hier.extract(model, end, reach="up_to")
    assert [value.name for value in up_to.graph.output] == [end]
    between = onnx_hier.extract(model, inputs=["input_ids", "attention_mask"], outputs=end)
    assert between.graph.node == up_to.graph.node
    assert len(onnx_hier.extract(model, "/bert/Reshape").graph.node) == 2
    parts = onnx_hier.split(model, at=end)
    assert [len(part.graph.node) for part in parts] == [168, 132]
    for wrong in ({"patterns": "bert", "inputs": end}, {"outputs": end, "reach": "from"}):
        with pytest.raises(TypeError):
            onnx_hier.extract(model, **wrong)
    with pytest.raises(KeyError):
        onnx_hier.extract(model, outputs="nothing")


class Counted(io.RawIOBase):
    """A file that says what was read of it."""

    def __init__(self, contents):
        super().__init__()
        self.file, self.calls, self.read_bytes = io.BytesIO(contents), 0, 0

    def seek(self, offset, whence=io.SEEK_SET):
        return self.file.seek(offset, whence)

    def read(self, size=-1):
        self.calls += 1
        self.read_bytes += size
        return self.file.read(size)


@pytest.mark.parametrize("path", MODELS, **ids)
def test_tags_of_file_objects_are_those_of_bytes(path):
    contents = path.read_bytes()
    assert onnx_hier.tag(io.BytesIO(contents)) == onnx_hier.tag(contents)
    with open(path, "rb") as file:
        assert onnx_hier.hierarchy(file).sidecar()["nodes"] == \
            onnx_hier.hierarchy(contents).sidecar()["nodes"]


def test_weights_of_file_objects_are_not_read():
    model = model_with_weights()
    for index in range(4):
        weight = model.graph.initializer.add()
        weight.CopyFrom(numpy_helper.from_array(numpy.zeros(2**20, numpy.float32), f"w.{index}"))
    contents = model.SerializeToString()
    counted = Counted(contents)
    hierarchy = onnx_hier.hierarchy(counted)
    assert hierarchy.sidecar()["parameters"] == onnx_hier.hierarchy(contents).sidecar()["parameters"]
    assert counted.read_bytes < len(contents) / 10
    assert counted.calls <= 20
    # What compares contents reads them.
    changed = onnx.ModelProto.FromString(contents)
    first = changed.graph.initializer[0]
    first.raw_data = bytes(len(first.raw_data))
    assert not onnx_hier.diff(Counted(contents), io.BytesIO(contents))["changed"]
    assert onnx_hier.diff(Counted(contents), io.BytesIO(changed.SerializeToString()))["changed"]


def test_files_that_fail_say_so():
    contents = MODELS[0].read_bytes()
    with pytest.raises(ValueError, match="open the file in binary mode"):
        onnx_hier.hierarchy(io.StringIO("hello"))

    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise OSError("the server has gone")

    with pytest.raises(OSError, match="<file>: cannot read at byte 0: OSError: the server has gone"):
        onnx_hier.hierarchy(Broken(contents))

    class Short(io.BytesIO):
        def seek(self, offset, whence=io.SEEK_SET):
            return super().seek(offset, whence) + 100

    with pytest.raises(RuntimeError, match="it became shorter"):
        onnx_hier.hierarchy(Short(contents))
