# SPDX-License-Identifier: Apache-2.0
"""With paths, functions write the files that the command writes."""

import json
from pathlib import Path

import onnx
import onnx_hier
import pytest
from conftest import TESTDATA

LAYER = "bert.encoder.layer.0"


def test_tag_and_strip(bert, command):
    told = onnx_hier.tag("bert.onnx")
    assert told["output"] == "bert_tagged.onnx"
    assert told["sidecar"] == "bert_tagged_hierarchy.json"
    assert told["nodes"] == told["tagged"] == 300
    theirs = command("tag", "bert.onnx")
    for name in ("bert_tagged.onnx", "bert_tagged_hierarchy.json"):
        assert (bert.parent / name).read_bytes() == (theirs / name).read_bytes(), name
    assert onnx_hier.strip("bert_tagged.onnx", bert.parent / "back.onnx") == str(
        bert.parent / "back.onnx")
    assert (bert.parent / "back.onnx").read_bytes() == bert.read_bytes()


def test_tag_in_place_and_sidecar_only(bert):
    before = bert.read_bytes()
    told = onnx_hier.tag(bert, sidecar_only=True)
    assert told["output"] is None
    assert json.loads((bert.parent / "bert_tagged_hierarchy.json").read_text())["nodes"]
    assert onnx_hier.tag(bert, in_place=True, sidecar=False)["sidecar"] is None
    assert bert.read_bytes() != before
    onnx_hier.strip(bert, in_place=True)
    assert bert.read_bytes() == before


def test_extract(bert, command):
    told = onnx_hier.extract("bert.onnx", LAYER)
    assert told["modules"] == ["/bert/encoder/layer.0"]
    theirs = command("extract", "bert.onnx", LAYER)
    name = told["output"]
    assert (bert.parent / name).read_bytes() == (theirs / name).read_bytes()


def test_split(bert, command):
    manifest = onnx_hier.split("bert.onnx", "parts")
    assert [part["file"] for part in manifest["parts"]][1] == "bert_01_layer.0.onnx"
    theirs = command("split", "bert.onnx", "--output-dir", "parts") / "parts"
    names = sorted(file.name for file in theirs.iterdir())
    assert sorted(file.name for file in (bert.parent / "parts").iterdir()) == names
    for name in names:
        assert (bert.parent / "parts" / name).read_bytes() == (theirs / name).read_bytes(), name


