# SPDX-License-Identifier: Apache-2.0

# Flags of our own targets only: whoever uses the library chooses their own.

add_library(onnx_hier_flags INTERFACE)

target_compile_options(onnx_hier_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wold-style-cast -Wcast-qual -Wcast-align -Wextra-semi -Wformat=2
                       -Wnon-virtual-dtor -Woverloaded-virtual -Wredundant-decls -Wundef
                       # Members left out of a designated initializer have their defaults.
                       -Wno-missing-field-initializers
                       $<$<BOOL:${ONNX_HIER_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns falsely of overlapping copies in std::string at -O2.
  target_compile_options(onnx_hier_flags INTERFACE -Wno-restrict
                         -Wduplicated-branches -Wduplicated-cond -Wlogical-op -Wsuggest-override
                         # clang finds a zero in every operator<=>.
                         -Wzero-as-null-pointer-constant)
  # Not -Wnull-dereference: at -O3 it finds one in std::vector::resize.
  # Nobody puts functions of their own in place of ours while a program runs: they may be inlined
  # although the code is position independent. clang does so by itself.
  target_compile_options(onnx_hier_flags INTERFACE -fno-semantic-interposition)
  # So that the linker leaves out what a program does not call.
  target_compile_options(onnx_hier_flags INTERFACE $<$<CONFIG:Release>:-ffunction-sections>)
else()
  # clang counts it as a part of -Wconversion, g++ does not.
  target_compile_options(onnx_hier_flags INTERFACE -Wno-sign-conversion)
endif()

if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # Other machines multiply and add in one step, which rounds once. Outputs must be the same on all.
  target_compile_options(onnx_hier_flags INTERFACE -ffp-contract=off)
endif()

if(EMSCRIPTEN)
  # Memory has 32 bits there. What does not fit into it is refused where a file is opened
  # (ReserveAddresses() in lib/files); all else that is counted in 64 bits is a part of one, or of a buffer.
  target_compile_options(onnx_hier_flags INTERFACE -Wno-shorten-64-to-32)
endif()

if(ONNX_HIER_SANITIZE)
  target_compile_options(onnx_hier_flags INTERFACE -fsanitize=${ONNX_HIER_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(onnx_hier_flags INTERFACE -fsanitize=${ONNX_HIER_SANITIZE})
endif()

if(ONNX_HIER_FUZZ)
  # Coverage marks everywhere; only the fuzz targets themselves get libFuzzer's main().
  target_compile_options(onnx_hier_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(onnx_hier_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(ONNX_HIER_HARDEN)
  # Position independent programs, so that addresses differ from run to run.
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  target_compile_options(onnx_hier_flags INTERFACE -fstack-protector-strong)
  target_compile_definitions(onnx_hier_flags INTERFACE
                             _GLIBCXX_ASSERTIONS
                             # glibc's checked functions exist in optimised builds only.
                             $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  target_link_options(onnx_hier_flags INTERFACE LINKER:-z,relro,-z,now)
endif()

# onnx_hier_library_flags(TARGET): the flags that the library is given more than others, from
# ONNX_HIER_LIBRARY_FLAGS.
function(onnx_hier_library_flags target)
  separate_arguments(flags UNIX_COMMAND "${ONNX_HIER_LIBRARY_FLAGS}")
  target_compile_options(${target} PRIVATE ${flags})
endfunction()

# onnx_hier_precompile(TARGET [LIKE OTHER]): the headers that most files include, precompiled for this
# target; those of another one cost nothing, and bring its flags, which must be the same. Does nothing if
# ONNX_HIER_PRECOMPILE is off. It hides an include that is missing, which
# structure.needed_includes looks for in its stead.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # CMake's own form hides the header from ccache.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()
function(onnx_hier_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIKE" "")
  if(NOT ONNX_HIER_PRECOMPILE)
    return()
  endif()
  if(arg_LIKE AND NOT arg_LIKE STREQUAL target)
    get_target_property(options ${arg_LIKE} COMPILE_OPTIONS)
    target_compile_options(${target} PRIVATE ${options})
    target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
    return()
  endif()
  # GCC forgets which of them are the system's, in whose code it has always held its tongue.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds
                         -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cstdint> <map> <memory> <string> <utility> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/status/statusor.h>
    <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_split.h>
    <absl/types/span.h>)
endfunction()

# onnx_hier_unite(TARGET [EXCEPT REGEX]): compiles its sources several at a time, those of one folder
# together, for most of the time goes into what they all include and instantiate. Does nothing if
# ONNX_HIER_UNITE is off, as it is by default: where one file changes, its neighbours are compiled too.
# Not by CMake's own unity builds: theirs have the paths of a folder in them, which ccache would see.
set(ONNX_HIER_UNIT_FILES 10)
function(onnx_hier_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "")
  if(NOT ONNX_HIER_UNITE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^/].*[.]cc$")
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  set(units "")
  foreach(source IN LISTS sources)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(definitions)
      continue()  # its own
    endif()
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR number "0${files_${folder}} / ${ONNX_HIER_UNIT_FILES}")
    math(EXPR files_${folder} "0${files_${folder}} + 1")
    list(APPEND units ${folder}_${number})
    string(APPEND text_${folder}_${number} "#include \"${path}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/united_${target}/${unit}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${unit}}" @ONLY)
    # What no node waits for is small rather than fast, in a program that is downloaded more of it.
    if((EMSCRIPTEN AND unit MATCHES "^lib_(api|audit|checkpoint|cost|edits|measure|numerics|parts|profile|relate|shapes|show|tags|tasks|tree)_")
       OR (CMAKE_BUILD_TYPE STREQUAL "Release" AND unit MATCHES "^tools_|^lib_(api|checkpoint|cost|measure|numerics|parts|relate|show|tasks)_"))
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -Os SKIP_PRECOMPILE_HEADERS ON)
    elseif(CMAKE_BUILD_TYPE STREQUAL "Release"
           AND unit MATCHES "^lib_(audit|profile|shapes|tree)_")
      # What -O3 adds is a tenth of the code, for what is asked of a model once.
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
    endif()
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()
