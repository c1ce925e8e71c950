#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which model gets worse: `tag` against known owners. Needs Debian's python3-onnx.

    truth.py --tool ONNX-HIER --expected TABLE [--update] FOLDER...

Each NAME.onnx of the folders with a NAME.truth.json beside it is tagged as it is and as tools may
write it: with a prefix before all names, without the first slash of names, with equal initializers
merged, with the names of every other node and of all nodes gone. The table says, for each of
these, how many nodes have known owners, how many get exactly theirs and how many get a module
that neither holds theirs nor lies in it: any other figure fails, so that a change that moves one
node shows which model it moves it in. --update writes the table anew; read the difference.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from rewording import PREFIX, WORDINGS  # noqa: E402


def relation(tag, owner):
    """'exact', 'around', 'inside' or 'wrong'."""
    if tag == owner:
        return "exact"
    tag, owner = (name.split(".") if name else [] for name in (tag, owner))
    shorter = min(len(tag), len(owner))
    if tag[:shorter] != owner[:shorter]:
        return "wrong"
    return "around" if len(tag) < len(owner) else "inside"


def figures(sidecar, truth, top):
    """(nodes with known owners, exact, wrong)."""
    names = {module["path"]: module["qualified_name"] for module in sidecar["modules"]}
    tags = {node["id"]: names[node["tag"]] for node in sidecar["nodes"]}
    aliases = {name: group for group in truth.get("aliases") or [] for name in group}
    count = {"exact": 0, "around": 0, "inside": 0, "wrong": 0}
    for node in truth["nodes"]:
        if node.get("module") is None:
            continue
        tag = tags["/".join(map(str, node["path"]))]
        owners = [*aliases.get(node["module"], [node["module"]]), *node.get("accept", [])]
        if top:
            owners += [f"{top}.{owner}".rstrip(".") for owner in owners]
        found = {relation(tag, owner) for owner in owners}
        count[next(kind for kind in count if kind in found)] += 1
    return sum(count.values()), count["exact"], count["wrong"]


def measure(tool, path, folder):
    truth = json.loads(path.with_suffix(".truth.json").read_text("utf-8"))
    original = onnx.load(str(path), load_external_data=False)
    for wording, change in WORDINGS.items():
        onnx.save(change(original), str(folder / "model.onnx"))
        result = subprocess.run(
            [tool, "tag", folder / "model.onnx", "--sidecar-only", "--sidecar", "-", "--quiet"],
            capture_output=True,
            check=True,
        )
        top = PREFIX.rstrip("_") if wording == "prefixed" else ""
        yield wording, figures(json.loads(result.stdout), truth, top)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--expected", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    lines = ["model\twording\tnodes\texact\twrong"]
    with tempfile.TemporaryDirectory() as folder:
        for path in [path for each in options.folders for path in sorted(each.glob("*.onnx"))]:
            if path.with_suffix(".truth.json").exists():
                for wording, numbers in measure(options.tool, path, Path(folder)):
                    lines.append("\t".join([path.stem, wording, *map(str, numbers)]))
    if options.update:
        options.expected.write_text("\n".join(lines) + "\n", "utf-8")
        return 0
    expected = options.expected.read_text("utf-8").splitlines()
    changed = [f"- {line}" for line in expected if line not in lines]
    changed += [f"+ {line}" for line in lines if line not in expected]
    print("\n".join(changed) or f"fine: {len(lines) - 1} models and wordings")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
