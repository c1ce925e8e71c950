# SPDX-License-Identifier: Apache-2.0
"""The nodes of a model as python3-onnx sees them: a reader the tool never met."""

import json

try:
    import onnx
except ImportError:  # The callers decide whether that skips a test.
    onnx = None


def load(path):
    """The model without its external data, or None where this reader gives up
    (nesting beyond protobuf's own limit, damage)."""
    try:
        return onnx.load(path, load_external_data=False)
    except Exception:  # The error's type depends on the protobuf implementation.
        return None


def _overload(function):
    """FunctionProto.overload, which onnx releases before 1.16 read as an unknown field."""
    if hasattr(function, "overload"):
        return function.overload
    overload_number = 13
    values = [f.data for f in function.UnknownFields() if f.field_number == overload_number]
    return values[-1].decode() if values else ""


def nodes_with_ids(model):
    """(id, NodeProto) of every node at any depth, ids as the sidecar writes them."""
    pending = [("", model.graph.node)]
    for function in model.functions:
        overload = _overload(function)
        name = f"{function.domain}:{function.name}" + (f":{overload}" if overload else "")
        pending.append((f"function:{name}/", function.node))
    for number, training in enumerate(model.training_info):
        for graph in ("initialization", "algorithm"):
            pending.append((f"training:{number}:{graph}/", getattr(training, graph).node))
    while pending:
        prefix, nodes = pending.pop()
        for index, node in enumerate(nodes):
            node_id = f"{prefix}{index}"
            yield node_id, node
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    pending.append((f"{node_id}/{attribute.name}/", attribute.g.node))
                for number, graph in enumerate(attribute.graphs):
                    pending.append((f"{node_id}/{attribute.name}[{number}]/", graph.node))


def carries_tags(model):
    """Whether some doc_string is the tool's own, by the keys that only it writes."""
    for _, node in nodes_with_ids(model):
        try:
            value = json.loads(node.doc_string)
        except ValueError:
            continue
        if isinstance(value, dict) and value.keys() >= {"hierarchy_path", "hierarchy_confidence"}:
            return True
    return False
