#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of nodes that a quantiser is to leave alone: quantize_all_but.py MODEL.onnx PATTERN...

onnxruntime's quantiser takes names of nodes, not of modules. Nodes without a name could not be
excluded: they get one first, in a copy of the model that is quantised in its stead.
"""

import sys

import onnx
import onnx_hier


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    model = onnx_hier.tag(onnx.load(sys.argv[1]), name_nodes=True)
    exclude = onnx_hier.select(model, *sys.argv[2:], op_types=["MatMul", "Gemm", "Conv"])
    print(f"{len(exclude)} nodes stay in float")
    try:
        from onnxruntime.quantization import quantize_dynamic
    except ImportError:
        print("nodes_to_exclude =", exclude)
        return
    quantize_dynamic(model, sys.argv[1].replace(".onnx", "_int8.onnx"), nodes_to_exclude=exclude)


if __name__ == "__main__":
    main()
