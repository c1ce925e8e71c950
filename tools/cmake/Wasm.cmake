# SPDX-License-Identifier: Apache-2.0

# What the preset wasm needs beside emscripten: nothing but its own headers and libraries can be used
# by it, so Abseil is built along, of the sources in ONNX_HIER_ABSEIL (tools/npm/build gets them), and
# libraries that are headers alone are taken one by one from where Debian puts them.

if(NOT EXISTS "${ONNX_HIER_ABSEIL}/CMakeLists.txt")
  message(FATAL_ERROR "ONNX_HIER_ABSEIL must name the folder of Abseil's sources: tools/npm/build gets them")
endif()
set(CMAKE_HAVE_LIBC_PTHREAD ON)  # there is one thread, and all of its functions
set(ABSL_PROPAGATE_CXX_STD ON)
set(ABSL_ENABLE_INSTALL OFF)
set(CMAKE_LINK_LIBRARIES_ONLY_TARGETS OFF)  # it has targets for tests that link others that are not there
add_subdirectory(${ONNX_HIER_ABSEIL} abseil EXCLUDE_FROM_ALL SYSTEM)
set(CMAKE_LINK_LIBRARIES_ONLY_TARGETS ON)

# In the folder where Debian puts them are the headers of another machine as well.
foreach(library nlohmann_json cxxopts)
  find_package(${library} REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  get_target_property(folder ${library}::${library} INTERFACE_INCLUDE_DIRECTORIES)
  set(alone ${PROJECT_BINARY_DIR}/headers/${library})
  file(MAKE_DIRECTORY ${alone})
  file(GLOB headers ${folder}/nlohmann ${folder}/cxxopts.hpp)
  foreach(header IN LISTS headers)
    cmake_path(GET header FILENAME name)
    file(CREATE_LINK ${header} ${alone}/${name} SYMBOLIC)
  endforeach()
  set_target_properties(${library}::${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${alone})
endforeach()
