#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tags all models of a folder, and of the folders in it, as an array of Slurm jobs:
#
#   tools/recipes/slurm.sh HUB OUT [MODELS_A_JOB] [SBATCH_OPTION...]
#
# HUB and OUT are on a file system that all nodes see. OUT/.lists has the lists of models, and a log
# for each with a line of JSON for each model. A job on a node that fails is queued again; submitted
# again, the same command does what is left. Prints what 'sbatch' prints.
set -euo pipefail

hub=$(realpath "$1")
out=$2
models=${3:-200}
shift $(($# < 3 ? $# : 3))

mkdir -p "$out/.lists"
out=$(realpath "$out")
rm -f "$out"/.lists/list.*
find "$hub" -name '*.onnx' | sort | split --lines="$models" --numeric-suffixes --suffix-length=6 \
  - "$out/.lists/list."
lists=("$out"/.lists/list.*)
if [[ ! -e ${lists[0]} ]]; then
  echo "there is no model in $hub" >&2
  exit 2
fi

export HIER_HUB=$hub HIER_OUT=$out ONNX_HIER=${ONNX_HIER:-onnx-hier}
exec sbatch --job-name=onnx-hier --array="0-$((${#lists[@]} - 1))" --requeue --ntasks=1 \
  --output="$out/.lists/%6a.log" --export=ALL "$@" "$(dirname "$(readlink -f "$0")")/slurm_job.sh"
