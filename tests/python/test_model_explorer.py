# SPDX-License-Identifier: Apache-2.0
"""Model Explorer's adapter, called as Model Explorer calls it (its utils.convert_adapter_response makes
dicts of the dataclasses that it is given)."""

import dataclasses
import importlib.util
import os
import sys
import types

import pytest
from conftest import ROOT, TESTDATA

ADAPTER = ROOT / "tools" / "python" / "onnx_hier" / "model_explorer.py"


@dataclasses.dataclass
class GraphCollection:
    label: str
    graphs: list


@dataclasses.dataclass
class AdapterMetadata:
    id: str
    name: str
    description: str = ""
    source_repo: str = ""
    fileExts: list = dataclasses.field(default_factory=list)


@pytest.fixture
def adapter(tmp_path, monkeypatch):
    explorer = types.ModuleType("model_explorer")
    explorer.Adapter, explorer.AdapterMetadata = object, AdapterMetadata
    explorer.ModelExplorerGraphs = dict
    explorer.types = types.ModuleType("model_explorer.types")
    explorer.types.GraphCollection = GraphCollection
    monkeypatch.setitem(sys.modules, "model_explorer", explorer)
    monkeypatch.setitem(sys.modules, "model_explorer.types", explorer.types)
    # As in a wheel, where the program lies beside it.
    path = tmp_path / "model_explorer.py"
    path.write_bytes(ADAPTER.read_bytes())
    (tmp_path / "onnx-hier").symlink_to(os.environ["ONNX_HIER_TOOL"])
    spec = importlib.util.spec_from_file_location("adapter_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.OnnxHierAdapter()


def test_nodes_are_grouped_by_module(adapter):
    made = adapter.convert(str(TESTDATA / "bert_dynamo.onnx"), {})
    collection = dataclasses.asdict(made["graphCollections"][0])
    assert collection["label"] == "bert_dynamo.onnx"
    nodes = collection["graphs"][0]["nodes"]
    assert any(node["namespace"].endswith("layer/0/attention/self") or
               node["namespace"].endswith("layer.0/attention/self") for node in nodes)
    assert adapter.metadata.fileExts == ["onnx"]


def test_what_is_no_model_is_said(adapter, tmp_path):
    path = tmp_path / "no.onnx"
    path.write_text("no model")
    with pytest.raises(ValueError, match="no.onnx"):
        adapter.convert(str(path), {})
