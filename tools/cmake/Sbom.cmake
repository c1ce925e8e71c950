# SPDX-License-Identifier: Apache-2.0

# write_sbom(FILE STATIC): what is inside the program, as SPDX 2.3 has it (tests/package/sbom.py holds the
# file to that). STATIC tells whether libraries are inside, or are only asked for at its start.
# Uses what BuildFacts.cmake found. Of two builds of the same sources by the same tools it is the same.

include(${PROJECT_SOURCE_DIR}/tools/cmake/SourceDate.cmake)

# The version of what the compiler's headers come from, out of their macros.
function(find_macros)
  get_target_property(folders absl::base INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM folders PREPEND -I)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${folders} -E -dM -include absl/base/config.h
                          -include cstddef -x c++ /dev/null
                  OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
  foreach(name IN ITEMS ABSL_LTS_RELEASE_VERSION ABSL_LTS_RELEASE_PATCH_LEVEL __GLIBC__
                        __GLIBC_MINOR__ _GLIBCXX_RELEASE)
    if(macros MATCHES "#define ${name} ([0-9]+)")
      set(${name} ${CMAKE_MATCH_1} PARENT_SCOPE)
    else()
      set(${name} unknown PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Adds a part to `packages` and `relations`: sbom_part(NAME VERSION LICENSE RELATION [PACKAGE]). By the
# source of the Debian package that holds it, scanners know of defects that were mended in it.
function(sbom_part name version license relation)
  set(reference "")
  if(ARGC GREATER 4)
    execute_process(COMMAND dpkg-query -W -f "\${source:Package}@\${source:Version}\n" ${ARGV4}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE source ERROR_QUIET)
    if(NOT failed)
      # One line for each architecture.
      string(REGEX REPLACE "\n.*" "" source "${source}")
      string(REPLACE "+" "%2B" source "${source}")
      string(REPLACE ":" "%3A" source "${source}")
      set(reference ",
      \"externalRefs\": [{
        \"referenceCategory\": \"PACKAGE-MANAGER\",
        \"referenceType\": \"purl\",
        \"referenceLocator\": \"pkg:deb/debian/${source}?arch=source\"}]")
    endif()
  endif()
  string(APPEND packages ",
    {
      \"SPDXID\": \"SPDXRef-${name}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${license}\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\"${reference}
    }")
  string(APPEND relations ",
    {\"spdxElementId\": \"SPDXRef-onnx-hier\", \"relationshipType\": \"${relation}\",
     \"relatedSpdxElement\": \"SPDXRef-${name}\"}")
  set(packages ${packages} PARENT_SCOPE)
  set(relations ${relations} PARENT_SCOPE)
endfunction()

function(write_sbom file static)
  find_macros()
  set(abseil ${ABSL_LTS_RELEASE_VERSION}.${ABSL_LTS_RELEASE_PATCH_LEVEL})
  set(glibc ${__GLIBC__}.${__GLIBC_MINOR__})
  set(link DYNAMIC_LINK)
  if(static)
    set(link STATIC_LINK)
  endif()
  set(glibc_package libc6-dev)
  set(libstdcxx_package libstdc++-${_GLIBCXX_RELEASE}-dev)
  if(CMAKE_CROSSCOMPILING)
    # These are of packages for cross compilers, whose sources have numbers of their own.
    set(glibc_package "")
    set(libstdcxx_package "")
  endif()

  set(packages "")
  set(relations "")
  sbom_part(abseil ${abseil} Apache-2.0 ${link} libabsl-dev)
  sbom_part(cxxopts ${cxxopts_VERSION} MIT CONTAINS libcxxopts-dev)
  sbom_part(nlohmann-json ${nlohmann_json_VERSION} MIT CONTAINS nlohmann-json3-dev)
  sbom_part(zlib ${ZLIB_VERSION_STRING} Zlib CONTAINS zlib1g-dev)
  sbom_part(glibc ${glibc} LGPL-2.1-or-later ${link} ${glibc_package})
  sbom_part(libstdcxx ${_GLIBCXX_RELEASE} "GPL-3.0-or-later WITH GCC-exception-3.1" ${link}
            ${libstdcxx_package})

  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  # Another document if anything in it differs.
  string(UUID id NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 TYPE SHA1
         NAME "${PROJECT_VERSION} ${revision} ${CMAKE_SYSTEM_PROCESSOR} ${created}${packages}${relations}")
  set(text "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"onnx-hier-${PROJECT_VERSION}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/onnx-hier-${PROJECT_VERSION}-${id}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: CMake-${CMAKE_VERSION}\"]},
  \"packages\": [
    {
      \"SPDXID\": \"SPDXRef-onnx-hier\",
      \"name\": \"onnx-hier\",
      \"versionInfo\": \"${PROJECT_VERSION}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"Apache-2.0\",
      \"licenseDeclared\": \"Apache-2.0\",
      \"copyrightText\": \"NOASSERTION\",
      \"comment\": \"Program for ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}, revision ${revision}, by ${compiler}\"
    }${packages}
  ],
  \"relationships\": [
    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\",
     \"relatedSpdxElement\": \"SPDXRef-onnx-hier\"}${relations}
  ]
}
")
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()
