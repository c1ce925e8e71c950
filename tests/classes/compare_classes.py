#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compare classes and class paths with what a trace of the live network recorded.

    compare_classes.py --tool build/release/tools/onnx-hier/onnx-hier FOLDER

For every NAME.onnx in FOLDER with NAME.modules.json (qualified name to class) and NAME.truth.json
(nodes with "path", "module", "class" and "scope": the exporter's own chain of "class::variable"
pairs, as far as it has them), runs `tag` with that module map and compares, node by node,
  class       the class of the module that the node was given to
  class path  the chain of classes, without torch.nn and with list members numbered
Prints a row a file; exit 1 if less than --least percent agree, 2 if nothing could be compared."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def class_path(scope):
    """'a.B::/c.D::layer.1' -> '/B/D.1'. A '/' parts entries only before 'class::'."""
    out = ""
    for entry in re.split(r"/(?=[\w.]+::)", scope):
        name, variable = entry.split("::", 1)
        if name.startswith("torch.nn."):
            continue
        numbers = re.search(r"((?:\.\d+)*)$", "." + variable if variable[:1].isdigit() else variable).group(1)
        out += "/" + name.rsplit(".", 1)[-1] + numbers
    return out


def compare(tool, stem):
    truth = json.load(open(stem + ".truth.json", encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "s.json")
        subprocess.run([tool, "tag", stem + ".onnx", "--sidecar-only", "--sidecar", out, "-q",
                        "--module-map", stem + ".modules.json"], check=True)
        side = json.load(open(out, encoding="utf-8"))
    known = json.load(open(stem + ".modules.json", encoding="utf-8"))
    modules = {m["path"]: m for m in side["modules"]}
    tags = {n["id"]: n["tag"] for n in side["nodes"]}
    counts = {"classes": [0, 0], "paths": [0, 0]}  # right, compared
    wrong = []
    for node in truth["nodes"]:
        if node.get("module") is None:
            continue
        module = modules[tags["/".join(map(str, node["path"]))]]
        want = node.get("class", known.get(node["module"]))
        pairs = [("classes", module["class"], want)]
        if node.get("scope"):
            pairs.append(("paths", module.get("class_path", ""), class_path(node["scope"])))
        for kind, got, expected in pairs:
            if expected is None:
                continue
            counts[kind][0] += got == expected
            counts[kind][1] += 1
            if got != expected:
                wrong.append((node.get("name"), got, expected))
    return counts, wrong


def percent(right, compared):
    return 100 * right / compared if compared else 100.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--least", type=float, default=99.7, help="percent that must agree (default 99.7)")
    parser.add_argument("--exclude", default="$^", help="leave out files whose name matches this")
    parser.add_argument("--show", type=int, default=0, help="print this many differences a file")
    options = parser.parse_args()
    total = {"classes": [0, 0], "paths": [0, 0]}
    print("%-44s %7s %9s %13s" % ("file", "nodes", "class %", "class path %"))
    for name in sorted(os.listdir(options.folder)):
        stem = os.path.join(options.folder, name[:-5])
        if not name.endswith(".onnx") or re.search(options.exclude, name):
            continue
        if not all(os.path.exists(stem + ending) for ending in (".modules.json", ".truth.json")):
            continue
        counts, wrong = compare(options.tool, stem)
        for kind, pair in counts.items():
            total[kind] = [a + b for a, b in zip(total[kind], pair)]
        print("%-44s %7d %9.2f %13.2f" % (name, counts["classes"][1], percent(*counts["classes"]), percent(*counts["paths"])))
        for row in wrong[:options.show]:
            print("   ", *row)
    if total["classes"][1] == 0:
        print("nothing to compare in", options.folder, file=sys.stderr)
        return 2
    shares = [percent(*total["classes"]), percent(*total["paths"])]
    print("%-44s %7d %9.2f %13.2f" % ("all", total["classes"][1], *shares))
    return 0 if min(shares) >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
