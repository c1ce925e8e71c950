# SPDX-License-Identifier: Apache-2.0

# Run by cpack after packing. cpack lists checksums in the order in which the file system has the files,
# and adds up sizes of folders, which differ between file systems: so packages are packed anew, and are
# the same, byte for byte, wherever they are made.

set(ENV{SOURCE_DATE_EPOCH} ${CPACK_ONNX_HIER_DATE})
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(work ${package}.unpacked)
  file(REMOVE_RECURSE ${work})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${work} COMMAND_ERROR_IS_FATAL ANY)

  file(STRINGS ${work}/DEBIAN/md5sums sums)
  # By the names, which follow sums of one length.
  list(TRANSFORM sums REPLACE "^([0-9a-f]+)  (.*)$" "\\2  \\1")
  list(SORT sums)
  list(TRANSFORM sums REPLACE "^(.*)  ([0-9a-f]+)$" "\\2  \\1\n")
  list(JOIN sums "" sums)
  file(WRITE ${work}/DEBIAN/md5sums "${sums}")

  # In KiB, each file by itself, as Debian counts.
  file(GLOB_RECURSE files ${work}/usr/*)
  set(size 0)
  foreach(file IN LISTS files)
    file(SIZE ${file} bytes)
    math(EXPR size "${size} + (${bytes} + 1023) / 1024")
  endforeach()
  file(READ ${work}/DEBIAN/control control)
  string(REGEX REPLACE "Installed-Size: [0-9]+" "Installed-Size: ${size}" control "${control}")
  file(WRITE ${work}/DEBIAN/control "${control}")

  execute_process(COMMAND find ${work} -exec touch --no-dereference --date=@${CPACK_ONNX_HIER_DATE} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
  # With several threads the bytes depend on their number.
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --threads-max=1 --build ${work} ${package}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${work})
endforeach()
