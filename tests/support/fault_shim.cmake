# SPDX-License-Identifier: Apache-2.0

# What stands between a program and the C library: a library of its own, without sanitizers. For
# the program that dynamic_tool names.

include(${PROJECT_SOURCE_DIR}/tests/support/dynamic_tool.cmake)
if(NOT TARGET fault_shim)
  add_library(fault_shim MODULE ${PROJECT_SOURCE_DIR}/tests/faults/fault_shim.cc)
  set_target_properties(fault_shim PROPERTIES PREFIX "")
  target_compile_features(fault_shim PRIVATE cxx_std_20)
  target_compile_options(fault_shim PRIVATE -Wall -Wextra)
endif()
