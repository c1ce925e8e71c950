# SPDX-License-Identifier: Apache-2.0
"""Which module of the network does each node of an ONNX model belong to?

>>> import onnx_hier
>>> onnx_hier.tag("bert.onnx")["tagged"]                 # writes bert_tagged.onnx and its sidecar
300
>>> h = onnx_hier.hierarchy("bert.onnx")
>>> len(h["bert.encoder.layer.*"].node_names("MatMul"))
16
>>> onnx_hier.extract("bert.onnx", "bert.encoder.layer.1", "layer1.onnx")["nodes"]
109

A model is a path, bytes, an onnx.ModelProto or an onnx_ir.Model. Of a path, functions write the
files that the command `onnx-hier` writes, byte for byte; bytes and protos come back as such. Errors
are FileNotFoundError, FileExistsError, PermissionError, OSError for files, ValueError for models
and arguments, KeyError for modules and nodes that are not there. What a message says of a flag,
"--force", is a parameter here: force=True. Functions work without the interpreter's lock and end
at Ctrl-C.
"""

from ._api import (apply, check, diff, explain, extract, fold, hierarchy, select, split, strip, tag,
                   unfold, weights)
from ._core import __version__
from ._hierarchy import Hierarchy, Measure, Module, Modules, Node, Parameter
from ._numerics import numerics, probe
from ._reports import cost, export, place, profile, report, tree

__all__ = [
    "Hierarchy", "Measure", "Module", "Modules", "Node", "Parameter", "__version__", "apply",
    "check", "cost", "diff", "explain", "export", "extract", "fold", "hierarchy", "numerics",
    "place", "probe", "profile", "report", "select", "split", "strip", "tag", "tree", "unfold",
    "weights",
]
