# SPDX-License-Identifier: Apache-2.0

# The time that files are dated with which tell one: SOURCE_DATE_EPOCH, else that of the commit where
# the sources are a checkout of their own. Without either it is the time of the build.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  find_package(Git QUIET)
  if(Git_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%ct
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(committed)
      # string(TIMESTAMP) reads it, too.
      set(ENV{SOURCE_DATE_EPOCH} ${committed})
    endif()
  endif()
endif()
