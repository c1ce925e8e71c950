# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package have in common."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTDATA = ROOT / "testdata"
MODELS = sorted(TESTDATA.glob("*.onnx"))


@pytest.fixture
def bert(tmp_path, monkeypatch):
    """bert.onnx, in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bert.onnx"
    path.write_bytes((TESTDATA / "bert_tiny.onnx").read_bytes())
    return path


@pytest.fixture
def command(tmp_path):
    """Runs the command line tool in a folder of its own, on copies of what it reads."""
    folder = tmp_path / "of_the_command"
    folder.mkdir()

    def run(*words, reads=("bert.onnx",)):
        for name in reads:
            (folder / name).write_bytes((tmp_path / name).read_bytes())
        done = subprocess.run([os.environ["ONNX_HIER_TOOL"], *words], cwd=folder,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return folder

    return run
