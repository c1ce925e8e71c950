#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tags all models of a folder, and of the folders in it, with GNU parallel:
#
#   tools/recipes/parallel.sh HUB OUT [MODELS_A_JOB] > log.jsonl
#
# Prints a line of JSON for each model, and one of counts for each job. A job that is killed is run
# once more; run again, the same command does what is left. Exit code: 0, or 2 if a model failed.
# ONNX_HIER is the program, JOBS how many run at a time (as many as there are processors).
set -euo pipefail

models=${3:-200}
# The command of a job is a line for a shell, which finds these names there, and not what they hold.
export hub=$1 out=$2 program=${ONNX_HIER:-onnx-hier}

mkdir -p "$out"
find "$hub" -name '*.onnx' -print0 | sort -z |
  parallel --null --max-args "$models" --jobs "${JOBS:-100%}" --retries 2 \
    'printf "%s\0" {} | "$program" tag --files-from - --mirror "$hub" --output-dir "$out" \
      --skip-existing --external-data copy --json-lines --quiet' || exit 2
