# SPDX-License-Identifier: Apache-2.0

# onnx_hier_tag(TARGET MODEL [OUTPUT FILE] [SIDECAR FILE] [MODULE_MAP FILE] [OPTIONS OPTION...])
#
# Tags a model in the course of a build, again when the model or the map has changed. TARGET is built
# with all; its properties ONNX_HIER_MODEL and ONNX_HIER_SIDECAR say what is written, without OUTPUT
# and SIDECAR in the current binary folder: MODEL_tagged.onnx, MODEL_tagged_hierarchy.json. OPTIONS
# are further options of 'onnx-hier tag'.
#
#   find_package(onnx_hier REQUIRED)
#   onnx_hier_tag(bert_tagged bert.onnx)
#   install(FILES $<TARGET_PROPERTY:bert_tagged,ONNX_HIER_MODEL> DESTINATION share/models)

function(onnx_hier_tag target model)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "OUTPUT;SIDECAR;MODULE_MAP" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "onnx_hier_tag(${target} ...): not understood: "
                        "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  find_program(ONNX_HIER_PROGRAM onnx-hier HINTS "${ONNX_HIER_PROGRAM_DIR}" REQUIRED)

  cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  cmake_path(GET model STEM LAST_ONLY stem)
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${stem}_tagged.onnx")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  if(NOT arg_SIDECAR)
    cmake_path(GET arg_OUTPUT PARENT_PATH folder)
    cmake_path(GET arg_OUTPUT STEM LAST_ONLY stem)
    set(arg_SIDECAR "${folder}/${stem}_hierarchy.json")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SIDECAR BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  if(arg_MODULE_MAP)
    cmake_path(ABSOLUTE_PATH arg_MODULE_MAP BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND arg_OPTIONS --module-map "${arg_MODULE_MAP}")
  endif()

  add_custom_command(
    OUTPUT "${arg_OUTPUT}" "${arg_SIDECAR}"
    COMMAND "${ONNX_HIER_PROGRAM}" tag "${model}" --output "${arg_OUTPUT}" --sidecar
            "${arg_SIDECAR}" --force --quiet ${arg_OPTIONS}
    DEPENDS "${model}" ${arg_MODULE_MAP} "${ONNX_HIER_PROGRAM}"
    COMMENT "Tagging ${model}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${arg_OUTPUT}" "${arg_SIDECAR}")
  set_target_properties(${target} PROPERTIES ONNX_HIER_MODEL "${arg_OUTPUT}"
                                             ONNX_HIER_SIDECAR "${arg_SIDECAR}")
endfunction()
