# SPDX-License-Identifier: Apache-2.0

# Sets dynamic_tool to a program whose calls of the C library can be seen and replaced: the tool
# itself, or, where that is linked statically, another one of the same objects.

set(dynamic_tool onnx-hier)
if(ONNX_HIER_STATIC_TOOL)
  set(dynamic_tool onnx-hier-dynamic)
  if(NOT TARGET onnx-hier-dynamic)
    add_executable(onnx-hier-dynamic $<TARGET_OBJECTS:onnx-hier>)
    target_link_libraries(onnx-hier-dynamic PRIVATE onnx_hier_cli absl::str_format onnx_hier_flags)
  endif()
endif()
