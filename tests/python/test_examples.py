# SPDX-License-Identifier: Apache-2.0
"""Examples run, and print what they say: those of docstrings, of the README and of docs/python.md, and the scripts."""

import doctest
import subprocess
import sys

import onnx
import onnx_hier
import pytest
from conftest import ROOT, TESTDATA
from onnx_hier import _api, _hierarchy, _numerics, _reports

PACKAGE = ROOT / "tools" / "python"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture
def folder(bert):
    """With a model, and what a tool made of it."""
    made = onnx.load("bert.onnx")
    for node in made.graph.node:
        node.name = ""
    onnx.save(made, "bert_optimised.onnx")
    (bert.parent / "bert.profile.json").write_bytes(
        (TESTDATA / "bert_tiny.profile.json").read_bytes())
    return bert.parent


def run(test):
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    return runner.tries


def documented(module):
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {"onnx": onnx, "onnx_hier": onnx_hier}
    return [test for test in finder.find(module, module.__name__, globs=names) if test.examples]


@pytest.mark.parametrize("test", [t for m in (onnx_hier, _api, _hierarchy, _reports) for t in documented(m)],
                         ids=lambda test: test.name)
def test_docstrings(test, folder):
    assert run(test) > 0


def test_every_function_has_an_example():
    shown = {test.name.rpartition(".")[2] for module in (_api, _numerics, _reports)
             for test in documented(module)}
    functions = {name for name in onnx_hier.__all__ if name[0].islower()}
    assert functions - shown == {"numerics"}  # which needs a runtime


def page(path):
    text = path.read_text("utf-8").replace("```", "")
    return text, doctest.DocTestParser().get_doctest(text, {}, path.name, path.name, 0)


def test_page_of_docs(folder):
    assert run(page(ROOT / "docs" / "python.md")[1]) > 5


def test_readme(folder):
    text, test = page(PACKAGE / "README.md")
    assert run(test) > 5
    for name in onnx_hier.__all__:
        assert name in text or name[0].isupper() or name == "__version__", name


def script(name, *words):
    done = subprocess.run([sys.executable, "-B", PACKAGE / "examples" / name, *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_quantize_all_but(folder):
    said = script("quantize_all_but.py", "bert.onnx", "bert.encoder.layer.0")
    assert "8 nodes stay in float" in said


def test_conversion_pipeline(folder):
    assert script("conversion_pipeline.py", "bert.onnx", "out.onnx") == (
        "300 of 300 nodes tagged, 0 in a wrong module\n")
    assert onnx.load("out.onnx").graph.node[5].doc_string.startswith('{"hierarchy_path":"/bert"')


def test_split_by_layer(folder):
    said = script("split_by_layer.py", "bert.onnx", "parts").splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "bert_00_head.onnx", "bert_01_layer.0.onnx", "bert_02_layer.1.onnx", "bert_03_tail.onnx"]
