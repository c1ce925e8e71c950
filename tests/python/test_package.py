# SPDX-License-Identifier: Apache-2.0
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
    command = subprocess.run([sys.executable, "-B", "-m", "onnx_hier", "tree", "none.onnx"],
                             cwd=tmp_path, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert command.returncode == 2
    assert command.stderr == "onnx-hier: none.onnx: cannot open: No such file or directory\n"


def test_without_the_program_the_command_says_so(tmp_path):
    shutil.copytree(PACKAGE / "onnx_hier", tmp_path / "onnx_hier")
    (tmp_path / "onnx_hier" / "__init__.py").write_text("")
    command = subprocess.run([sys.executable, "-B", "-m", "onnx_hier"], cwd=tmp_path,
                             capture_output=True, text=True)
    assert command.returncode == 2
    assert command.stderr.endswith("this package was built without the program\n")


def test_a_source_distribution_has_all_that_the_build_needs(tmp_path):
    pytest.importorskip("setuptools")
    sources = tmp_path / "checkout"
    shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(
        "build", ".git", "docs", "testdata", "tests", "__pycache__", "*.egg-info"))
    packed = tmp_path / "packed"
    subprocess.run([sys.executable, "-B", "setup.py", "--quiet", "sdist", "--dist-dir", packed],
                   cwd=sources / "tools" / "python", check=True, capture_output=True)
    (archive,) = packed.iterdir()
    shutil.unpack_archive(archive, packed)
    shutil.rmtree(sources)
    (unpacked,) = (path for path in packed.iterdir() if path.is_dir())
    told = subprocess.run([sys.executable, "-B", "setup.py", "--version"], cwd=unpacked,
                          capture_output=True, text=True, check=True).stdout
    assert told.strip() == onnx_hier.__version__
    done = subprocess.run(
        [os.environ["ONNX_HIER_CMAKE"], "-S", unpacked / "project", "-B", tmp_path / "build",
         "-DONNX_HIER_BUILD_PYTHON=ON", "-DONNX_HIER_BUILD_TOOL=OFF", "-DONNX_HIER_BUILD_VERIFY=OFF",
         "-DONNX_HIER_BUILD_TESTS=OFF"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "not built" not in done.stdout
