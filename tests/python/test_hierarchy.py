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
    assert root.node_count == len(h.nodes) == 300
    assert root.parameter_count == sum(p.elements for p in h.parameters)
    assert root.parameter_bytes == sum(p.bytes for p in h.parameters)
    for module in h.modules:
        (meant,) = h[module.path]
        assert meant == module
        assert len(h[module.path].nodes) == module.node_count
        assert len(h[module.path].own_nodes) == module.own_node_count
        assert sum(p.elements for p in h[module.path].own_parameters) == module.own_parameter_count
        assert sum(p.elements for p in h[module.path].parameters) == module.parameter_count
        assert module.parent is None or module.parent.node_count >= module.node_count


def test_costs(h):
    cost = h.cost(dims={"seq": 16}, device="2000:50")
    assert cost["macs"].totals["/"] == 362496
    assert sum(cost["macs"].own.values()) == cost["macs"].total == 362496
    assert cost["bound"].unit == "ns"
    assert h.cost(shapes={"input_ids": (2, 16)})["macs"].total == 2 * 362496
    with pytest.raises(ValueError, match="leaves open how large 'seq'"):
        h.cost()
    with pytest.raises(TypeError, match="a size is a whole number"):
        h.cost(dims={"seq": "16"})


def test_measures(h, tmp_path):
    nodes = h.measure("nodes")
    assert (nodes.unit, nodes.adds, nodes.total, nodes.not_placed) == ("count", "sum", 300, 0)
    for module in h.modules:
        assert nodes.own[module.path] == module.own_node_count
        assert nodes.totals[module.path] == module.node_count
        assert nodes.unknown[module.path] == 0
    assert h.measure("confidence").own["/"] is None
    assert sum(h.measure("operators").words["/cls"].values()) == 23

    times = h.measure(profile=TESTDATA / "bert_tiny.profile.json")
    assert (times.id, times.unit, times.totals["/"]) == ("time", "ns", 844000)
    providers = h.measure(profile=TESTDATA / "bert_tiny.providers.json")
    assert providers.words["/"] == {"CUDA": 139, "CPU": 72}
    table = tmp_path / "loss.csv"
    table.write_text("node,loss,bits\n/cls/predictions/decoder/MatMul,1.5,8\nnone,2,8\n")
    loss = h.measure(profile=table, value="loss")
    assert (loss.totals["/cls"], loss.not_placed, loss.total) == (1.5, 2, 3.5)
    assert h.measure(profile=table, adds="count").total == 2
    with pytest.raises(ValueError, match="loss.csv: line 1: has several columns"):
        h.measure(profile=table)
    with pytest.raises(ValueError, match="there is no column 'depth'"):
        h.measure("depth")
    table.write_text("node,loss\nnone,2\n")
    with pytest.raises(ValueError, match="loss.csv: no row has a name of bert_tiny.onnx"):
        h.measure(profile=table)
    with pytest.raises(ValueError, match="give one of them"):
        h.measure()


def test_columns_of_a_tree(h):
    text = h.tree(depth=1, columns=["nodes", "unsure"], sort="parameters")
    assert text.splitlines()[0].split() == ["module", "nodes", "unsure"]
    with pytest.raises(ValueError, match="there is no column"):
        h.tree(columns="depth")


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


def test_rules_say_what_is_known_better(bert, tmp_path):
    rules = tmp_path / "bert.rules"
    rules.write_text("rename bert.encoder.layer.* = bert.blocks.*\nowner nobody = bert\n"
                     "nodes / <= 3\n")
    with pytest.warns(UserWarning, match="bert|nobody"):
        h = onnx_hier.hierarchy(bert, rules=rules)
    assert len(h["bert.blocks.*"].nodes) == 218
    report = onnx_hier.check(bert, fresh=True, rules=rules)
    assert report["findings"] == []
    assert [broken["line"] for broken in report["broken_rules"]] == [3]
    rules.write_text("ownr a = b\n")
    with pytest.raises(ValueError, match="line 1, column 1"):
        onnx_hier.hierarchy(bert, rules=rules)
