#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which command says something else than it did, of which model. Needs Debian's python3-onnx.

    recorded.py --tool ONNX-HIER --expected TABLE [--update] FOLDER...

Each NAME.onnx of the folders goes through every command that only reads and writes files, as it is
and, for the commands that infer, as tools may write or change it (tests/support/rewording.py). The
table has a digest of what each says and writes: exit code, both streams, files. Any other digest
fails, so that no change of behaviour goes by unseen; it is no judge of what is right: tests/truth
is that. --update writes the table anew: say in the commit what changed and why.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from rewording import WORDINGS, edited, numbered_weights, reordered  # noqa: E402

VARIANTS = {**WORDINGS, "numbered_weights": numbered_weights, "reordered": reordered,
            "edited": edited}

# By what they are called in the table: of every variant. '{deep}' is a module inside others,
# '{dims}' gives each size that inputs leave open.
INFERRING = {
    "tag": "tag m.onnx -o tagged.onnx --no-sync --sidecar -",
    "check": "check tagged.onnx --json",
    "coverage": "check tagged.onnx --coverage --json",
    "tree": "tree m.onnx --json --columns nodes,parameters,bytes,operators,methods,confidence,unsure",
    "explain": "explain m.onnx ** --json",
    "diff": "diff original.onnx m.onnx --json",
    "apply": "apply original.onnx m.onnx -o applied.onnx --no-sync --sidecar -",
    "weights": "weights m.onnx --checkpoint original.onnx --json",
    "profile": "profile m.onnx profile.json --json --warm-up 0",
    "table": "profile m.onnx table.csv --json",
    "profile_text": "profile m.onnx profile.json --warm-up 0 --original original.onnx",
    "diff_text": "diff original.onnx m.onnx --weights --columns nodes,parameters",
    "check_text": "check m.onnx --tags original.json",
    "apply_sidecar": "apply original.json m.onnx -o again.onnx --no-sync",
}
# And of models as they are.
OTHERS = {
    "tree_text": "tree m.onnx",
    "explain_text": "explain m.onnx ** --below 1",
    "report": "report m.onnx -o - --no-sync",
    "explorer": "export m.onnx -o -",
    "dot": "export m.onnx --format dot -o -",
    "cost": "cost m.onnx {dims} --json",
    "shapes": "cost m.onnx {dims} --values",
    "select": "select m.onnx ** --format json",
    "values": "select m.onnx ** --values all --format json",
    "extract": "extract m.onnx {deep} -o - --no-sync",
    "split": "split m.onnx --parts 3 --output-dir parts --no-sync --json",
    "layers": "split m.onnx --output-dir layers --no-sync --json",
    "fold": "fold m.onnx -o folded.onnx --no-sync",
    "unfold": "unfold folded.onnx -o - --no-sync",
    "unfold_all": "unfold m.onnx --all -o - --no-sync",
    "refold": "tree folded.onnx --json",
    "probe": "probe m.onnx -o - --no-sync",
    "isolated": "probe m.onnx --isolated -o isolated.onnx --no-sync --json",
    "place": "place m.onnx --rule {deep}=npu --rule **=cpu -o placed.onnx --no-sync --json",
    "named": "tag m.onnx -o named.onnx --no-sync --name-nodes=unique --metadata=explorer,torch,winml,ort --sidecar -",
    "strip": "strip named.onnx -o - --no-sync",
    "diff_folded": "diff m.onnx folded.onnx",
    "table_text": "profile m.onnx table.csv --columns nodes,confidence",
    "compared": "profile m.onnx profile.json --warm-up 0 --compare profile.json --format markdown",
    "trace": "profile m.onnx profile.json --warm-up 0 --format trace",
    "times": "export m.onnx --node-data time --profile profile.json -o -",
    "cost_text": "cost m.onnx {dims} --depth 3 --device 2000:50",
    "symbolic": "cost m.onnx --symbolic",
    "weights_text": "weights m.onnx --checkpoint original.onnx --sort error",
    "renamed": "weights m.onnx --checkpoint original.onnx --rename -o renamed.onnx --no-sync",
    "lists": "select m.onnx {deep} --format ort",
    "balanced": "split m.onnx --parts 4 --by macs {dims} --output-dir balanced --no-sync --json",
    "repeated": "fold m.onnx --repeated -o repeated.onnx --no-sync",
    "probe_like": "probe m.onnx --like original.onnx --depth 2 --json -o like.onnx --no-sync",
}
# What says which program it was, and how long it took.
PASSING = re.compile(rb"\d+\.\d+\.\d+(?=[\"<\s])|\d+(?:\.\d+)? m?s\b")


