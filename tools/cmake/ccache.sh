#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Compiles by way of ccache, with its results shared by all folders: CMAKE_CXX_COMPILER_LAUNCHER of
# builds with precompiled headers.
export CCACHE_BASEDIR="${0%/tools/cmake/*}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# A precompiled header is told by the checksum beside it: two of the same text differ.
export CCACHE_PCH_EXTSUM=1

output='' last=''
for word; do
  if [ "$last" = -o ]; then output=$word; fi
  last=$word
done
case $output in
*.pch) "$@" || exit ;; # clang's has the paths of its folder in it
*) ccache "$@" || exit ;;
esac
case $output in
*.gch | *.pch)
  # Of all headers in it, as the compiler lists them.
  sed 's/^[^ ]*: *//; s/\\$//' "$output.d" | tr ' ' '\n' | grep . | xargs cat | sha256sum > "$output.sum"
  ;;
esac
