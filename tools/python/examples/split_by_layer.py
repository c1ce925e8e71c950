#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model for each layer, and what each one holds: split_by_layer.py MODEL.onnx FOLDER"""

import sys

import onnx_hier


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for part in onnx_hier.split(sys.argv[1], sys.argv[2])["parts"]:
        print(f"{part['file']}: {part['nodes']} nodes, {part['parameter_bytes']} bytes of weights, "
              f"reads {len(part['inputs'])}, gives {len(part['outputs'])}")


if __name__ == "__main__":
    main()
