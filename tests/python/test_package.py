"""What is packed is complete, is told truly, and needs nothing beside it."""

import ast
import os
import re
import shutil
import subprocess
import sys

import onnx_hier
import pytest
from conftest import ROOT
from onnx_hier import _core

PACKAGE = ROOT / "tools" / "python"


def test_version_has_one_place():
    project = re.search(r"^project\(onnx-hier VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(),
                        re.MULTILINE)[1]
    assert onnx_hier.__version__ == project
    for module in ("setuptools", "pybind11"):
        pytest.importorskip(module)
    told = subprocess.run([sys.executable, "-B", "setup.py", "--name", "--version"], cwd=PACKAGE,
                          capture_output=True, text=True, check=True).stdout.split()
    assert told == ["onnx-hier", project]


def stub():
    """{name: members} of the stub; of functions, no members."""
    tree = ast.parse((PACKAGE / "onnx_hier" / "_core.pyi").read_text())
    named = {}
    for item in tree.body:
        if isinstance(item, ast.ClassDef):
            named[item.name] = {
                part.target.id if isinstance(part, ast.AnnAssign) else part.name
                for part in item.body if isinstance(part, (ast.AnnAssign, ast.FunctionDef))}
        elif isinstance(item, ast.FunctionDef):
            named[item.name] = set()
    return named


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_what_the_module_has():
    named = stub()
    assert set(named) == public(dir(_core))
    for name, members in named.items():
        if isinstance(getattr(_core, name), type):
            assert members == public(dir(getattr(_core, name))), name


def test_the_installed_package_brings_its_libraries(tmp_path):
    """As setup.py installs it, but for the building."""
    build = os.environ["ONNX_HIER_BUILD"]
    subprocess.run([os.environ["ONNX_HIER_CMAKE"], "--install", build, "--component", "python",
                    "--prefix", tmp_path], check=True, capture_output=True)
    for file in (PACKAGE / "onnx_hier").iterdir():
        if file.suffix in (".py", ".pyi", ".typed") or file.name == "py.typed":
            shutil.copy(file, tmp_path / "onnx_hier")
    (module,) = (tmp_path / "onnx_hier").glob("_core.*.so")
    needed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    abseil = re.findall(r"(libabsl_\S+) => (\S+)", needed)
    assert abseil
    for library, place in abseil:
        assert os.path.realpath(place).startswith(str(tmp_path.resolve())), library
    works = "import onnx_hier; print(onnx_hier.hierarchy('bert.onnx').modules[0].nodes)"
    shutil.copy(ROOT / "testdata" / "bert_tiny.onnx", tmp_path / "bert.onnx")
    done = subprocess.run([sys.executable, "-B", "-c", works], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
