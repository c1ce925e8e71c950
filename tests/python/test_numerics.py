# SPDX-License-Identifier: Apache-2.0
"""Values of modules. Debian has no onnxruntime: one that is made up gives what a test says."""

import io
import json
import sys
import types
import zipfile

import numpy
import onnx
import pytest

import onnx_hier

DENSE = "/bert/encoder/layer.1/intermediate/dense"
VALUE = DENSE + "/Add_output_0"


def test_probe_is_that_of_the_command(bert, command):
    told = onnx_hier.probe("bert.onnx", patterns="bert.encoder.layer.1", depth=1)
    folder = command("probe", "bert.onnx", "bert.encoder.layer.1", "--depth", "1", "-q")
    assert told["files"][0]["file"] == "bert_probed.onnx"
    assert VALUE not in told["files"][0]["values"]
    assert (bert.parent / "bert_probed.onnx").read_bytes() == (
        folder / "bert_probed.onnx").read_bytes()


def test_probe_in_memory(bert):
    model = onnx.load("bert.onnx")
    made = onnx_hier.probe(model, depth=2)
    assert len(made.graph.output) > len(model.graph.output)
    isolated = onnx_hier.probe(bert.read_bytes(), like=model, isolated=True)
    names = [value.name for value in onnx.load(io.BytesIO(isolated)).graph.output]
    assert VALUE + "/made" in names


def save(path, values):
    numpy.savez(path, **values)


def values_of(bert, **errors):
    told = onnx_hier.probe("bert.onnx", "probed.onnx", force=True)
    values = {name: numpy.cos(numpy.arange(8, dtype="f4") + len(name))
              for name in told["files"][0]["values"]}
    for name, error in errors.items():
        values[name] = values[name] + numpy.float32(error)
    return values


def test_numerics_of_files(bert):
    save("a.npz", values_of(bert))
    save("b.npz", values_of(bert, **{VALUE: 0.1}))
    told = onnx_hier.numerics("bert.onnx", "bert.onnx", a_values="a.npz", b_values="b.npz",
                              suggest="plan", precision="fp16", least=40)
    assert told["modules"][0]["path"] == DENSE
    assert told["suggestion"]["modules"] == []
    rows = onnx_hier.numerics("bert.onnx", "bert.onnx", a_values="a.npz", b_values="b.npz",
                              patterns="cls")["modules"]
    assert all(row["path"].startswith("/cls") for row in rows)


class Runtime(types.ModuleType):
    """What is asked of onnxruntime; a model that gives out the value has an error in it."""

    class SessionOptions:
        graph_optimization_level = None

    class GraphOptimizationLevel:
        ORT_DISABLE_ALL = 0

    class InferenceSession:
        def __init__(self, path, options, providers):
            self.graph = onnx.load(path).graph
            self.is_other = path.endswith(("b.onnx", "made.onnx"))
            assert options.graph_optimization_level == 0 and providers == ["CPUExecutionProvider"]

        def get_inputs(self):
            return list(self.graph.input)

        def get_outputs(self):
            return list(self.graph.output)

        def run(self, names, feeds):
            assert set(feeds) == {value.name for value in self.graph.input}
            return [numpy.full(4, 2 + self.is_other * name.startswith(VALUE), "f4")
                    for name in names]


@pytest.fixture
def runtime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", Runtime("onnxruntime"))


FEEDS = {"input_ids": numpy.ones((1, 4), "i8"), "attention_mask": numpy.ones((1, 4), "i8")}


def test_numerics_runs_both_models(bert, runtime):
    told = onnx_hier.numerics("bert.onnx", onnx.load("bert.onnx"), FEEDS)
    assert told["modules"][0]["path"] == DENSE and told["runs"] == 1
    told = onnx_hier.numerics("bert.onnx", bert.read_bytes(), [FEEDS, FEEDS], isolated=True)
    assert told["runs"] == 2
    assert told["modules"][0]["isolated"] and told["modules"][0]["lost"] == 0.5
    assert json.dumps(told)


def test_what_numerics_asks_for(bert, runtime):
    with pytest.raises(ValueError, match="input_ids"):
        onnx_hier.numerics("bert.onnx", "bert.onnx", {"x": 1})
    with pytest.raises(ValueError, match="one run"):
        onnx_hier.numerics("bert.onnx", "bert.onnx", [])
    with pytest.raises(TypeError, match="a_values"):
        onnx_hier.numerics("bert.onnx", "bert.onnx")
    with pytest.raises(TypeError, match="a_values"):
        onnx_hier.numerics("bert.onnx", "bert.onnx", FEEDS, a_values="a.npz")
    with zipfile.ZipFile("a.npz", "w"):
        pass
    with pytest.raises(ValueError, match="holds no values"):
        onnx_hier.numerics("bert.onnx", "bert.onnx", a_values="a.npz", b_values="a.npz")
    save("b.npz", values_of(bert))
    with pytest.raises(FileNotFoundError):
        onnx_hier.numerics("bert.onnx", "bert.onnx", a_values="b.npz", b_values="no.npz")
    with pytest.raises(ValueError, match="suggest"):
        onnx_hier.numerics("bert.onnx", "bert.onnx", a_values="b.npz", b_values="b.npz",
                           suggest="best")
