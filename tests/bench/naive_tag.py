#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The obvious way to tag a model in Python, as a yardstick: load, set doc_strings, save.

    naive_tag.py IN.onnx OUT.onnx

Does what naive_tag.cc does. External data is left where it is: loading it would cost
more, and the caller can copy that file faster.
"""

import sys

import onnx


def doc_string(node_name: str) -> str:
    tag = node_name.rpartition("/")[0] or "/"
    return (f'{{"hierarchy_tags":["{tag}"],"hierarchy_path":"{tag}","hierarchy_count":1'
            ',"hierarchy_method":"node_name","hierarchy_confidence":1.0}')


def tag_nodes(nodes) -> None:
    for node in nodes:
        node.doc_string = doc_string(node.name)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                tag_nodes(attribute.g.node)
            for graph in attribute.graphs:
                tag_nodes(graph.node)


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: naive_tag.py IN.onnx OUT.onnx", file=sys.stderr)
        return 2
    model = onnx.load(sys.argv[1], load_external_data=False)
    tag_nodes(model.graph.node)
    for function in model.functions:
        tag_nodes(function.node)
    onnx.save(model, sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
