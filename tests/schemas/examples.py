"""Instances that the schemas must accept, and breakages that they must refuse.

A schema that refuses nothing proves nothing. ACCEPTED holds one full example a
schema; each row of REFUSED changes one place of it into something that the
contract rules out, and the schema must notice. Each row of VARIANTS changes one
place into something else that is allowed.
"""

_MODEL = {
    "file": "in.onnx",
    "graph_name": "main_graph",
    "producer_name": "pytorch",
    "producer_version": "1.13.1",
    "ir_version": 8,
    "opset_import": {"": 17},
    "dialect": "torchscript-scoped",
}


def _module(path, parent, **figures):
    return {
        "path": path,
        "qualified_name": path[1:].replace("/", "."),
        "class": None,
        "parent": parent,
        "calls": 1,
        "nodes": 1,
        "total_nodes": 1,
        "parameters": 0,
        "total_parameters": 0,
        "total_parameter_bytes": 0,
        **figures,
    }


_MODULES = [
    _module("/", None, total_nodes=2),
    _module("/encoder/layer.1", "/", **{"class": "bert.BertLayer", "calls": 2}),
]

_RESULT = {
    "input": "in.onnx",
    "output": "in_tagged.onnx",
    "sidecar": "in_tagged_hierarchy.json",
    "status": "ok",
    "error": None,
    "nodes": 2,
    "tagged": 2,
    "coverage": 1.0,
    "by_method": {"node_name": 2},
    "milliseconds": 12.3,
}

_REFUSAL = {
    **_RESULT,
    "input": "bad.onnx",
    "output": None,
    "sidecar": None,
    "status": "error",
    "error": "bad.onnx: empty file",
    "nodes": 0,
    "tagged": 0,
    "by_method": {},
}

ACCEPTED = {
    "sidecar": {
        "schema": "onnx-hier/sidecar",
        "schema_version": 1,
        "generator": {"name": "onnx-hier", "version": "0.1.0"},
        "model": _MODEL,
        "modules": _MODULES,
        "nodes": [
            {
                "id": "0",
                "name": "/Shape",
                "op_type": "Shape",
                "output": "/Shape_output_0",
                "tag": "/",
                "auxiliary": [],
                "method": "node_name",
                "confidence": 1.0,
                "call": 0,
            },
            {
                "id": "1",
                "name": "",
                "op_type": "Add",
                "output": "",
                "tag": "/encoder/layer.1",
                "auxiliary": ["/"],
                "method": "residual",
                "confidence": 0.93,
                "call": 1,
            },
        ],
        "summary": {
            "nodes": 2,
            "tagged": 2,
            "coverage": 1.0,
            "by_method": {"node_name": 1, "residual": 1},
            "contamination": {"found": 0, "resolved": 0, "unresolved": 0},
        },
    },
    "doc_string": {
        "hierarchy_tags": ["/encoder/layer.1", "/encoder"],
        "hierarchy_path": "/encoder/layer.1",
        "hierarchy_count": 2,
        "hierarchy_method": "residual",
        "hierarchy_confidence": 0.98,
        "hierarchy_call": 0,
        "hierarchy_class_path": "/BertModel/BertEncoder/BertLayer.1",
        "doc_string": "what stood here before",
    },
    "tree": {
        "schema": "onnx-hier/tree",
        "schema_version": 1,
        "model": _MODEL,
        "modules": _MODULES,
    },
    "tag_result": {
        "schema": "onnx-hier/tag-result",
        "schema_version": 1,
        "files": [_RESULT, _REFUSAL],
    },
    "explain": {
        "schema": "onnx-hier/explain",
        "schema_version": 1,
        "model": _MODEL,
        "nodes": [
            {
                "id": "12",
                "name": "",
                "op_type": "Add",
                "tag": "/encoder/layer.1",
                "auxiliary": [],
                "method": "repetition",
                "confidence": 0.98,
                "call": 0,
                "reason": "built like node 3, which is in /encoder/layer.0",
                "retreat": "none",
                "witnesses": [
                    {"method": "repetition", "tag": "/encoder/layer.1", "node": "3"},
                    {"method": "order", "tag": "/encoder"},
                    {"method": "parameters", "tag": "/encoder", "name": "encoder.weight"},
                ],
                "candidates": [
                    {"tag": "/encoder/layer.1", "score": 0.97},
                    {"tag": "/encoder", "score": 0.03},
                ],
                "grounds": [
                    {
                        "method": "repetition",
                        "feature": "twin.first.tight6",
                        "text": "nodes that look like it put it in this module",
                        "contribution": 3.25,
                        "node": "3",
                    },
                    {
                        "method": "none",
                        "feature": "root",
                        "text": "the next one is the whole model",
                        "contribution": -0.5,
                    },
                ],
            }
        ],
    },
    "check_report": {
        "schema": "onnx-hier/check-report",
        "schema_version": 1,
        "file": "in.onnx",
        "tags": {"source": "doc_string", "nodes": 257, "tagged": 257, "malformed": 0},
        "findings": [
            {
                "node": "12",
                "name": "/encoder/layer.0/Add",
                "op_type": "Add",
                "kind": "cross_layer",
                "actual": "/encoder/layer.1",
                "expected": "/encoder/layer.0",
                "differs": ["1", "0"],
                "witnesses": ["name", "output"],
                "confidence": 0.99,
            }
        ],
        "groups": [
            {
                "kind": "cross_layer",
                "parent": "/encoder/layer",
                "actual": "1",
                "expected": "0",
                "nodes": 1,
            }
        ],
        "coverage": {
            "modules_known": True,
            "untagged": 1,
            "unplaced": 0,
            "unknown_module": 0,
            "malformed": 0,
            "sidecar": 1,
            "gaps": [
                {"kind": "untagged", "node": "3", "text": "no tag"},
                {"kind": "sidecar", "node": None, "text": "made for another graph"},
            ],
        },
    },
}

