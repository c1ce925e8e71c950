# SPDX-License-Identifier: Apache-2.0

# find_onnx(): finds libonnx and protobuf, or sets ONNX_HIER_ONNX_FOUND to OFF. ONNX's package
# neither finds Protobuf itself nor gives its targets a namespace.
macro(find_onnx)
  find_package(Protobuf QUIET)
  find_package(ONNX QUIET)
  if(Protobuf_FOUND AND ONNX_FOUND)
    set(ONNX_HIER_ONNX_FOUND ON)
    foreach(target onnx onnx_proto)
      if(NOT TARGET ONNX::${target})
        add_library(ONNX::${target} ALIAS ${target})
      endif()
    endforeach()
  else()
    set(ONNX_HIER_ONNX_FOUND OFF)
  endif()
endmacro()
