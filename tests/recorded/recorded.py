#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which command says something else than it did, of which model. Needs Debian's python3-onnx.

    recorded.py --tool ONNX-HIER --expected TABLE [--update | --model MODEL...] FOLDER...

Each NAME.onnx of the folders, or of the models that are asked for, goes through every command that only reads and writes files, as it is
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
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from rewording import (WORDINGS, damaged, edited, numbered_weights, odd_names,  # noqa: E402
                       reordered)

VARIANTS = {**WORDINGS, "numbered_weights": numbered_weights, "reordered": reordered,
            "edited": edited, "odd_names": odd_names, "damaged": damaged}

# By what they are called in the table: of every variant. '{deep}' is a module inside others,
# '{dims}' gives each size that inputs leave open.
INFERRING = {
    "tag": "tag m.onnx -o tagged.onnx --no-sync --sidecar -",
    "check": "check tagged.onnx --json",
    "coverage": "check tagged.onnx --coverage --json",
    "tree": "tree m.onnx --json --columns nodes,parameters,bytes,operators,methods,confidence,unsure",
    "explain": "explain m.onnx ** --json",
    "known_classes": "check m.onnx --tags of_classes.json --module-map classes.json --json",
    "diff": "diff original.onnx m.onnx --json",
    "apply": "apply original.onnx m.onnx -o applied.onnx --no-sync --sidecar -",
    "weights": "weights m.onnx --checkpoint original.onnx --json",
    "profile": "profile m.onnx profile.json --json --warm-up 0",
    "table": "profile m.onnx table.csv --json",
    "profile_text": "profile m.onnx profile.json --warm-up 0 --original original.onnx",
    "diff_text": "diff original.onnx m.onnx --weights --columns nodes,parameters",
    "check_text": "check m.onnx --tags original.json",
    **{name: f"check m.onnx --tags {name}.json --json"
       for name in ("spoiled", "exchanged", "coarse", "of_classes")},
    "apply_sidecar": "apply original.json m.onnx -o again.onnx --no-sync",
    "numerics": "numerics original.onnx a.npz m.onnx b.npz --json",
}
# And of models as they are.
OTHERS = {
    "tree_text": "tree m.onnx",
    "tree_markdown": "tree m.onnx --format markdown --own --sort parameters",
    "tree_csv": "tree m.onnx --format csv --depth 2",
    "tree_nodes": "tree m.onnx --nodes --classes --module {deep}",
    "explain_text": "explain m.onnx ** --below 1",
    "report": "report m.onnx -o - --no-sync",
    "review": "report m.onnx -o - --no-sync --review --below 1",
    "explorer": "export m.onnx -o -",
    "dot": "export m.onnx --format dot --depth 3 -o -",
    "graphml": "export m.onnx --format graphml -o -",
    "sureness": "export m.onnx --node-data confidence -o -",
    "times": "export m.onnx --node-data time --profile profile.json -o -",
    "cost": "cost m.onnx {dims} --json",
    "cost_text": "cost m.onnx {dims} --depth 3 --device 2000:50",
    "cost_csv": "cost m.onnx {dims} --format csv --own --sort macs",
    "shapes": "cost m.onnx {dims} --values",
    "symbolic": "cost m.onnx --symbolic",
    "select": "select m.onnx ** --format json",
    "patterns": "select m.onnx **.[0-1] @norm *.{a,b,c*}* !{deep}",
    "values": "select m.onnx ** --values all --format json",
    "values_in": "select m.onnx {deep} --values inputs",
    "values_out": "select m.onnx {deep} --values outputs",
    "unsure": "select m.onnx --below 0.9 --format ids",
    "extract": "extract m.onnx {deep} -o - --no-sync",
    "extract_to": "extract m.onnx {deep} --up-to -o to.onnx --no-sync --json",
    "extract_from": "extract m.onnx {deep} --from -o from.onnx --no-sync --json",
    "split": "split m.onnx --parts 3 --output-dir parts --no-sync --json",
    "layers": "split m.onnx --output-dir layers --no-sync --json",
    "split_at": "split m.onnx --at {deep} --output-dir at --no-sync --json",
    "split_bytes": "split m.onnx --max-bytes 20KB --output-dir bytes --no-sync",
    "balanced": "split m.onnx --parts 4 --by macs {dims} --output-dir balanced --no-sync --json",
    "olive": "split m.onnx --parts 2 --olive",
    "fold": "fold m.onnx -o folded.onnx --no-sync",
    "unfold": "unfold folded.onnx -o - --no-sync",
    "unfold_all": "unfold m.onnx --all -o - --no-sync",
    "refold": "tree folded.onnx --json",
    "repeated": "fold m.onnx --repeated -o repeated.onnx --no-sync",
    "fold_small": "fold m.onnx --min-nodes 1 --depth 2 -o small.onnx --no-sync --json",
    "fold_one": "fold m.onnx --only {deep} -o one.onnx --no-sync --json",
    "tag_folded": "tag small.onnx --sidecar-only --sidecar -",
    "probe": "probe m.onnx -o - --no-sync",
    "probe_like": "probe m.onnx --like original.onnx --depth 2 --json -o like.onnx --no-sync",
    "isolated": "probe m.onnx --isolated -o isolated.onnx --no-sync --json",
    "place": "place m.onnx --rule {deep}=npu --rule **=cpu -o placed.onnx --no-sync --json",
    "named": "tag m.onnx -o named.onnx --no-sync --name-nodes=unique "
             "--metadata=explorer,torch,winml,ort --sidecar - --values --columns nodes,bytes",
    "strip": "strip named.onnx -o - --no-sync",
    "diff_folded": "diff m.onnx folded.onnx",
    "stat": "diff original.onnx folded.onnx --stat",
    "table_text": "profile m.onnx table.csv --columns nodes,confidence",
    "compared": "profile m.onnx profile.json --warm-up 0 --compare profile.json --format markdown",
    "trace": "profile m.onnx profile.json --warm-up 0 --format trace",
    "flames": "profile m.onnx profile.json --warm-up 0 --format folded",
    "speedscope": "profile m.onnx profile.json --warm-up 0 --format speedscope",
    "tensorrt": "profile m.onnx tensorrt.json --format csv",
    "openvino": "profile m.onnx openvino.csv --depth 2 --sort time",
    "weights_text": "weights m.onnx --checkpoint original.onnx --sort error",
    "renamed": "weights m.onnx --checkpoint original.onnx --rename -o renamed.onnx --no-sync",
    "spoil": "apply spoiled.json m.onnx -o wrong.onnx --no-sync",
    "fixed": "check wrong.onnx --fix -o fixed.onnx --no-sync --json",
    "numerics_text": "numerics m.onnx a.npz m.onnx a2.npz --metric cosine --columns parameters",
    "suggest": "numerics m.onnx a.npz m.onnx a2.npz --suggest ort --sort model --top 0",
    **{f"for_{form}": f"select m.onnx {{deep}} --format {form}" for form in
       "nul csv regex ort ort-dynamic ort-nbits ort-overrides float16 genai autocast modelopt nncf "
       "olive winml amct qnn trtexec polygraphy".split()},
}
# Those that name nodes and values, and those that read what nodes do.
LISTS = {command: words for command, words in OTHERS.items()
         if words.split()[0] in ("select", "export", "explain", "place") or "--nodes" in words}
