#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pass in a conversion pipeline: conversion_pipeline.py IN.onnx OUT.onnx

Tags go in before a step that drops or changes names, and what comes out gets its tags from the
model that went in. The weights stay in memory where they are.
"""

import sys

import onnx
import onnx_hier


def drop_names(model):
    """Stands for an optimiser that forgets where nodes came from."""
    for node in model.graph.node:
        node.name = ""
    return model


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    original = onnx.load(sys.argv[1])
    converted = onnx.ModelProto()
    converted.CopyFrom(original)
    converted = drop_names(converted)

    onnx_hier.apply(original, converted)  # in place

    report = onnx_hier.check(converted)
    onnx.save(converted, sys.argv[2])
    print(f"{report['tags']['tagged']} of {report['tags']['nodes']} nodes tagged, "
          f"{len(report['findings'])} in a wrong module")


if __name__ == "__main__":
    main()
