# SPDX-License-Identifier: Apache-2.0
"""Makes an archive of what 'trtexec --exportOutput' writes: trtexec_to_npz.py OUT.json OUT.npz"""

import json
import sys

import numpy

with open(sys.argv[1], encoding="utf-8") as stream:
    outputs = json.load(stream)
numpy.savez(sys.argv[2], **{
    one["name"]: numpy.array(one["values"], "f4").reshape([int(n) for n in one["dimensions"].split("x")])
    for one in outputs})
