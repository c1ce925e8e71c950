# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` puts where, and what makes it found again: find_package(onnx_hier) and
# pkg-config onnx_hier; with the program, onnx_hier_tag() for builds of models. tests/install builds an
# outside project in both ways. The components are those of which Package.cmake makes a package each.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onnx_hier)

install(TARGETS onnx_hier EXPORT onnx_hier-targets
        ARCHIVE COMPONENT development
        FILE_SET HEADERS COMPONENT development)
install(EXPORT onnx_hier-targets NAMESPACE onnx_hier:: DESTINATION ${package_dir}
        COMPONENT development)

configure_package_config_file(
  tools/cmake/onnx_hier-config.cmake.in ${PROJECT_BINARY_DIR}/onnx_hier-config.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/onnx_hier-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onnx_hier-config.cmake
              ${PROJECT_BINARY_DIR}/onnx_hier-config-version.cmake
              tools/cmake/onnx_hier_tag.cmake
        DESTINATION ${package_dir} COMPONENT development)

if(ONNX_HIER_BUILD_C)
  install(TARGETS onnx_hier_c LIBRARY COMPONENT c FILE_SET HEADERS COMPONENT c)
endif()

# The way from the .pc file to the prefix, so that an installed tree may be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
           BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pc_dir} OUTPUT_VARIABLE pc_to_prefix)
configure_file(tools/cmake/onnx_hier.pc.in ${PROJECT_BINARY_DIR}/onnx_hier.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onnx_hier.pc DESTINATION ${pc_dir} COMPONENT development)

file(GLOB schemas CONFIGURE_DEPENDS schemas/*.schema.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/onnx-hier/schemas COMPONENT program)
# Licences of what is inside the program ask to go with it.
install(FILES LICENSE README.md CHANGELOG.md tools/package/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

if(ONNX_HIER_BUILD_TOOL)
  install(TARGETS onnx-hier RUNTIME COMPONENT program)
  install(FILES ${ONNX_HIER_SBOM} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(FILES ${ONNX_HIER_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  # Where each shell looks.
  install(FILES ${ONNX_HIER_COMPLETIONS}.bash RENAME onnx-hier
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${ONNX_HIER_COMPLETIONS}.zsh RENAME _onnx-hier
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
  install(FILES ${ONNX_HIER_COMPLETIONS}.fish RENAME onnx-hier.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()
if(TARGET onnx-hier-verify)
  install(TARGETS onnx-hier-verify RUNTIME COMPONENT verify)
  install(FILES ${ONNX_HIER_VERIFY_MAN_PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT verify)
endif()