def test_parts_of_a_model_with_data_files(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    model = onnx.load(str(TESTDATA / "bert_tiny.onnx"))
    onnx.save(model, "bert.onnx", save_as_external_data=True, location="w.bin", size_threshold=0,
              convert_attribute=True)
    manifest = onnx_hier.split("bert.onnx", "parts", parts=2)
    theirs = command("split", "bert.onnx", "--output-dir", "parts", "--parts", "2",
                     reads=("bert.onnx", "w.bin")) / "parts"
    for file in theirs.iterdir():
        assert (Path("parts") / file.name).read_bytes() == file.read_bytes(), file
    for part in manifest["parts"]:
        assert part["data_bytes"] == (Path("parts") / part["data"]).stat().st_size
        assert part["bytes"] == (Path("parts") / part["file"]).stat().st_size
    told = onnx_hier.extract("bert.onnx", LAYER, "layer.onnx")
    assert told["data"] is None
    assert onnx_hier.extract("bert.onnx", LAYER, "own.onnx", external_data="cut")["data"] == "own.data"
    layers = [onnx.load(name).graph for name in ("layer.onnx", "own.onnx")]
    assert layers[0] == layers[1]
    with pytest.warns(UserWarning, match="'w.bin', which is not beside them"):
        onnx_hier.split("bert.onnx", "kept", external_data="keep")


def test_a_failed_split_leaves_no_folder(bert):
    with pytest.raises(ValueError, match="parts is from 2"):
        onnx_hier.split("bert.onnx", "parts", parts=1)
    onnx_hier.tag("bert.onnx", in_place=True, sidecar=False)
    (bert.parent / "old").mkdir()
    (bert.parent / "old" / "bert_split.json").write_text("kept")
    with pytest.raises(FileExistsError):
        onnx_hier.split("bert.onnx", "old")
    assert (bert.parent / "old" / "bert_split.json").read_text() == "kept"
    assert [file.name for file in (bert.parent / "old").iterdir()] == ["bert_split.json"]


def test_fold_and_unfold(bert, command):
    told = onnx_hier.fold("bert.onnx", repeated=True)
    assert told["functions"]
    theirs = command("fold", "bert.onnx", "--repeated")
    name = "bert_folded.onnx"
    assert (bert.parent / name).read_bytes() == (theirs / name).read_bytes()
    assert onnx_hier.unfold(name, "flat.onnx")["exact"]
    assert (bert.parent / "flat.onnx").read_bytes() == bert.read_bytes()


def test_apply_tells_of_data_files_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    contents = (TESTDATA / "tags_clean.onnx").read_bytes()
    Path("data.onnx").write_bytes(contents)
    Path("renamed.onnx").write_bytes(contents.replace(b"word_embeddings.", b"word_embeddingx."))
    told = onnx_hier.apply("data.onnx", "renamed.onnx", external_data="keep")
    assert [w.partition("'")[2] for w in told["warnings"]] == 2 * [
        "zeros.bin': No such file or directory"]


def test_apply_of_a_sidecar_and_of_an_original(bert, command):
    onnx_hier.tag("bert.onnx", sidecar="tags.json", sidecar_only=True)
    told = onnx_hier.apply("tags.json", "bert.onnx", "a.onnx", strict=True)
    assert (told["tagged"], told["problems"]) == (300, [])
    told = onnx_hier.apply("bert.onnx", "bert.onnx", "b.onnx", sidecar=True)
    assert told["sidecar"] == "b_hierarchy.json"
    theirs = command("apply", "tags.json", "bert.onnx", "-o", "a.onnx",
                     reads=("bert.onnx", "tags.json"))
    command("apply", "bert.onnx", "bert.onnx", "-o", "b.onnx")
    for name in ("a.onnx", "b.onnx"):
        assert (bert.parent / name).read_bytes() == (theirs / name).read_bytes(), name
    tags = json.loads((bert.parent / "tags.json").read_text())
    assert onnx_hier.apply(tags, bert.read_bytes()) == (bert.parent / "a.onnx").read_bytes()
    tags["nodes"] = tags["nodes"][1:]
    with pytest.raises(ValueError, match="does not match"):
        onnx_hier.apply(tags, bert.read_bytes(), strict=True)


def test_check_explain_select_and_diff_say_what_the_command_says(bert):
    onnx_hier.tag("bert.onnx")
    report = onnx_hier.check("bert_tagged.onnx", coverage=True)
    assert (report["file"], report["findings"]) == ("bert_tagged.onnx", [])
    assert onnx_hier.check("bert.onnx", tags="bert_tagged_hierarchy.json")["findings"] == []
    assert onnx_hier.check("bert.onnx", fresh=True)["tags"]["source"] == "fresh"
    (why,) = onnx_hier.explain("bert.onnx", 5)
    assert (why["id"], why["tag"]) == ("5", "/bert")
    assert len(onnx_hier.explain("bert.onnx", module="bert.embeddings.word_embeddings")) == 1
    names = onnx_hier.select("bert.onnx", LAYER, op_types=["MatMul"],
                             exclude="**.attention")
    assert names and all(name.startswith("/bert/encoder/layer.0") for name in names)
    assert onnx_hier.select("bert.onnx", LAYER, values="outputs")
    assert onnx_hier.select("bert.onnx", LAYER, ids=True)[0].isdigit()
    assert onnx_hier.diff("bert.onnx", "bert_tagged.onnx")["changed"] == []


def test_module_map(bert):
    classes = {"": "Net", "bert": "my.Bert", "bert.encoder.layer.0": "my.Layer"}
    (bert.parent / "map.json").write_text(json.dumps(classes))
    h = onnx_hier.hierarchy("bert.onnx", module_map="map.json")
    assert h["bert"].modules[0].class_name == "my.Bert"


def test_modules_of_a_map_say_where_they_stand(bert):
    classes = {"": "Net", "bert": "my.Bert", "bert.unused": "torch.nn.modules.linear.Linear"}
    (bert.parent / "map.json").write_text(json.dumps(classes))
    h = onnx_hier.hierarchy("bert.onnx", module_map="map.json")
    (unused,) = [module for module in h.network if module.path == "/bert/unused"]
    assert len(h.network) == len(h.modules) + 1 and len(h["bert"].modules) == 1
    assert (unused.level, unused.leaf, unused.library, unused.state) == (2, True, "torch.nn",
                                                                         "no nodes")
    (used,) = h["bert"].modules
    assert (used.level, used.leaf, used.library, used.state) == (1, False, "my", None)


def test_a_map_that_is_read_is_not_replaced(bert):
    classes = {"": "Net", "bert": "my.Bert", "bert.encoder.layer.0": "my.Layer"}
    (bert.parent / "map.json").write_text(json.dumps(classes))
    with pytest.raises(ValueError, match="a file that is read"):
        onnx_hier.tag("bert.onnx", module_map="map.json", sidecar="map.json", force=True)
    assert json.loads((bert.parent / "map.json").read_text()) == classes


def test_nothing_that_is_read_is_replaced(bert):
    (bert.parent / "map.json").write_text('{"bert": "BertModel"}', "utf-8")
    onnx_hier.tag("bert.onnx", "other.onnx", sidecar="tags.json")
    before = {path.name: path.read_bytes() for path in bert.parent.iterdir()}
    for call in (
            lambda: onnx_hier.tag("bert.onnx", "map.json", module_map="map.json", force=True),
            lambda: onnx_hier.tag("bert.onnx", sidecar="map.json", module_map="map.json",
                                  force=True),
            lambda: onnx_hier.apply("tags.json", "bert.onnx", "tags.json", force=True),
            lambda: onnx_hier.apply("other.onnx", "bert.onnx", "other.onnx", force=True),
            lambda: onnx_hier.fold("bert.onnx", "map.json", module_map="map.json", force=True),
            lambda: onnx_hier.extract("bert.onnx", "cls", "map.json", module_map="map.json",
                                      force=True)):
        with pytest.raises(ValueError, match="replace|is a file that this run reads"):
            call()
    assert {path.name: path.read_bytes() for path in bert.parent.iterdir()} == before