READERS = {command: words for command, words in OTHERS.items()
           if words.split()[0] in ("cost", "extract", "split", "fold", "unfold", "tree", "probe")}
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
    """As runtimes write them, and a table: of the names that the model had."""
    nodes = list(enumerate(model.graph.node, 1))
    events = [{"cat": "Node", "name": f"{node.name}_kernel_time", "ph": "X", "ts": 10 * i,
               "dur": i % 10, "args": {"op_name": node.op_type, "node_index": str(i)}}
              for i, node in nodes]
    (folder / "profile.json").write_text(json.dumps(events))
    layers = [{"count": 10}]
    for (i, one), (_, other) in zip(nodes[::2], nodes[1::2]):
        layers.append({"name": f"{one.name} + {other.name}", "timeMs": i, "averageMs": i / 10,
                       "medianMs": i / 11, "percentage": 1})
    (folder / "tensorrt.json").write_text(json.dumps(layers))
    rows = ["layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);"]
    rows += [f"{node.name};EXECUTED;{node.op_type};jit_f32;{i % 7}.5;{i % 7}.5;"
             for i, node in nodes if node.name]
    (folder / "openvino.csv").write_text("\n".join([*rows, "Total;;;;1;1;", ""]))
    rows = ["name,time_us"] + [f"{node.output[0]},{i}" for i, node in nodes if node.output]
    (folder / "table.csv").write_text("\n".join(rows) + "\n")


def write_values(model, path, off):
    """As if a run of the model had given all its values, `off` by that share."""
    names = [name for node in model.graph.node for name in node.output if name]
    # Quotients are the same on all processors, sines are not.
    numbers = {name: (np.arange(i, i + 8) * 37 % 101).astype(np.float32)
               / np.float32(101) * np.float32(1 + off * (i % 5))
               for i, name in enumerate(names)}
    np.savez(path, **numbers)


def class_of(name):
    """That of a module: several names have one."""
    return f"C{sum(name.split('.')[0].encode()) % 7}" if name else "Model"


def classed(tag):
    """As by classes of modules: "/Model/C3/C1.0"."""
    return "/Model" + "".join(f"/{class_of(name)}{re.search(r'(?:[.][0-9]+)*$', name)[0]}"
                              for name in tag.split("/") if name)


