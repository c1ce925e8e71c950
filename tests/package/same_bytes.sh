#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The same sources and tools make the same bytes in another folder: same_bytes.sh SOURCE BUILD
#
# Some files, chosen all over the project, are compiled anew in a copy of SOURCE, without a cache, and
# must be what BUILD has. Then the library and the program are put together there, of these and of
# BUILD's other objects. `tools/release --twice` builds all of it twice; that takes minutes.
set -euo pipefail

source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
unset CMAKE_CXX_COMPILER_LAUNCHER

# Of the lengths of paths nothing must depend, either.
copy=$work/a_folder/of_another/length_than_that_of_the_first_one
mkdir -p "$copy"
cp -r "$source"/{CMakeLists.txt,CHANGELOG.md,LICENSE,README.md,lib,schemas,tools} "$copy"

options=()
while read -r option; do options+=("-D$option"); done < <(grep -E \
  '^(CMAKE_BUILD_TYPE|CMAKE_CXX_COMPILER|CMAKE_CXX_FLAGS|ONNX_HIER_(HARDEN|PRECOMPILE|STATIC_TOOL|UNITE|WERROR)):' \
  "$build/CMakeCache.txt")
revision=$(sed -n 's/.*kRevision.*"\(.*\)".*/\1/p' "$build/include/tools/onnx-hier/build_facts.h")
"${CMAKE:-cmake}" -G Ninja -S "$copy" -B "$copy/out" "${options[@]}" -DONNX_HIER_REVISION="$revision" \
  -DONNX_HIER_BUILD_TESTS=OFF -DONNX_HIER_BUILD_VERIFY=OFF > "$work/configure.log"

echo "-- objects"
library=lib/CMakeFiles/onnx_hier.dir program=tools/onnx-hier/CMakeFiles/onnx-hier.dir
cd "$build"
# Files by themselves, or units of many.
sample=("$library"/{page_text,base/json_text,tree/calls,names/layer_lists,audit/second_look}.cc.o
        "$library"/united_onnx_hier/lib_{base,tree,names,audit}_0.cc.o "$program"/{main,version_text}.cc.o)
readarray -t sample < <(ls "${sample[@]}" 2> /dev/null)
[ ${#sample[@]} -ge 6 ]
cd "$copy/out"
ninja "${sample[@]}" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
for object in "${sample[@]}"; do cmp "$object" "$build/$object"; done

echo "-- library and program"
for object in $(cd "$build" && find "$library" "$program" tools/cli -name '*.o'); do
  mkdir -p "$(dirname "$object")"
  # Also those that precompiled headers bring.
  [ -e "$object" ] || cp "$build/$object" "$object"
done
for target in lib/libonnx_hier.a tools/cli/libonnx_hier_cli.a tools/onnx-hier/onnx-hier; do
  rm -f "$target"
  bash -euc "$(ninja -t commands -s "$target")"
  cmp "$target" "$build/$target"
done
