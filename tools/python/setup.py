# SPDX-License-Identifier: Apache-2.0
"""Builds the shared library and the program by CMake, out of the project's sources: those around this
folder, or those beside this file in a source distribution (sdist).
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
PACKED = HERE / "project"
ROOT = PACKED if PACKED.is_dir() else HERE.parents[1]
# Sources of Debian's Abseil, where tools/release has put them.
ABSEIL = ROOT / "build" / "abseil"
LIBRARY = "libonnx_hier_c.so"
# What every system with glibc has, and what one with musl.
C_LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
               "ld-linux-aarch64.so.1"}
MUSL = {"libc.so"}
MACHINES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}
# What of it the library is built from.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "lib", "schemas", "tools")


def version():
    """The project's: it has one place."""
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    return re.search(r"^project\(onnx-hier VERSION ([0-9.]+)", text, re.MULTILINE)[1]


class BuildByCMake(build_py):
    """Installs CMake's component "python" beside the package's own files: the library, those of Abseil
    where it needs them, and the program."""

    user_options = build_py.user_options + [
        ("musl", None, "the library for systems with musl (needs build/abseil and Debian's musl)")]
    boolean_options = build_py.boolean_options + ["musl"]

    def initialize_options(self):
        super().initialize_options()
        self.musl = False

    def run(self):
        super().run()
        build = Path(self.get_finalized_command("build").build_temp).resolve()
        target = Path(self.build_lib).resolve()
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "ONNX_HIER_BUILD_C": "ON",
            "ONNX_HIER_STATIC_TOOL": "ON",
            "ONNX_HIER_BUILD_VERIFY": "OFF",
            "ONNX_HIER_BUILD_TESTS": "OFF",
            "ONNX_HIER_HARDEN": "ON",
            "ONNX_HIER_PRECOMPILE": "ON",
            "ONNX_HIER_UNITE": "ON",
        }
        if ABSEIL.is_dir():
            options["ONNX_HIER_ABSEIL"] = ABSEIL
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator,
                        *(f"-D{name}={value}" for name, value in options.items())], check=True)
        libraries = ["onnx_hier_c", "onnx_hier_c_musl"] if self.musl else ["onnx_hier_c"]
        subprocess.run(["cmake", "--build", build, "--target", *libraries, "onnx-hier",
                        "--parallel", str(os.cpu_count())], check=True)
        for component in ["python", "python_musl"] if self.musl else ["python"]:
            subprocess.run(["cmake", "--install", build, "--component", component, "--strip",
                            "--prefix", target], check=True)
        # Wheels have no links: each library once, by the name that it is looked for.
        for link in [file for file in target.glob("onnx_hier/abseil/*") if file.is_symlink()]:
            library = link.resolve()
            link.unlink()
            library.rename(link)


class OfOneSystem(Distribution):
    """What is built is of this kind of machine."""

    def has_ext_modules(self):
        return True


class ForEveryPython(bdist_wheel):
    """The library knows nothing of Python: one wheel is for all versions."""

    def get_tag(self):
        return ("py3", "none", self.system() or super().get_tag()[2])

    def system(self):
        """manylinux_2_17_x86_64, of a library that needs no more than such a C library; else None."""
        library = Path(self.bdist_dir, "onnx_hier", LIBRARY)
        told = subprocess.run(["readelf", "--wide", "--file-header", "--dynamic", "--version-info",
                               library], capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"}).stdout
        machine = MACHINES.get(re.search(r"Machine: +(.+)", told)[1])
        needed = set(re.findall(r"[(]NEEDED[)].*\[(.+)\]", told))
        if machine is None or not needed <= C_LIBRARIES | MUSL:
            return None
        if needed <= MUSL:
            return f"musllinux_1_2_{machine}"
        versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", told)
        return "manylinux_{}_{}_{}".format(*max((int(x), int(y)) for x, y in versions), machine)


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
    package_data={"onnx_hier": ["py.typed"]},
    distclass=OfOneSystem,
    cmdclass={"build_py": BuildByCMake, "bdist_wheel": ForEveryPython, "sdist": PackSources},
)
