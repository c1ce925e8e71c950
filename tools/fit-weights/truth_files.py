# SPDX-License-Identifier: Apache-2.0
"""NAME.truth.json, which says of each node of NAME.onnx which module owns it, as the corpora have
it: {"nodes": [{"path", "module", "nameable", ...}], "aliases": [names of one module, ...]}."""

import json


def read(path):
    """What is known of the model at `path`."""
    return json.loads(path.with_suffix(".truth.json").read_text("utf-8"))


def write(path, truth):
    path.with_suffix(".truth.json").write_text(json.dumps(truth) + "\n", "utf-8")


def owners_of(truth, count):
    """Of the main graph's nodes; none: nobody knows, or a file leaves the node out."""
    owners = [None] * count
    for entry in truth["nodes"]:
        if len(entry["path"]) == 1:
            owners[entry["path"][0]] = entry["module"]
    return owners


def names_of(truth):
    """For each module with several names: all of them."""
    names = {}
    for group in truth.get("aliases") or ():
        for name in group:
            names.setdefault(name, set()).update(group)
    return names


def truth_of(onnx_model, owners, aliases, also=None):
    """`nameable` is the deepest module around a node that a parameter's name still spells; `also`:
    what else is said of each node."""
    spelled = {""}
    for tensor in onnx_model.graph.initializer:
        parts = tensor.name.split(".")[:-1]
        spelled.update(".".join(parts[:i + 1]) for i in range(len(parts)))
    nodes = []
    for i, (node, owner) in enumerate(zip(onnx_model.graph.node, owners)):
        entry = {"path": [i], "index": i, "name": node.name, "op": node.op_type, "module": owner}
        if owner is not None:
            nameable = owner
            while nameable not in spelled:
                nameable = nameable.rpartition(".")[0]
            entry["nameable"] = nameable
        nodes.append({**entry, **(also[i] if also else {})})
    return {"nodes": nodes, "aliases": aliases}
