# SPDX-License-Identifier: Apache-2.0
"""Models as the commands look at them: where functions stand for several modules, their bodies are
in place of the calls."""

import json
import subprocess
from pathlib import Path


def with_bodies(tool, path, folder):
    """The model itself, or what `unfold --all` makes of it, in `folder`."""
    tag = [tool, "tag", path, "--sidecar-only", "--sidecar", "-", "--quiet"]
    done = subprocess.run([*map(str, tag)], capture_output=True, check=False)
    if done.returncode != 0 or not is_by_call(json.loads(done.stdout)):
        return path
    flat = Path(folder) / Path(path).name
    unfold = [tool, "unfold", "--all", path, "-o", flat, "--force", "--quiet", "--no-sync"]
    subprocess.run([*map(str, unfold)], check=True)
    return flat


def is_by_call(sidecar):
    return any(node.get("by_call") for node in sidecar["nodes"])
