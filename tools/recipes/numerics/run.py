# SPDX-License-Identifier: Apache-2.0
"""Runs a model in onnxruntime, and saves all that it gives out.

    python3 run.py MODEL.onnx OUT.npz FEEDS.npz...

FEEDS: files of numpy.savez with the inputs by name, of which the last one counts. A model of
'onnx-hier probe --isolated' is given the values of the original as well.
"""

import sys

import numpy
import onnxruntime

model, output, *files = sys.argv[1:]
arrays = {name: array for file in files for name, array in numpy.load(file).items()}
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
feeds = {one.name: arrays.get(one.name, arrays.get(one.name.removesuffix("/given")))
         for one in session.get_inputs()}
names = [one.name for one in session.get_outputs()]
numpy.savez(output, **feeds, **dict(zip(names, session.run(names, feeds))))
