# SPDX-License-Identifier: Apache-2.0
"""What is asked of a hierarchy."""

import onnx
import onnx_hier
import pytest
from conftest import TESTDATA

BERT = TESTDATA / "bert_tiny.onnx"


@pytest.fixture(scope="module")
def h():
    return onnx_hier.hierarchy(BERT)


def test_modules_nodes_and_parameters_add_up(h):
    root = h.modules[0]
    assert (root.path, root.qualified_name, root.parent) == ("/", "", None)
    assert root.total_nodes == len(h.nodes) == 300
    assert root.total_parameters == sum(p.elements for p in h.parameters)
    assert root.total_parameter_bytes == sum(p.bytes for p in h.parameters)
    for module in h.modules:
        (meant,) = h[module.path]
        assert meant == module
        assert len(h[module.path].nodes) == module.total_nodes
        assert len(h[module.path].own_nodes) == module.nodes
        assert sum(p.elements for p in h[module.path].own_parameters) == module.parameters
        assert sum(p.elements for p in h[module.path].parameters) == module.total_parameters
        assert module.parent is None or h[module.parent].modules[0].total_nodes >= module.nodes


def test_patterns(h):
    layers = h["/bert/encoder/layer.*"]
    assert [m.qualified_name for m in layers] == ["bert.encoder.layer.0", "bert.encoder.layer.1"]
    assert len(layers) == 2 and "layer.1" in repr(layers)
    both = h["bert.encoder.layer.0", "bert.encoder.layer.1"]
    assert both.node_names() == layers.node_names()
    assert set(layers.node_names("MatMul")) < set(layers.node_names())
    assert layers.node_names("MatMul", "Add") == [
        n.name for n in layers.nodes if n.op_type in ("MatMul", "Add")]
    assert "bert.encoder" in h and "nothing" not in h
    with pytest.raises(KeyError, match="nearest: .*layer"):
        h["bert.encoder.layr.1"]
    with pytest.raises(ValueError):
        h["bert.[0-"]


def test_tree_and_sidecar(h):
    assert h.dialect == "torchscript-scoped"
    assert "layer.[0-1] x2" in str(h)
    assert len(h.tree(1).splitlines()) < len(str(h).splitlines())
    sidecar = h.sidecar()
    assert sidecar["schema"] == "onnx-hier/sidecar"
    assert [n["tag"] for n in sidecar["nodes"]] == [n.module for n in h.nodes]


def test_nodes_inside_of_nodes():
    h = onnx_hier.hierarchy(onnx.load(str(TESTDATA / "scripted_loop_if.onnx")))
    assert any("/" in node.id for node in h.nodes)


def test_a_folded_model_is_seen_as_it_was(h):
    assert onnx_hier.hierarchy(onnx_hier.fold(BERT.read_bytes())).modules == h.modules


def test_min_confidence_moves_nodes_outwards():
    model = TESTDATA / "bert_without_names.onnx"
    usual, sure = (onnx_hier.hierarchy(model, min_confidence=p) for p in (0, 0.999))
    assert all(a.module.startswith(b.module) for a, b in zip(usual.nodes, sure.nodes))
    with pytest.raises(ValueError, match="from 0 to 1"):
        onnx_hier.hierarchy(model, min_confidence=7)
