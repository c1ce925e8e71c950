#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh C-API-PROGRAM ONNX-HIER MODEL: the program's outputs must be those of the command.
set -euo pipefail

program=$(readlink -f "$1") tool=$(readlink -f "$2") model=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$model" bert.onnx
"$tool" tag bert.onnx --output expected.onnx --sidecar expected.json --quiet
"$program" bert.onnx written.onnx written.json memory.onnx
cmp expected.onnx written.onnx
cmp expected.onnx memory.onnx
cmp expected.json written.json
echo "the same bytes"