# A value that stands for "take the key away".
ABSENT = object()

# (schema, place, value)
VARIANTS = [
    ("sidecar", "nodes/0/id", "1045/then_branch/0"),
    ("sidecar", "nodes/0/id", "12/bodies[1]/0"),
    ("sidecar", "nodes/0/id", "3/body/10/then_branch/0"),
    ("sidecar", "nodes/0/id", "function::Linear/3"),
    ("sidecar", "nodes/0/id", "function:pkg.torch:aten_add:Tensor/3/else_branch/1"),
    # Names are the file's own and may hold any character.
    ("sidecar", "nodes/0/id", "function:a::b:c/d:e/3"),
    ("sidecar", "nodes/0/id", "3/a/b[0]/1"),
    ("sidecar", "nodes/0/id", "training:0:algorithm/3"),
    ("sidecar", "nodes/0/id", "training:12:initialization/0"),
    ("sidecar", "nodes/0/tag", "/été/cls 1/layer.0"),
    ("sidecar", "nodes/0/reason", "reads parameters that say where it is"),
    ("sidecar", "nodes/0/evidence", "a key of a later version"),
    ("explain", "nodes/0/reason", ""),
    ("explain", "nodes/0/witnesses", []),
    ("explain", "nodes/0/candidates", []),
    ("explain", "nodes/0/grounds", []),
    ("explain", "nodes/0/retreat", "unsure"),
    ("sidecar", "nodes", []),
    ("sidecar", "model/graph_name", ""),
    ("sidecar", "model/opset_import", {"": 17, "com.microsoft": 1}),
    ("sidecar", "generator/version", "1.2.3-dev+5"),
    ("doc_string", "hierarchy_call", ABSENT),
    ("doc_string", "hierarchy_class_path", ABSENT),
    ("doc_string", "doc_string", ABSENT),
    ("doc_string", "doc_string", ""),
    ("tag_result", "files/0/output", None),
    ("tag_result", "files/0/input", "-"),
    ("check_report", "findings", []),
    ("check_report", "coverage", ABSENT),
    ("check_report", "findings", ABSENT),
    ("check_report", "tags/source", "fresh"),
    ("check_report", "findings/0/name", ""),
]

