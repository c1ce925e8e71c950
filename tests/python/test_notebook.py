# SPDX-License-Identifier: Apache-2.0
"""What people try in a notebook: hierarchies that show themselves, nodes, pickles, reports."""

import copy
import json
import multiprocessing
import os
import pickle
import subprocess

import onnx
import onnx_hier
import pytest
from conftest import TESTDATA

BERT = TESTDATA / "bert_tiny.onnx"
PROFILE = TESTDATA / "bert_tiny.profile.json"
LAYER = "/bert/encoder/layer.1"


@pytest.fixture(scope="module")
def h():
    return onnx_hier.hierarchy(BERT)


def test_it_shows_itself(h):
    assert repr(h) == str(h) == h.tree()
    page = h._repr_html_()
    assert page.startswith('<iframe sandbox="allow-scripts"') and page.count("<") == 2
    assert "&lt;!DOCTYPE html&gt;" in page


def test_modules_are_walked_through(h):
    assert h.root.path == "/" and h.root.parent is None
    assert len(h) == len(list(h)) == len(h.modules) == 45
    assert [child.path for child in h.root.children] == ["/bert", "/cls"]
    layer = h[LAYER]
    assert (layer.path, layer.parent.path, layer.node_count) == (LAYER, "/bert/encoder", 109)
    assert layer[0] == layer.modules[0] and layer[:1] == layer.modules
    assert h["bert.encoder.layer"].modules == h["bert.encoder.layer.*"].modules
    assert h["bert.encoder.layer"]["**.query"].modules == h["**.query"].modules
    assert layer["attention.self"].path == LAYER + "/attention/self"
    assert layer[0]["attention/self"].path == LAYER + "/attention/self"
    assert layer[0].nodes == layer.nodes and layer[0].node_names() == layer.node_names()
    with pytest.raises(AttributeError, match="path is of one module, and these are 2"):
        h["bert.encoder.layer"].path
    with pytest.raises(AttributeError, match="^nothing$"):
        layer.nothing
    with pytest.raises(KeyError, match="no module in Modules.* is meant by 'attn'"):
        layer["attn"]
    assert layer[0].to_dict()["parent_path"] == "/bert/encoder"


def test_types_have_names(h):
    assert {p.dtype for p in h.parameters} == {"float32"}


def test_a_node_is_asked_for(h):
    model = onnx.load(str(BERT))
    for index in (0, 57, 299):
        proto = model.graph.node[index]
        for which in (proto, proto.name, proto.output[0], str(index), index, h.nodes[index]):
            assert h.node(which) == h.nodes[index]
    assert h.node(-1) == h.nodes[-1]
    proto.name = ""
    assert h.node(proto).id == "299"
    with pytest.raises(KeyError, match="no node with the id or name 'nobody'"):
        h.node("nobody")
    assert h.node(f"{LAYER}/output/Add").outputs == (f"{LAYER}/output/Add_output_0",)


def test_operators_are_never_left_out_in_silence(h):
    decoder = h["cls.predictions.decoder"]
    names = ["/cls/predictions/decoder/MatMul"]
    for words in (["MatMul", "Gemm"], "MatMul,Gemm", ("MatMul",)):
        assert decoder.node_names(words) == names
    assert decoder.node_names("Gemm", "MatMul") == names
    with pytest.raises(ValueError, match="no node of the model is a 'matmul'; did you mean 'MatMul'"):
        decoder.node_names("matmul")
    with pytest.warns(UserWarning, match="no node here is a Gemm or Conv"):
        assert decoder.node_names("Gemm", "Conv") == []
    assert onnx_hier.select(BERT, "cls.predictions.decoder", op_types="MatMul,Gemm") == names


def test_explain_and_select_take_what_others_do(h):
    model = onnx.load(str(BERT))
    told = onnx_hier.explain(model, [model.graph.node[100], 101], "cls.predictions.decoder")
    assert [each["id"] for each in told] == ["100", "101", "298", "299"]
    assert onnx_hier.select(BERT, ["cls", "bert"]) == onnx_hier.select(BERT, "cls", "bert")


def test_pickles_and_copies(h, tmp_path):
    path = tmp_path / "bert.onnx"
    path.write_bytes(BERT.read_bytes())
    for model in (path, BERT.read_bytes(), onnx.load(str(BERT))):
        again = pickle.loads(pickle.dumps(onnx_hier.hierarchy(model)))
        assert again.modules == h.modules and again.nodes == h.nodes
        assert again["**.query"].node_names() == h["**.query"].node_names()
    assert pickle.loads(pickle.dumps(h["**.query"])).node_names() == h["**.query"].node_names()
    assert copy.deepcopy(h) is h and copy.copy(h) is h
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert [len(each) for each in pool.map(onnx_hier.hierarchy, [str(path)] * 3)] == [45] * 3
    pickled = pickle.dumps(onnx_hier.hierarchy(path))
    path.write_bytes(b"other")
    with pytest.raises(ValueError, match="is another file than when its hierarchy was pickled"):
        pickle.loads(pickled)
    with open(BERT, "rb") as file, pytest.raises(TypeError, match="open file cannot be pickled"):
        pickle.dumps(onnx_hier.hierarchy(file))


