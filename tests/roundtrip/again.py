#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that tagging a tagged file gives the same file: again.py --tool ONNX-HIER FOLDER...

Of each *.onnx file as it is; with weights that lost their names, biases keeping theirs; and of that
after a dynamic quantiser, which leaves integer products whose bias alone says where they are.
Without Debian's python3-onnx it is skipped: exit code 77.
"""

import argparse
import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import onnx
except ImportError:
    print("python3-onnx is missing")
    sys.exit(77)


def without_weights(model):
    """Numbers in place of the names of weights; of nodes and values none, for names tell all."""
    weights = {t.name for t in model.graph.initializer if len(t.dims) > 1}
    kept = {t.name for t in model.graph.initializer} - weights
    kept |= {v.name for v in [*model.graph.input, *model.graph.output]} - weights
    names = {}

    def rename(name, inner):
        if not name or name in kept or (inner and name not in names):
            return name
        return names.setdefault(name, str(len(names)))

    def walk(graph, inner):
        for node in graph.node:
            node.name = ""
            node.input[:] = [rename(name, inner) for name in node.input]
            if not inner:
                node.output[:] = [rename(name, inner) for name in node.output]
            for attribute in node.attribute:
                for graphs in ([attribute.g] if attribute.HasField("g") else [], attribute.graphs):
                    for below in graphs:
                        walk(below, True)

    walk(model.graph, False)
    for named in (*model.graph.initializer, *model.graph.value_info, *model.graph.input):
        named.name = names.get(named.name, named.name)
    return model


def quantised(model):
    """Products with a weight as onnxruntime's quantize_dynamic writes them."""
    weights = {t.name for t in model.graph.initializer if len(t.dims) == 2}
    nodes = []
    for number, node in enumerate(model.graph.node):
        if node.op_type != "MatMul" or node.input[1] not in weights:
            nodes.append(node)
            continue
        own = f"q{number}"
        make = onnx.helper.make_node
        nodes += [
            make("DynamicQuantizeLinear", [node.input[0]], [own, own + "s", own + "z"]),
            make("Mul", [own + "s", own + "scale"], [own + "scales"]),
            make("MatMulInteger", [own, node.input[1], own + "z"], [own + "product"]),
            make("Cast", [own + "product"], [own + "cast"], to=1),
            make("Mul", [own + "cast", own + "scales"], list(node.output)),
        ]
        model.graph.initializer.append(onnx.helper.make_tensor(own + "scale", 1, [1], [0.5]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def is_same_again(tool, model, work):
    for source, result in ((model, "once.onnx"), ("once.onnx", "twice.onnx")):
        words = [tool, "tag", source, "-o", result, "--no-sidecar", "--force", "--quiet"]
        if subprocess.run([*words, "--external-data", "keep"], cwd=work).returncode != 0:
            return False
    return filecmp.cmp(work / "once.onnx", work / "twice.onnx", shallow=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    checked = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for path in sorted(p for f in options.folders for p in f.rglob("*.onnx")):
            forms = {"as it is": path.resolve()}
            try:
                model = without_weights(onnx.load(str(path), load_external_data=False))
                onnx.save(model, str(work / "weights.onnx"))
                onnx.save(quantised(model), str(work / "quantised.onnx"))
                forms |= {"without names": "weights.onnx", "quantised": "quantised.onnx"}
            except Exception as error:  # what protobuf does not read
                print(f"{path}: {error}")
            for form, file in forms.items():
                checked += 1
                if not is_same_again(options.tool, file, work):
                    wrong.append(f"{path}, {form}: another file when it is tagged again")
    print("\n".join(wrong + [f"{checked} models, {len(wrong)} problems"]))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
