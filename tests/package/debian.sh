#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes Debian's packages of a build and looks at them: debian.sh BUILD MODEL VERSION
#
# lintian finds nothing to warn of, what was unpacked works, and the program's package, made once more
# elsewhere and with another umask, has the same bytes.
# CPACK is the program that packs. Exit code 77 (skipped) without lintian.
set -euo pipefail

build=$1 model=$2 version=$3
if ! command -v lintian > /dev/null; then
  echo "lintian is missing"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack() {
  "${CPACK:-cpack}" --config "$build/CPackConfig.cmake" -B "$@" > "$work/cpack.log" 2>&1 ||
    { cat "$work/cpack.log"; exit 1; }
}

echo "-- packages"
pack "$work/first"
(umask 077; pack "$work/another folder" -D CPACK_COMPONENTS_ALL=program)
cmp "$work"/*/onnx-hier_"$version"_*.deb
for package in "$work/first"/*.deb; do
  echo "$(basename "$package"): $(stat -c %s "$package") bytes"
  dpkg-deb -x "$package" "$work/root"
done

echo "-- lintian"
lintian --fail-on error,warning --tag-display-limit 0 "$work/first"/*.deb

echo "-- program"
usr=$work/root/usr
"$build/tools/onnx-hier/onnx-hier" tag --quiet "$model" -o "$work/expected.onnx"
"$usr/bin/onnx-hier" tag --quiet "$model" -o "$work/tagged.onnx"
cmp "$work/tagged.onnx" "$work/expected.onnx"
test "$("$usr/bin/onnx-hier" --version | head -n 1)" = "onnx-hier $version"
"$usr/bin/onnx-hier" help --man | gzip -9n | cmp - "$usr/share/man/man1/onnx-hier.1.gz"
"$usr/bin/onnx-hier" completion bash | cmp - "$usr/share/bash-completion/completions/onnx-hier"
if [ -e "$usr/bin/onnx-hier-verify" ]; then
  "$usr/bin/onnx-hier-verify" --as tags "$model" "$work/tagged.onnx"
fi
test -s "$usr/share/onnx-hier/schemas/sidecar.schema.json"
test -s "$usr/share/doc/onnx-hier/onnx-hier.spdx.json"
test -s "$usr/include/onnx_hier/onnx_hier.h"
