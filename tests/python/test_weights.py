# SPDX-License-Identifier: Apache-2.0
"""Weights by the names of a checkpoint."""

import json
import shutil

import onnx
import pytest
from conftest import TESTDATA

import onnx_hier

MODEL, CHECKPOINT = "recogniser.onnx", "recogniser.safetensors"


@pytest.fixture(autouse=True)
def recogniser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (MODEL, CHECKPOINT):
        shutil.copy(TESTDATA / name, tmp_path)


def without_names():
    """The recogniser, of which no name tells anything."""
    model = onnx.load(MODEL)
    graph = model.graph
    names = {}
    for tensor in graph.initializer:
        tensor.name = names.setdefault(tensor.name, f"t{len(names)}")
    for value in (*graph.input, *graph.output):
        value.name = names.setdefault(value.name, f"t{len(names)}")
    del graph.value_info[:]
    for node in graph.node:
        node.name = ""
        for field in (node.input, node.output):
            field[:] = [names.setdefault(name, f"t{len(names)}") if name else "" for name in field]
    return model


def test_weights_are_those_of_the_command(command):
    found = onnx_hier.weights(MODEL, CHECKPOINT, require=["rnn", "blocks.*"], tolerance=0.01)
    folder = command("weights", MODEL, "--checkpoint", CHECKPOINT, "--require", "rnn", "--require",
                     "blocks.*", "--tolerance", "0.01", "--json", "-q",
                     reads=(MODEL, CHECKPOINT))
    assert folder.exists() and found["unmet"] == []
    names = {each["weight"]: each["tensors"] for each in found["weights"]}
    assert names["onnx::MatMul_375"] == ["head.weight"]
    assert names["onnx::LSTM_351"] == ["rnn.weight_ih_l0", "rnn.weight_ih_l0_reverse"]
    assert onnx_hier.weights(onnx.load(MODEL), [CHECKPOINT])["weights"] == found["weights"]


def test_names_of_a_checkpoint_tell_of_owners():
    model = without_names()
    owners = {node.id: node.module for node in onnx_hier.hierarchy(MODEL).nodes}
    bare = onnx_hier.hierarchy(model)
    named = onnx_hier.hierarchy(model, checkpoint=CHECKPOINT)

    def right(hierarchy):
        return sum(owners[node.id] == node.module for node in hierarchy.nodes)

    assert right(bare) < right(named)
    assert "stem.conv" in named
    tagged = onnx_hier.tag(MODEL, sidecar_only=True, checkpoint=[CHECKPOINT])
    with open(tagged["sidecar"], encoding="utf-8") as text:
        assert json.load(text)["checkpoint"][0]["file"] == CHECKPOINT


def test_what_weights_asks_for():
    with pytest.raises(ValueError, match="name at least one file"):
        onnx_hier.weights(MODEL, [])
    with pytest.raises(FileNotFoundError, match="gone.safetensors"):
        onnx_hier.weights(MODEL, "gone.safetensors")
    with pytest.raises(KeyError, match="no tensor"):
        onnx_hier.weights(MODEL, CHECKPOINT, require="encoder")
    with open("model.bin", "wb") as pickled:
        pickled.write(b"\x80\x02}q\x00.")
    with pytest.raises(ValueError, match="pickled"):
        onnx_hier.hierarchy(MODEL, checkpoint="model.bin")
    with pytest.raises(ValueError, match="original"):
        onnx_hier.apply({"nodes": []}, MODEL, checkpoint=CHECKPOINT)
