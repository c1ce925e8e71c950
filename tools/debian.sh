# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash disable=SC2034
# Sourced by tools/run, tools/release, tests/run and .ci/run: packages and builds on Debian 12.

build_packages=(cmake g++ libabsl-dev libcxxopts-dev ninja-build nlohmann-json3-dev zlib1g-dev)
unit_packages=(ccache doctest-dev libonnx-dev libprotobuf-dev lld python3)
test_packages=("${unit_packages[@]}" btrfs-progs chromium clang-format lintian musl-tools parallel
               pkg-config python3-distributed python3-ipykernel python3-jsonschema python3-nbconvert python3-onnx python3-pytest
               python3-setuptools python3-wheel python3-yaml snakemake valgrind xfsprogs)
# Another compiler with its sanitizers, and the linter.
clang_packages=(clang clang-tidy-16 libclang-rt-14-dev)
# What tools/release makes beside the program.
release_packages=(dpkg-dev git libonnx-dev libprotobuf-dev musl python3 python3-setuptools python3-wheel)
# For get_abseil.
source_packages=(dpkg-dev patch)
# For the preset wasm.
wasm_packages=("${source_packages[@]}" emscripten node-acorn nodejs)
# For the preset arm64; libabsl-dev is that of ARM.
arm64_packages=(g++-aarch64-linux-gnu libabsl-dev:arm64 musl:arm64 qemu-user-static zlib1g-dev:arm64)

# need_packages NAME...: installs those that are missing, saying so first. Elsewhere than on Debian it
# only says which they are.
need_packages() {
  local missing=() as_root=() package
  if ! command -v dpkg-query > /dev/null; then
    echo "No Debian, so nothing is installed; needed, by whatever names this system has them: $*" >&2
    return
  fi
  for package in "$@"; do
    if ! dpkg-query -W -f='${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi

  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  echo "Installing packages${as_root:+ with sudo}: ${missing[*]}" >&2
  # Another apt may be at work: it is waited for.
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=600)
  "${as_root[@]}" "${apt[@]}" update >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null >&2
}

# need_arm64_packages: those for the preset arm64, which are of two architectures.
need_arm64_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  if ! dpkg --print-foreign-architectures | grep -qx arm64; then
    "${as_root[@]}" dpkg --add-architecture arm64
  fi
  need_packages "${arm64_packages[@]}"
}

# get_abseil FOLDER: puts the sources of Debian's Abseil there, if they are not. As apt has them from
# Debian's own mirrors, signed; the archive of its authors is the one that was tried.
get_abseil() {
  if [ -e "$1/CMakeLists.txt" ]; then return; fi
  local work checksum=abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u > "$work/sources.list"
  local apt=(apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
             -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=)
  (cd "$work" && "${apt[@]}" update && "${apt[@]}" source --download-only abseil) &&
    echo "$checksum  $work/abseil_20220623.1.orig.tar.gz" | sha256sum --quiet -c &&
    dpkg-source --no-check -x "$work"/abseil_*.dsc "$work/abseil" > "$work/log" &&
    # It names a library that this compiler has inside of it.
    patch --quiet --reverse -p1 -d "$work/abseil" < "$work/abseil/debian/patches/latomic.diff" &&
    mkdir -p "$(dirname "$1")" && mv "$work/abseil" "$1"
  local result=$?
  rm -rf "$work"
  if [ $result -ne 0 ]; then echo "Cannot get the sources of Abseil; see above" >&2; fi
  return $result
}

# build_preset PRESET FOLDER [CMAKE_OPTION...] [-- BUILD_OPTION...]: configures, if that was not done with
# these presets and options yet, and builds.
build_preset() {
  local preset=$1 folder=$2 options=()
  shift 2
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  # Makes the second build of the same code much faster.
  if command -v ccache > /dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=$PWD/tools/cmake/ccache.sh; fi
  if [ ! CMakePresets.json -ot "$folder/build.ninja" ] ||
    ! printf '%q ' "$preset" "${options[@]}" | cmp -s - "$folder/configured"; then
    cmake --preset "$preset" -B "$folder" "${options[@]}"
    printf '%q ' "$preset" "${options[@]}" > "$folder/configured"
  fi
  cmake --build "$folder" "${@:2}"
}

# pack PARENT NAME OUT: PARENT/NAME as an archive in which nothing tells of this machine; its files have
# the time SOURCE_DATE_EPOCH.
pack() {
  tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --format=gnu -c "$2" | gzip -9n > "$3"
}
