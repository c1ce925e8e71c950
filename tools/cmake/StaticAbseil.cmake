# SPDX-License-Identifier: Apache-2.0

# use_abseil_archives([<result>])
#
# Points every imported absl:: target of this folder to its archive (libabsl_x.a) instead of its
# shared library: Debian installs both, but its CMake files know only the latter. Sets <result> to
# the archives that are missing; then no target has been changed.
function(use_abseil_archives result)
  get_directory_property(targets DIRECTORY ${PROJECT_SOURCE_DIR} IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^absl::")

  set(missing "")
  set(archives "")
  set(libraries "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "SHARED_LIBRARY")
      continue()
    endif()
    get_target_property(location ${target} LOCATION)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive ${location})
    list(APPEND libraries ${target})
    list(APPEND archives ${archive})
    if(NOT EXISTS ${archive})
      list(APPEND missing ${archive})
    endif()
  endforeach()

  if(NOT missing)
    foreach(target archive IN ZIP_LISTS libraries archives)
      get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
      foreach(configuration IN LISTS configurations)
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${archive})
      endforeach()
    endforeach()
  endif()
  set(${result} ${missing} PARENT_SCOPE)
endfunction()

# list_abseil_libraries(<result>): the shared library of each imported absl:: target of this folder,
# whether or not the target was pointed to its archive.
function(list_abseil_libraries result)
  get_directory_property(targets DIRECTORY ${PROJECT_SOURCE_DIR} IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^absl::")

  set(libraries "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      get_target_property(location ${target} LOCATION)
      string(REGEX REPLACE "\\.a$" ".so" library ${location})
      list(APPEND libraries ${library})
    endif()
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# make_abseil_archives(<sources> <libraries>): the target abseil_archives, which builds Abseil from
# sources as archives that may go into a shared object; the shared libraries in <libraries> become
# these.
function(make_abseil_archives sources libraries)
  set(prefix ${PROJECT_BINARY_DIR}/abseil)
  set(archives "")
  foreach(library IN LISTS ${libraries})
    cmake_path(GET library FILENAME name)
    string(REGEX REPLACE "[.]so[.0-9]*$" ".a" name ${name})
    list(APPEND archives ${prefix}/lib/${name})
  endforeach()
  include(ExternalProject)
  ExternalProject_Add(abseil_archives
    PREFIX ${prefix}
    SOURCE_DIR ${sources}
    CMAKE_ARGS -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_INSTALL_LIBDIR=lib
               -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}
               -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
               -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
               -DCMAKE_CXX_STANDARD=17 -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON
               -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DABSL_PROPAGATE_CXX_STD=ON
    LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON
    BUILD_BYPRODUCTS ${archives})
  set(${libraries} ${archives} PARENT_SCOPE)
endfunction()
