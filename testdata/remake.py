#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Remakes this folder from a folder of exports: remake.py EXPORTS

EXPORTS has one folder for each kind of file (README.md says what they are). Models are taken as
they are. Of the files that say which module ran each node, only what tests read is kept, one line
for each node. Writes SHA256SUMS last.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Name here, and the file it is taken from.
MODELS = {
    "bert_tiny": "exports/bert_mlm_tied_op14_dyn",
    "bert_fused": "ort/distilbert_op14_dyn.ort_extended",
    "bert_without_names": "masked/roberta_op17_dyn.m60v",
    "bert_dynamo": "dynamo_like/roberta_op17_dyn.dyn20",
    "bert_dynamo_optimised": "dynort/roberta_op17_dyn.dyn0.ort_extended",
    "encoder_flat_names": "exports/encoder12_layers_op14_oldnames",
    "functions_all": "exports/functions_encoder3_all_op17",
    "functions_some": "exports/functions_proj_only_op15",
    "lstm": "exports/lstm_lm_op17_dyn",
    "odd_aliases": "exports/odd_shared_aliases_op17",
    "odd_lists_dicts": "exports/odd_lists_dicts_names_op17",
    "odd_nested_sequential": "exports/odd_nested_sequential_op14",
    "odd_slash_colon_utf8": "exports/odd_slash_colon_utf8_names_op17",
    "odd_uncalled_parents": "exports/odd_uncalled_parents_collision_op17",
    "resnet": "exports/hf_resnet_op17",
    "scripted_loop_if": "exports/scripted_loop_if_op14",
    "tags_clean": "contamination/distilbert_op17_static__clean",
    "tags_wrong": "contamination/distilbert_op17_static__inject_5",
    "tags_wrong_odd": "contamination/odd_shared_aliases_op17__inject_5",
}

# Families drawn by lot (tools/fit-weights/draw_families.py): of the seeds from 20000 to 20039 those
# whose exports have 15 to 31 kB, no other choice.
DRAWN = (20000, 20003, 20004, 20007, 20011, 20014, 20016, 20023, 20024, 20028, 20031, 20038)

SUFFIXES = (".onnx", ".json", ".safetensors")
TRUTH_KEYS = ("path", "module", "class", "call", "derived", "masked")


def node_lines(nodes):
    """A JSON list with one line for each node."""
    lines = (json.dumps(n, separators=(",", ":"), ensure_ascii=False) for n in nodes)
    return "[\n" + ",\n".join(lines) + "\n]"


def write_truth(source, target):
    truth = json.loads(source.read_text("utf-8"))
    nodes = [{key: n[key] for key in TRUTH_KEYS if key in n} for n in truth["nodes"]]
    aliases = json.dumps(truth.get("aliases", []), ensure_ascii=False)
    target.write_text(f'{{"aliases": {aliases},\n"nodes": {node_lines(nodes)}}}\n', "utf-8")


def write_contamination(source, target):
    contamination = json.loads(source.read_text("utf-8"))
    head = {key: contamination[key] for key in ("variant", "form", "counts")}
    text = json.dumps(head, ensure_ascii=False)[:-1]
    target.write_text(f'{text},\n"nodes": {node_lines(contamination["nodes"])}}}\n', "utf-8")


def copy(source, name):
    """One model and what is known about it."""
    target = HERE / name
    shutil.copyfile(f"{source}.onnx", f"{target}.onnx")
    for suffix, write in (
        (".truth.json", write_truth),
        (".contam.json", write_contamination),
        (".modules.json", shutil.copyfile),
    ):
        known = Path(f"{source}{suffix}")
        if known.exists():
            write(known, Path(f"{target}{suffix}"))


def write_sums():
    files = sorted(p for p in HERE.rglob("*") if p.suffix in SUFFIXES)
    lines = (f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(HERE)}\n" for p in files)
    (HERE / "SHA256SUMS").write_text("".join(lines))


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    for name, source in MODELS.items():
        copy(Path(sys.argv[1]) / source, name)
    (HERE / "drawn").mkdir(exist_ok=True)
    for seed in DRAWN:
        copy(Path(sys.argv[1]) / f"exports/drawn_{seed}", f"drawn/drawn_{seed}")
    for maker in ("make_dialects.py", "make_tables.py"):
        subprocess.run([sys.executable, HERE / maker, HERE], check=True)
    write_sums()


if __name__ == "__main__":
    main()
