# SPDX-License-Identifier: Apache-2.0

# Debian packages: `cpack` in a build folder makes one of each component that Install.cmake knows.
# tests/package looks at them, and at their bytes.

include(${CMAKE_CURRENT_LIST_DIR}/SourceDate.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onnx-hier)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
# Each package has one of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
if(NOT ONNX_HIER_BUILD_TOOL)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL program)
endif()
if(TARGET onnx-hier-verify)
  list(APPEND CPACK_COMPONENTS_ALL verify)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# pack_again.cmake compresses.
set(CPACK_DEBIAN_COMPRESSION_TYPE none)
# No release: the project makes its packages itself ("native", as Debian has it).
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "onnx-hier maintainers <maintainers@users.noreply.example>")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME onnx-hier)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "find the module that owns each node of an ONNX model
An ONNX file is a flat list of operators: the modules of the network are gone.
This program brings them back, as a tag in the doc_string of each node and as a
JSON file beside the model. It also says which modules changed, where the time
goes, takes modules out, and makes them functions of the model.")
if(NOT ONNX_HIER_PROGRAM_IS_STATIC)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libonnx-hier-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libabsl-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "module hierarchy of ONNX models, C++ library
Headers and archive of what the program onnx-hier is made of, found by
find_package(onnx_hier) of CMake and by pkg-config.")

# By itself, for it needs libonnx and protobuf, which the program does not.
set(CPACK_DEBIAN_VERIFY_PACKAGE_NAME onnx-hier-verify)
set(CPACK_DEBIAN_VERIFY_PACKAGE_SECTION science)
set(CPACK_DEBIAN_VERIFY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_VERIFY_DESCRIPTION "say how an ONNX model relates to the one it was made from
Judges by the parser of protobuf and the checker of ONNX what onnx-hier writes:
the same, tags, a part, folded, or the first difference.")

# For the two scripts, which cpack hands such variables.
set(CPACK_ONNX_HIER_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_ONNX_HIER_DATE $ENV{SOURCE_DATE_EPOCH})
if(NOT CPACK_ONNX_HIER_DATE)
  string(TIMESTAMP CPACK_ONNX_HIER_DATE %s UTC)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/package/debian_files.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/package/pack_again.cmake)

include(CPack)
