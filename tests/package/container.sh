#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the Containerfile puts into an image is there, is small, and needs nothing around it:
# container.sh SOURCE BUILD
set -euo pipefail

source=$1 build=$2
most=8000000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${CMAKE:-cmake}" --install "$build" --component program --strip --prefix "$work/context" \
  > "$work/install.log"
mkdir "$work/image"
while read -r command from to; do
  if [ "$command" = COPY ]; then
    mkdir -p "$work/image$(dirname "$to")"
    cp -r "$work/context/$from" "$work/image$to"
  fi
done < "$source/tools/package/Containerfile"

size=$(find "$work/image" -type f -printf '%s\n' | awk '{sum += $1} END {print sum}')
echo "$size bytes"
test "$size" -le "$most"
program=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$source/tools/package/Containerfile")
if readelf --program-headers "$work/image$program" | grep INTERP; then
  echo "the program asks for a loader, and for libraries: is ONNX_HIER_STATIC_TOOL on?"
  exit 1
fi
"$work/image$program" --version
