# SPDX-License-Identifier: Apache-2.0

# onnx_hier_unit_test(ROOM SOURCES FILE... [LIBRARIES TARGET...])
#
# One executable for the unit tests of one room of lib/, and one CTest test of the same name. To
# run a part of it: BUILD/tests/ROOM/ROOM_test --test-case='*border*'.

find_package(doctest REQUIRED)

if(NOT TARGET onnx_hier_test_support)
  # Compiled by itself, for what it is told.
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/model_files.cc PROPERTIES
    COMPILE_DEFINITIONS ONNX_HIER_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
  add_library(onnx_hier_test_support STATIC
    ${CMAKE_CURRENT_LIST_DIR}/doctest_main.cc
    ${CMAKE_CURRENT_LIST_DIR}/invariants.cc
    ${CMAKE_CURRENT_LIST_DIR}/lacking.cc
    ${CMAKE_CURRENT_LIST_DIR}/layered_model.cc
    ${CMAKE_CURRENT_LIST_DIR}/model_files.cc
    ${CMAKE_CURRENT_LIST_DIR}/temp_folder.cc
    ${CMAKE_CURRENT_LIST_DIR}/test_graph.cc
    ${CMAKE_CURRENT_LIST_DIR}/wire.cc)
  target_include_directories(onnx_hier_test_support PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(onnx_hier_test_support
    PUBLIC onnx_hier doctest::doctest
    PRIVATE onnx_hier_flags)
  onnx_hier_precompile(onnx_hier_test_support LIKE onnx_hier)
  onnx_hier_unite(onnx_hier_test_support)
  add_custom_target(unit_tests)  # all of them, for builds that run no others
endif()

function(onnx_hier_unit_test room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${room}_test ${arg_SOURCES})
  target_link_libraries(${room}_test
    PRIVATE onnx_hier_test_support onnx_hier_flags ${arg_LIBRARIES})
  # All of them like the first one, but for what libonnx defines.
  set(like onnx_hier_precompiled_test)
  if(arg_LIBRARIES MATCHES "ONNX")
    set(like onnx_hier_precompiled_onnx_test)
  endif()
  get_property(precompiled GLOBAL PROPERTY ${like})
  if(NOT precompiled)
    set(precompiled ${room}_test)
    set_property(GLOBAL PROPERTY ${like} ${precompiled})
  endif()
  onnx_hier_precompile(${room}_test LIKE ${precompiled})
  onnx_hier_unite(${room}_test)
  add_dependencies(unit_tests ${room}_test)
  add_test(NAME unit.${room} COMMAND ${room}_test)
  set_tests_properties(unit.${room} PROPERTIES TIMEOUT 600)
endfunction()
