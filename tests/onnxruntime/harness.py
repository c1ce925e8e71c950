# SPDX-License-Identifier: Apache-2.0
"""What the programs here share: onnxruntime from npm, and a model in a folder of our own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
SKIPPED = 77
INSTALL_SECONDS = 300


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def installed(work, package):
    """The folder of a package from npm, installed if need be."""
    if not shutil.which("npm") or not shutil.which("node"):
        skip("node and npm are not installed")
    modules = work / "node_modules"
    if not (modules / package).is_dir():
        work.mkdir(parents=True, exist_ok=True)
        (work / "package.json").write_text('{"private": true}\n')
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        try:
            done = subprocess.run(
                [*command, package],
                cwd=work,
                capture_output=True,
                text=True,
                timeout=INSTALL_SECONDS,
            )
        except subprocess.TimeoutExpired:
            skip("npm did not answer")
        if done.returncode != 0:
            skip(f"npm has no {package} for us: {done.stderr.strip()[-300:]}")
    return modules / package


def runtime(work):
    """The folder that onnxruntime-node is in."""
    return installed(work, "onnxruntime-node").parent


class Runner:
    """A program that runs models; a model that crashes onnxruntime takes only itself along."""

    def __init__(self, program, modules):
        self.program = HERE / program
        self.environment = {**os.environ, "NODE_PATH": str(modules)}
        self.process = None

    def ask(self, job):
        """The answer to a job of the program; None: onnxruntime crashed."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                ["node", self.program],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            return None
        return json.loads(line)


def folder_like(path, folder):
    """Makes `folder` one with all that lies beside the file, as links: where its weights are
    looked for, but ours to write to."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for neighbour in path.parent.iterdir():
        if neighbour.is_file() or neighbour.is_dir():
            (folder / neighbour.name).symlink_to(neighbour.resolve())


def models_in(paths):
    """The files that are named, and those in folders that are."""
    return sorted({p for top in paths for p in (top.rglob("*.onnx") if top.is_dir() else [top])})