def test_pages(bert):
    (bert.parent / "p.json").write_bytes(PROFILE.read_bytes())
    assert onnx_hier.report("bert.onnx", profile="p.json") == "bert_report.html"
    of_tool("report", "bert.onnx", "--profile", "p.json", "-o", "tool.html")
    assert open("bert_report.html", "rb").read() == open("tool.html", "rb").read()
    with pytest.raises(FileExistsError):
        onnx_hier.report("bert.onnx")
    page = onnx_hier.report(bert.read_bytes(), compare=TESTDATA / "bert_dynamo.onnx")
    assert page.startswith("<!DOCTYPE html>") and '"comparison":{"file":"bert_dynamo.onnx"' in page


def of_tool(*words):
    return subprocess.run([os.environ["ONNX_HIER_TOOL"], *words], capture_output=True, text=True,
                          check=True).stdout


def test_what_commands_print_is_the_same(bert):
    (bert.parent / "p.json").write_bytes(PROFILE.read_bytes())
    assert onnx_hier.tree("bert.onnx", form="json") == json.loads(of_tool("tree", "bert.onnx", "--json"))
    assert onnx_hier.tree("bert.onnx", form="csv", columns=["nodes"]) == of_tool(
        "tree", "bert.onnx", "--format", "csv", "--columns", "nodes")
    assert onnx_hier.tree("bert.onnx", module="cls", depth=1) == "".join(
        of_tool("tree", "bert.onnx", "--module", "cls", "--depth", "1").splitlines(True)[1:])
    assert onnx_hier.cost("bert.onnx", dims={"seq": 16}) == json.loads(
        of_tool("cost", "bert.onnx", "--dim", "seq=16", "--json"))
    for form in ("table", "markdown", "csv", "folded", "speedscope", "trace"):
        assert onnx_hier.profile("bert.onnx", "p.json", form=form) == of_tool(
            "profile", "bert.onnx", "p.json", "--format", form)
    assert onnx_hier.profile("bert.onnx", "p.json", compare="p.json", form="table") == of_tool(
        "profile", "bert.onnx", "p.json", "--compare", "p.json")
    for form in ("model-explorer", "graphml", "dot"):
        text = onnx_hier.export("bert.onnx", form=form)
        told = of_tool("export", "bert.onnx", "--format", form)
        assert (json.dumps(text) == json.dumps(json.loads(told))) if form[0] == "m" else text == told
    assert onnx_hier.report("bert.onnx", columns="unsure", force=True) == "bert_report.html"
    of_tool("report", "bert.onnx", "--columns", "unsure", "-o", "tool.html")
    assert open("bert_report.html", "rb").read() == open("tool.html", "rb").read()


def test_one_graph_alone(bert):
    (bert.parent / "loop.onnx").write_bytes((TESTDATA / "scripted_loop_if.onnx").read_bytes())
    (bert.parent / "t.csv").write_text("name,time_us\n/blk/a/Gemm,5\n/out/Gemm,1\n")
    drawn = of_tool("tree", "loop.onnx", "--in", "then_branch").splitlines(True)[1:]
    assert onnx_hier.tree("loop.onnx", graph="then_branch") == "".join(drawn)
    assert onnx_hier.profile("loop.onnx", "t.csv", graph="5/body") == json.loads(
        of_tool("profile", "loop.onnx", "t.csv", "--in", "5/body", "--json"))
    with pytest.raises(ValueError, match="it is in no graph 'body2'; there are 5/body,"):
        onnx_hier.tree("loop.onnx", graph="body2")


def test_splits_by_any_column(bert):
    (bert.parent / "p.json").write_bytes(PROFILE.read_bytes())
    for by, flags, options in (("time", ["--profile", "p.json"], {"profile": "p.json"}),
                               ("macs", ["--dim", "seq=16"], {"dims": {"seq": 16}}),
                               ("nodes", [], {})):
        folder, other = f"by_{by}", f"tool_{by}"
        made = onnx_hier.split("bert.onnx", folder, parts=3, by=by, **options)
        of_tool("split", "bert.onnx", "--parts", "3", "--by", by, *flags, "--output-dir", other)
        assert len(made["parts"]) == 3
        for part in made["parts"]:
            assert open(f"{folder}/{part['file']}", "rb").read() == open(
                f"{other}/{part['file']}", "rb").read()
    with pytest.raises(ValueError, match="there is no column 'speed'"):
        onnx_hier.split("bert.onnx", "other", parts=2, by="speed")


def test_places(bert):
    rules = {"bert": "gpu", "cls": "cpu"}
    told = onnx_hier.place("bert.onnx", rules=rules)
    assert told["output"] == "bert_placed.onnx" and told["labelled"] == 211
    of_tool("place", "bert.onnx", "--rule", "bert=gpu", "--rule", "cls=cpu", "-o", "tool.onnx")
    assert open("bert_placed.onnx", "rb").read() == open("tool.onnx", "rb").read()
    placed = onnx_hier.place(onnx.load("bert.onnx"), rules=rules)
    assert b"onnx_hier.gpu" in placed.graph.node[0].SerializeToString()
    with pytest.raises(KeyError, match="no module is meant by 'nobody'"):
        onnx_hier.place("bert.onnx", rules={"nobody": "cpu"})


def test_addresses_of_files(bert):
    assert len(onnx_hier.hierarchy(bert.as_uri())) == 45


def test_tables(h):
    pandas = pytest.importorskip("pandas")
    table = h.to_pandas()
    assert list(table["path"]) == [module.path for module in h.modules]
    assert isinstance(h.to_pandas("nodes"), pandas.DataFrame)
    assert h.to_pandas("parameters")["elements"].sum() == h.root.parameter_count
    assert h.to_dict() == h.sidecar()
