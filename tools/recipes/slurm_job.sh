#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# One job of the array that slurm.sh submits: the models of one list.
set -euo pipefail

list=$(printf '%s/.lists/list.%06d' "$HIER_OUT" "$SLURM_ARRAY_TASK_ID")
exec "$ONNX_HIER" tag --files-from "$list" --mirror "$HIER_HUB" --output-dir "$HIER_OUT" \
  --skip-existing --external-data copy --json-lines --quiet
