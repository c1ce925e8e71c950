# SPDX-License-Identifier: Apache-2.0
"""What is packed is complete, is told truly, and needs nothing beside it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import onnx_hier
import pytest
from conftest import ROOT
from onnx_hier import _c, _core

PACKAGE = ROOT / "tools" / "python"


def private_headers(library):
    return subprocess.run(["objdump", "-p", library], capture_output=True, text=True,
                          check=True).stdout


def test_version_has_one_place():
    project = re.search(r"^project\(onnx-hier VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(),
                        re.MULTILINE)[1]
    assert onnx_hier.__version__ == project
    pytest.importorskip("setuptools")
    told = subprocess.run([sys.executable, "-B", "setup.py", "--name", "--version"], cwd=PACKAGE,
                          capture_output=True, text=True, check=True).stdout.split()
    assert told == ["onnx-hier", project]


def test_every_function_of_the_header_is_declared():
    header = (ROOT / "tools" / "c" / "include" / "onnx_hier" / "c.h").read_text()
    declared = re.findall(r"^ONNX_HIER_API [^(]*?\*?onnx_hier_(\w+)\(([^;]*)\);", header, re.MULTILINE)
    assert {name for name, _ in declared} == set(_c._FUNCTIONS)
    for name, parameters in declared:
        count = 0 if parameters == "void" else parameters.count(",") + 1
        assert len(_c._FUNCTIONS[name][1]) == count, name
    codes = re.findall(r"^  ONNX_HIER_\w+ = (\d+)", header, re.MULTILINE)
    assert [int(code) for code in codes] == [_c.OK, *_c.ERRORS, _c.RUNNING]
    assert f"#define ONNX_HIER_C_VERSION {_c.C_VERSION}\n" in header


def test_the_library_shows_its_functions_only():
    library = Path(_core.__file__).with_name("libonnx_hier_c.so")
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                             check=True).stdout.split()[2::3]
    assert set(symbols) == {"onnx_hier_" + name for name in _c._FUNCTIONS}


def test_the_installed_package_brings_its_libraries(tmp_path):
    """As setup.py installs it, but for the building."""
    build = os.environ["ONNX_HIER_BUILD"]
    subprocess.run([os.environ["ONNX_HIER_CMAKE"], "--install", build, "--component", "python",
                    "--prefix", tmp_path], check=True, capture_output=True)
    for file in (PACKAGE / "onnx_hier").iterdir():
        if file.suffix == ".py" or file.name == "py.typed":
            shutil.copy(file, tmp_path / "onnx_hier")
    library = tmp_path / "onnx_hier" / "libonnx_hier_c.so"
    needed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    for name, place in re.findall(r"(libabsl_\S+) => (\S+)", needed):
        assert os.path.realpath(place).startswith(str(tmp_path.resolve())), name
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


def test_the_library_is_for_all_systems_since_glibc_2_17():
    """Where Abseil's sources were at hand."""
    library = Path(_core.__file__).with_name("libonnx_hier_c.so")
    told = private_headers(library)
    needed = re.findall(r"NEEDED +(\S+)", told)
    if any(name.startswith("libabsl_") for name in needed):
        pytest.skip("it needs Debian's Abseil")
    assert set(needed) <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "libgcc_s.so.1",
                           "ld-linux-x86-64.so.2"}
    versions = re.findall(r" GLIBC_(\d+)[.](\d+)", told)
    assert max((int(major), int(minor)) for major, minor in versions) <= (2, 17)


def test_the_library_for_musl_needs_musl_alone():
    """Where Debian's package of it and Abseil's sources were at hand."""
    library = Path(os.environ["ONNX_HIER_BUILD"]) / "tools" / "c" / "musl" / "libonnx_hier_c.so"
    if not library.exists():
        pytest.skip("it was not built")
    told = private_headers(library)
    assert re.findall(r"NEEDED +(\S+)", told) == ["libc.so"]
    assert "Version References" not in told


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
         "-DONNX_HIER_BUILD_C=ON", "-DONNX_HIER_BUILD_TOOL=OFF", "-DONNX_HIER_BUILD_VERIFY=OFF",
         "-DONNX_HIER_BUILD_TESTS=OFF"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "not built" not in done.stdout