REFUSED = [
    ("sidecar", "schema", "onnx-hier/tree"),
    ("sidecar", "schema_version", 2),
    ("sidecar", "generator", ABSENT),
    ("sidecar", "model/dialect", "Torch Script"),
    ("sidecar", "model/file", ""),
    ("sidecar", "model/opset_import", {"": "17"}),
    ("sidecar", "modules", []),
    ("sidecar", "modules/0/path", "/encoder"),
    ("sidecar", "modules/0/parent", "/"),
    ("sidecar", "modules/0/qualified_name", "root"),
    ("sidecar", "modules/0/total_parameters", ABSENT),
    ("sidecar", "modules/1/path", "encoder/layer.1"),
    ("sidecar", "modules/1/path", "/encoder//layer.1"),
    ("sidecar", "modules/1/path", "/encoder/"),
    ("sidecar", "modules/1/parent", None),
    ("sidecar", "modules/1/qualified_name", ""),
    ("sidecar", "modules/1/class", ""),
    ("sidecar", "modules/1/nodes", -1),
    ("sidecar", "modules/1/total_parameter_bytes", 1.5),
    ("sidecar", "nodes/0/id", 0),
    ("sidecar", "nodes/0/id", ""),
    ("sidecar", "nodes/0/id", "01"),
    ("sidecar", "nodes/0/id", "12/then_branch"),
    ("sidecar", "nodes/0/id", "function:Linear/3"),
    ("sidecar", "nodes/0/id", "function:pkg:Linear"),
    ("sidecar", "nodes/0/id", "training:algorithm/3"),
    ("sidecar", "nodes/0/id", "training:0:other/3"),
    ("sidecar", "nodes/0/tag", ""),
    ("sidecar", "nodes/0/tag", None),
    ("sidecar", "nodes/0/auxiliary", None),
    ("sidecar", "nodes/0/auxiliary", ["/a", "/a"]),
    ("sidecar", "nodes/0/method", "Node name"),
    ("sidecar", "nodes/0/confidence", 1.01),
    ("sidecar", "nodes/0/confidence", "1"),
    ("sidecar", "nodes/0/call", -1),
    ("sidecar", "nodes/0/call", ABSENT),
    ("sidecar", "nodes/0/name", None),
    ("sidecar", "summary/coverage", 100),
    ("sidecar", "summary/by_method", {"node_name": 0}),
    ("sidecar", "summary/contamination/unresolved", ABSENT),
    ("doc_string", "hierarchy_tags", []),
    ("doc_string", "hierarchy_tags", ["/a", "/a"]),
    ("doc_string", "hierarchy_path", "encoder"),
    ("doc_string", "hierarchy_count", 0),
    ("doc_string", "hierarchy_method", ABSENT),
    ("doc_string", "hierarchy_confidence", ABSENT),
    ("doc_string", "hierarchy_confidence", -0.1),
    ("doc_string", "hierarchy_call", None),
    ("doc_string", "doc_string_base64", "YQ=="),
    ("doc_string", "later", 1),
    ("check_report", "schema", "onnx-hier/sidecar"),
    ("check_report", "findings/0/kind", "wrong"),
    ("check_report", "findings/0/witnesses", []),
    ("check_report", "findings/0/expected", "encoder"),
    ("check_report", "findings/0/differs", ["1"]),
    ("check_report", "coverage/gaps/0/kind", "other"),
    ("tree", "schema", "onnx-hier/sidecar"),
    ("tree", "modules/1/parent", None),
    ("tree", "model", ABSENT),
    ("explain", "schema", "onnx-hier/tree"),
    ("explain", "nodes/0/witnesses/0/tag", None),
    ("explain", "nodes/0/candidates/0/score", 1.1),
    ("explain", "nodes/0/reason", ABSENT),
    ("explain", "nodes/0/retreat", ABSENT),
    ("explain", "nodes/0/witnesses/0/node", 3),
    ("explain", "nodes/0/grounds", ABSENT),
    ("explain", "nodes/0/grounds/0/contribution", "3.25"),
    ("explain", "nodes/0/grounds/0/node", "x"),
    ("tag_result", "schema", "onnx-hier/tag_result"),
    ("tag_result", "files", []),
    ("tag_result", "files/0/status", "done"),
    ("tag_result", "files/0/error", "a success has no error"),
    ("tag_result", "files/0/milliseconds", "12"),
    ("tag_result", "files/1/error", None),
    ("tag_result", "files/1/error", "two\nlines"),
    ("tag_result", "files/1/output", "bad_tagged.onnx"),
]
