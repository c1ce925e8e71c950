# SPDX-License-Identifier: Apache-2.0

# Run by cpack between the installation of the components and their packing: makes of what `cmake
# --install` installs what Debian's policy asks for.

set(ENV{SOURCE_DATE_EPOCH} ${CPACK_ONNX_HIER_DATE})
set(ENV{LC_ALL} C)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(doc ${usr}/share/doc/${name})

  # Debian has the licence in one place for all packages, and its own form of changelogs.
  file(REMOVE ${doc}/LICENSE)
  file(COPY ${CPACK_ONNX_HIER_SOURCE}/tools/package/copyright DESTINATION ${doc})
  file(WRITE ${doc}/changelog
"${name} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What has changed is in CHANGELOG.md.gz of the package onnx-hier.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  file(GLOB texts ${usr}/share/man/man1/*.1 ${doc}/changelog ${doc}/*.md)
  foreach(text IN LISTS texts)
    execute_process(COMMAND gzip -9n ${text} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  set(overrides ${CPACK_ONNX_HIER_SOURCE}/tools/package/${name}.lintian-overrides)
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
    file(COPY_FILE ${overrides} ${usr}/share/lintian/overrides/${name})
  endif()

  # Whatever the umask and the checkout.
  file(GLOB_RECURSE files ${usr}/*)
  foreach(file IN LISTS files)
    if(file MATCHES "/bin/[^/]*$")
      file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
           GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    else()
      file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
  endforeach()
  file(GLOB_RECURSE places LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/${component}/*)
  foreach(place IN LISTS places)
    if(IS_DIRECTORY ${place})
      file(CHMOD ${place} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
           GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
  endforeach()
endforeach()
