# SPDX-License-Identifier: Apache-2.0

# Toolchain: a program for 64-bit ARM, by Debian's cross compiler (tools/debian.sh says which packages).

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Libraries are in a folder of that name, beside the machine's own; headers and CMake files that are
# every machine's are where they always are.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# The program writes its own manual while it is built.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)

set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
