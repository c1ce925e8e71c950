# SPDX-License-Identifier: Apache-2.0
"""Models of onnx_ir, which goes by other names: stand-ins with the attributes that they have."""

from types import SimpleNamespace

import onnx
import onnx_hier
import pytest
from conftest import TESTDATA
from onnx import numpy_helper
from onnx_hier._wire import nodes_in

SINGLE = {1: "f", 2: "i", 3: "s", 4: "t", 5: "g"}
LISTS = {6: "floats", 7: "ints", 8: "strings", 9: "tensors", 10: "graphs"}


class Nodes(list):
    """A graph or function: nodes, with attributes of its own."""

    def __init__(self, nodes, **attributes):
        super().__init__(nodes)
        self.__dict__.update(attributes)


def tensor(proto):
    array = numpy_helper.to_array(proto)
    return SimpleNamespace(name=proto.name, dtype=proto.data_type, shape=array.shape,
                           nbytes=array.nbytes, tobytes=array.tobytes)


def values(names):
    return [SimpleNamespace(name=name) if name else None for name in names]


def attribute(proto):
    field = SINGLE.get(proto.type) or LISTS.get(proto.type)
    value = None if field is None or proto.ref_attr_name else getattr(proto, field)
    turned = {4: tensor, 5: graph}.get(proto.type)
    if value is not None and turned:
        value = turned(value)
    many = {9: tensor, 10: graph}.get(proto.type)
    if value is not None and many:
        value = [many(item) for item in value]
    return SimpleNamespace(name=proto.name, type=proto.type, value=value,
                           ref_attr_name=proto.ref_attr_name or None)


def node(proto):
    return SimpleNamespace(
        name=proto.name or None, op_type=proto.op_type, domain=proto.domain, overload="",
        inputs=values(proto.input), outputs=values(proto.output),
        attributes={a.name: attribute(a) for a in proto.attribute},
        doc_string=proto.doc_string if proto.HasField("doc_string") else None, metadata_props={})


def graph(proto):
    return Nodes(
        map(node, proto.node), name=proto.name, doc_string=proto.doc_string, metadata_props={},
        inputs=[SimpleNamespace(name=v.name) for v in proto.input],
        outputs=[SimpleNamespace(name=v.name) for v in proto.output],
        initializers={t.name: SimpleNamespace(name=t.name, const_value=tensor(t))
                      for t in proto.initializer})


def function(proto):
    return Nodes(
        map(node, proto.node), name=proto.name, domain=proto.domain, overload="",
        inputs=values(proto.input), outputs=values(proto.output), metadata_props={},
        attributes=dict.fromkeys(proto.attribute),
        opset_imports={o.domain: o.version for o in proto.opset_import})


def ir_model(proto):
    main = graph(proto.graph)
    main.opset_imports = {o.domain: o.version for o in proto.opset_import}
    return SimpleNamespace(
        ir_version=proto.ir_version, producer_name=proto.producer_name or None,
        producer_version=proto.producer_version or None, domain=proto.domain or None,
        graph=main, metadata_props={p.key: p.value for p in proto.metadata_props},
        functions={f.name: function(f) for f in proto.functions})


@pytest.mark.parametrize("name", ["bert_tiny", "encoder_flat_names", "resnet", "functions_all",
                                  "scripted_loop_if", "lstm", "dialect_slashes"])
def test_nodes_get_the_tags_of_the_proto(name):
    proto = onnx.load(str(TESTDATA / f"{name}.onnx"))
    model = ir_model(proto)
    before = [n.doc_string for n in all_nodes(model)]
    onnx_hier.tag(proto)
    assert onnx_hier.tag(model) is model
    assert [n.doc_string for n in all_nodes(model)] == [
        n.doc_string for n in nodes_in(proto, range(10**6))]
    assert onnx_hier.hierarchy(model).nodes == onnx_hier.hierarchy(proto).nodes
    if not any(before):
        onnx_hier.strip(model)
        assert [n.doc_string for n in all_nodes(model)] == before


def all_nodes(model):
    nodes = []

    def add(graph):
        for each in graph:
            nodes.append(each)
            for held in each.attributes.values():
                if held.type in (5, 10) and held.value is not None:
                    for inner in [held.value] if held.type == 5 else held.value:
                        add(inner)

    for graph in (model.graph, *model.functions.values()):
        add(graph)
    return nodes


def test_what_needs_weights_says_so():
    model = ir_model(onnx.load(str(TESTDATA / "bert_tiny.onnx")))
    for make in (lambda: onnx_hier.fold(model), lambda: onnx_hier.diff(model, model)):
        with pytest.raises(TypeError, match="to_proto"):
            make()
    assert onnx_hier.diff(model, model, weights=False)["changed"] == []
