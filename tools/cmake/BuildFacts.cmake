# SPDX-License-Identifier: Apache-2.0

# What `onnx-hier --version` says of a build, in variables of the same names as in build_facts.h.in.
# Of two builds of the same sources by the same tools it is the same.

# The commit, where the sources are a checkout of their own; packagers may state one.
set(ONNX_HIER_REVISION "" CACHE STRING "The revision that --version states; empty: git's")
set(revision ${ONNX_HIER_REVISION})
find_package(Git QUIET)
if(NOT revision AND Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Grows with each commit: then this runs again.
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --path-format=absolute --git-path logs/HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${log}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
endif()
if(NOT revision)
  set(revision unknown)
endif()

set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

find_package(cxxopts REQUIRED)
# Abseil's headers state its own.
set(libraries "cxxopts ${cxxopts_VERSION}" "nlohmann-json ${nlohmann_json_VERSION}")
if(TARGET ZLIB::ZLIB)
  list(APPEND libraries "zlib ${ZLIB_VERSION_STRING}")
endif()

# "tag-result 1", out of the schemas themselves.
set(schemas "")
file(GLOB schema_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schemas/*.schema.json)
foreach(file IN LISTS schema_files)
  file(READ ${file} text)
  string(JSON name ERROR_VARIABLE none GET "${text}" properties schema const)
  string(JSON version ERROR_VARIABLE none GET "${text}" properties schema_version const)
  if(name MATCHES "^onnx-hier/(.+)$")
    list(APPEND schemas "${CMAKE_MATCH_1} ${version}")
  endif()
endforeach()

list(JOIN libraries ", " libraries)
list(JOIN schemas ", " schemas)
configure_file(${PROJECT_SOURCE_DIR}/tools/onnx-hier/build_facts.h.in
               ${PROJECT_BINARY_DIR}/include/tools/onnx-hier/build_facts.h @ONLY)
