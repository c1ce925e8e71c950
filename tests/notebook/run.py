#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the notebook of the docs: run.py --build FOLDER [--update]

Each cell must print what stands below it; of a page, that there is one. --update writes what the
cells print into the notebook instead. Exit code 77 (skipped) without nbconvert or the library.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
SKIPPED = 77


def text_of(output):
    """What is kept of one output: text as it is, of a page its first words."""
    data = output.get("data", {})
    if "text/html" in data:
        data["text/html"] = data["text/html"][:60]
    return output.get("text") or data or output.get("evalue")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    package = options.build.resolve() / "tools" / "python"
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
    except ImportError as error:
        print(error)
        return SKIPPED
    if not (package / "onnx_hier" / "libonnx_hier_c.so").exists():
        print("the library was not built: ONNX_HIER_BUILD_C is off")
        return SKIPPED
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    wanted = [[text_of(output) for output in cell.get("outputs", [])] for cell in notebook.cells]
    with tempfile.TemporaryDirectory(prefix="onnx-hier-notebook-") as folder:
        os.environ.update(PYTHONPATH=str(package), IPYTHONDIR=folder, JUPYTER_RUNTIME_DIR=folder,
                          HOME=folder)
        shutil.copytree(ROOT / "testdata", Path(folder) / "testdata")
        run = ExecutePreprocessor(timeout=120, kernel_name="python3")
        run.preprocess(notebook, {"metadata": {"path": folder}})
    found = [[text_of(output) for output in cell.get("outputs", [])] for cell in notebook.cells]
    if options.update:
        for cell in notebook.cells:
            cell.metadata = {}
        notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3",
                                            "language": "python"}}
        nbformat.write(notebook, NOTEBOOK)
        return 0
    problems = 0
    for cell, one, other in zip(notebook.cells, found, wanted, strict=True):
        if one != other:
            problems += 1
            print(f"{cell.source}\n  prints {one}\n  not {other}")
    print(f"{len(found)} cells, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