def write_spoiled(folder):
    """Sidecars of the original, in which some nodes have modules of others, two layers are
    exchanged, some nodes have the module around theirs, and classes stand for names."""
    original = (folder / "original.json").read_bytes()
    paths = [module["path"] for module in json.loads(original)["modules"]]

    def other_number(tag):
        return re.sub(r"\d+", lambda number: str(int(number[0]) ^ 1), tag, count=1)

    def spoiled(i, tag):
        moved = other_number(tag)
        return tag if i % 9 != 4 else moved if moved in paths else paths[7 * i % len(paths)]

    def exchanged(_, tag):
        return other_number(tag) if re.search(r"\D[01](?!\d)", tag) else tag

    def coarse(i, tag):
        return os.path.dirname(tag) if i % 5 == 2 else tag

    def of_classes(i, tag):
        return classed(spoiled(i, tag))

    for change in (spoiled, exchanged, coarse, of_classes):
        sidecar = json.loads(original)
        for i, node in enumerate(sidecar["nodes"]):
            node["tag"] = change(i, node["tag"])
        (folder / f"{change.__name__}.json").write_text(json.dumps(sidecar))
    classes = {path.strip("/").replace("/", "."): class_of(os.path.basename(path)) for path in paths}
    lists = {re.sub(r"(?:[.][0-9]+)+$", "", name): "ModuleList" for name in classes}
    (folder / "classes.json").write_text(json.dumps({**lists, **classes}))


def open_sizes(model):
    names = {dim.dim_param for value in model.graph.input
             for dim in value.type.tensor_type.shape.dim if dim.dim_param}
    return " ".join(f"--dim {name}=4" for name in sorted(names) if " " not in name)


def write_givens(tool, path, model, folder):
    """What commands are given besides the model, whatever the variant."""
    shutil.copyfile(path, folder / "original.onnx")
    run(tool, "tag original.onnx --sidecar-only --sidecar original.json", folder)
    write_spoiled(folder)
    write_profiles(model, folder)
    write_values(model, folder / "a.npz", 0)
    write_values(model, folder / "a2.npz", 1e-3)


def record(tool, path):
    """The digests of one model, by command and variant."""
    digests = collections.defaultdict(dict)
    original = onnx.load(str(path), load_external_data=False)
    with tempfile.TemporaryDirectory() as name:
        givens = Path(name) / "givens"
        givens.mkdir()
        write_givens(tool, path, original, givens)
        for variant, change in VARIANTS.items():
            folder = Path(shutil.copytree(givens, Path(name) / variant))
            is_original = variant == "as_it_is"
            model = change(original)
            if is_original:
                shutil.copyfile(path, folder / "m.onnx")
            else:
                onnx.save(model, str(folder / "m.onnx"))
            write_values(model, folder / "b.npz", 1e-2)
            fill = {"{deep}": "/", "{dims}": open_sizes(original)}
            others = (OTHERS if is_original else
                      {"odd_names": LISTS, "damaged": READERS}.get(variant, {}))
            for command, words in {**INFERRING, **others}.items():
                for placeholder, text in fill.items():
                    words = words.replace(placeholder, text)
                # Of variants, bytes are as Python's onnx wrote them.
                digests[command][variant], printed = run(tool, words, folder, is_original)
                if command == "tree":
                    fill["{deep}"] = deepest(printed)
    return digests


def rows_of(name, digests):
    """Lines of the table: a model and a command, and its digest for each variant."""
    return ["\t".join([name, command, *(by_variant.get(variant, "-") for variant in VARIANTS)])
            for command, by_variant in digests.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--expected", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--model", type=Path, nargs="+", default=[], help="ask of these alone")
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    tool = options.tool.resolve()
    paths = options.model or [path for each in options.folders for path in sorted(each.glob("*.onnx"))]
    expected = [] if options.update else options.expected.read_text("utf-8").splitlines()
    if options.model:
        asked = {"model", *(path.stem for path in paths)}
        expected = [line for line in expected if line.split("\t")[0] in asked]
    known = set(expected)
    lines = ["\t".join(["model", "command", *VARIANTS])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, digests in zip(paths, pool.map(lambda path: record(tool, path), paths)):
            lines += rows_of(path.stem, digests)
    if options.update:
        options.expected.write_text("\n".join(lines) + "\n", "utf-8")
        return 0
    found = set(lines)
    changed = [f"- {line}" for line in expected if line not in found]
    changed += [f"+ {line}" for line in lines if line not in known]
    counts = collections.Counter(line.split("\t")[1] for line in changed if line[0] == "+")
    print(*changed[:100], *(f"{command}: of {n} models" for command, n in counts.items()), sep="\n")
    print(f"{len(lines) - 1} commands on models, {sum(counts.values())} changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
