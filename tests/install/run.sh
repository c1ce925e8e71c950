#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build and uses it as a stranger would: run.sh BUILD MODEL MAP VERSION
#
# An outside project finds the library with CMake, another with pkg-config; both tag MODEL, ask for
# its modules and check the result, and the installed program must write the same bytes; so must the
# CMake function, whose models are made again when their sources change. MAP is MODEL's module map.
# The whole tree is moved once, to show that it holds no path to where it was. CXX is the compiler,
# CMAKE the program that installs.
set -euo pipefail

build=$1 map=$3 version=$4
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

model=$work/$(basename "$2")
cp "$2" "$model"
"${CMAKE:-cmake}" --install "$build" --prefix "$work/first" > "$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix

echo "-- program"
"$prefix/bin/onnx-hier" tag --quiet "$model" -o "$work/expected.onnx"
"$prefix/bin/onnx-hier" --version
test -s "$prefix/share/man/man1/onnx-hier.1"
if [ -e "$build/tools/onnx-hier-verify/onnx-hier-verify" ]; then
  "$prefix/bin/onnx-hier-verify" --as tags "$model" "$work/expected.onnx"
  test -s "$prefix/share/man/man1/onnx-hier-verify.1"
  test -s "$prefix/share/onnx-hier/schemas/verify.schema.json"
fi
test -s "$prefix/share/onnx-hier/schemas/sidecar.schema.json"

tag_and_compare() {
  "$1" "$model" "$work/$2.onnx"
  cmp "$work/$2.onnx" "$work/expected.onnx"
}

echo "-- find_package"
"${CMAKE:-cmake}" -G Ninja -S "$here/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="${CXX:-c++}" -DMODEL="$model" -DMAP="$map" > "$work/configure.log"
"${CMAKE:-cmake}" --build "$work/cmake" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
tag_and_compare "$work/cmake/tag_model" by_cmake

echo "-- onnx_hier_tag"
stem=$(basename "$model" .onnx)
"$prefix/bin/onnx-hier" tag --quiet "$model" -o "$work/named.onnx" --name-nodes --module-map "$map"
cmp "$work/cmake/${stem}_tagged.onnx" "$work/expected.onnx"
cmp "$work/cmake/${stem}_tagged_hierarchy.json" "$work/expected_hierarchy.json"
cmp "$work/cmake/named.onnx" "$work/named.onnx"
cmp "$work/cmake/named.json" "$work/named_hierarchy.json"
"${CMAKE:-cmake}" --build "$work/cmake" | grep -q 'no work to do'
touch "$model"
"${CMAKE:-cmake}" --build "$work/cmake" | grep -c 'Tagging' | grep -qx 2

echo "-- pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name onnx_hier.pc)")
export PKG_CONFIG_PATH
test "$(pkg-config --modversion onnx_hier)" = "$version"
# The flags are words to be split.
# shellcheck disable=SC2046
"${CXX:-c++}" -std=c++20 "$here/project/tag_model.cc" -o "$work/tag_model" \
  $(pkg-config --cflags --libs onnx_hier)
tag_and_compare "$work/tag_model" by_pkg_config

echo "-- add_subdirectory"
# In a project that builds Abseil too: targets of its own, which no export set has.
"${CMAKE:-cmake}" -G Ninja -S "$here/around" -B "$work/around" -DONNX_HIER="$here/../.." \
  -DCMAKE_CXX_COMPILER="${CXX:-c++}" > "$work/around.log" 2>&1 || { cat "$work/around.log"; exit 1; }
# Nothing of it goes where that project is installed to.
"${CMAKE:-cmake}" --install "$work/around" --prefix "$work/outside" > "$work/install.log"
test ! -e "$work/outside"

echo "-- dependencies"
# Abseil and threads are all that the package asks for: what is header-only, or the tests' alone,
# stays inside.
if grep -rIiE 'nlohmann|cxxopts|doctest|protobuf|onnx_proto' \
  "$(dirname "$PKG_CONFIG_PATH")/cmake" "$PKG_CONFIG_PATH"; then
  echo "these files name what users of the library must not need"
  exit 1
fi

if grep -rIl "$work/first" "$prefix"; then
  echo "these files name the place they were installed to"
  exit 1
fi
