# SPDX-License-Identifier: Apache-2.0
"""Builds the extension module by CMake, out of the project's sources: those around this folder, or
those beside this file in a source distribution (sdist).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pybind11
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
PACKED = HERE / "project"
ROOT = PACKED if PACKED.is_dir() else HERE.parents[1]
# What of it the module is built from.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "lib", "schemas", "tools")


def version():
    """The project's: it has one place."""
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    return re.search(r"^project\(onnx-hier VERSION ([0-9.]+)", text, re.MULTILINE)[1]


class BuildByCMake(build_ext):
    """Installs CMake's component "python" into the wheel: the module, Abseil's libraries, and the
    program."""

    def build_extension(self, extension):
        build = Path(self.build_temp).resolve()
        package = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "ONNX_HIER_BUILD_PYTHON": "ON",
            "ONNX_HIER_STATIC_TOOL": "ON",
            "ONNX_HIER_BUILD_VERIFY": "OFF",
            "ONNX_HIER_BUILD_TESTS": "OFF",
            "ONNX_HIER_HARDEN": "ON",
            "ONNX_HIER_PRECOMPILE": "ON",
            "ONNX_HIER_UNITE": "ON",
            "Python3_EXECUTABLE": sys.executable,
            "pybind11_DIR": pybind11.get_cmake_dir(),
        }
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator,
                        *(f"-D{name}={value}" for name, value in options.items())], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "onnx_hier_core", "onnx-hier",
                        "--parallel", str(os.cpu_count())], check=True)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--strip",
                        "--prefix", package.parent], check=True)
        # Wheels have no links: each library once, by the name that it is looked for.
        for link in [file for file in (package / "abseil").iterdir() if file.is_symlink()]:
            library = link.resolve()
            link.unlink()
            library.rename(link)


class PackSources(sdist):
    """Puts the project's sources beside this file."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        # The tree that is being made lies among them.
        left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist",
                                          Path(base_dir).name)
        for name in SOURCES:
            source, target = ROOT / name, Path(base_dir, PACKED.name, name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=left_out)
            else:
                target.parent.mkdir(exist_ok=True)
                shutil.copy(source, target)


setup(
    version=version(),
    packages=["onnx_hier"],
    package_data={"onnx_hier": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("onnx_hier._core", [])],
    cmdclass={"build_ext": BuildByCMake, "sdist": PackSources},
)