def run(tool, command, folder, with_models=False):
    """A digest of all that a command says and writes."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = subprocess.run([tool, *command.split()], cwd=folder, capture_output=True, timeout=300)
    digest = hashlib.sha256(str(result.returncode).encode())
    for text in (result.stdout, result.stderr):
        digest.update(PASSING.sub(b"", text))
    for path in sorted(folder.rglob("*")):
        is_told = path.is_file() and (with_models or path.suffix != ".onnx")
        if is_told and before.get(path) != path.stat().st_mtime_ns:
            digest.update(str(path.relative_to(folder)).encode())
            digest.update(PASSING.sub(b"", path.read_bytes()))
    return digest.hexdigest()[:6], result.stdout


def deepest(tree):
    paths = re.findall(rb'"path":\s*"([^"]+)"', tree)
    return max(paths, key=lambda path: (path.count(b"/"), path)).decode() if paths else "/"


def write_profiles(model, folder):
    """One as onnxruntime writes it, and a table: of the names that the model had."""
    events, rows = [], ["name,time_us"]
    for i, node in enumerate(model.graph.node, 1):
        events.append({"cat": "Node", "name": f"{node.name}_kernel_time", "ph": "X", "ts": 10 * i,
                       "dur": i % 10, "args": {"op_name": node.op_type, "node_index": str(i)}})
        rows.append(f"{node.output[0] if node.output else node.name},{i}")
    (folder / "profile.json").write_text(json.dumps(events))
    (folder / "table.csv").write_text("\n".join(rows) + "\n")


def open_sizes(model):
    names = {dim.dim_param for value in model.graph.input
             for dim in value.type.tensor_type.shape.dim if dim.dim_param}
    return " ".join(f"--dim {name}=4" for name in sorted(names) if " " not in name)


def record(tool, path):
    """The digests of one model, by command and variant."""
    digests = collections.defaultdict(dict)
    original = onnx.load(str(path), load_external_data=False)
    for variant, change in VARIANTS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "original.onnx").write_bytes(path.read_bytes())
            write_profiles(original, folder)
            is_original = variant == "as_it_is"
            if is_original:
                (folder / "m.onnx").write_bytes(path.read_bytes())
            else:
                onnx.save(change(original), str(folder / "m.onnx"))
            run(tool, "tag original.onnx --sidecar-only --sidecar original.json", folder)
            fill = {"{deep}": "/", "{dims}": open_sizes(original)}
            for command, words in {**INFERRING, **(OTHERS if is_original else {})}.items():
                for placeholder, text in fill.items():
                    words = words.replace(placeholder, text)
                # Of variants, bytes are as Python's onnx wrote them.
                digests[command][variant], printed = run(tool, words, folder, is_original)
                if command == "tree":
                    fill["{deep}"] = deepest(printed)
    return digests


def table(models):
    """Lines: a model and a command, and its digest for each variant."""
    lines = ["\t".join(["model", "command", *VARIANTS])]
    for name, digests in models:
        for command, by_variant in digests.items():
            lines.append("\t".join([name, command, *(by_variant.get(v, "-") for v in VARIANTS)]))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--expected", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    tool = options.tool.resolve()
    paths = [path for each in options.folders for path in sorted(each.glob("*.onnx"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        digests = pool.map(lambda path: record(tool, path), paths)
        lines = table(zip([path.stem for path in paths], digests))
    if options.update:
        options.expected.write_text("\n".join(lines) + "\n", "utf-8")
        return 0
    expected = options.expected.read_text("utf-8").splitlines()
    changed = [f"- {line}" for line in expected if line not in set(lines)]
    changed += [f"+ {line}" for line in lines if line not in set(expected)]
    counts = collections.Counter(line.split("\t")[1] for line in changed if line[0] == "+")
    print(*changed[:100], *(f"{command}: of {n} models" for command, n in counts.items()), sep="\n")
    print(f"{len(lines) - 1} commands on models, {sum(counts.values())} changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
