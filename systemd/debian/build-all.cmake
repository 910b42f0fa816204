# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# CPack installs what has been built, with Ninja, and knows nothing of what has not: a tree in which
# only some targets were built, as by examples/demo, is built to the end first. The packages of another
# architecture would have this machine's name in them, and depend on nothing: dpkg knows the libraries
# of this one alone.
if(cross)
  message(FATAL_ERROR "Packages are made by the same command on a machine of their architecture, or in an "
    "emulated one (CONTRIBUTING.md, \"A release\"), not by a cross-build")
endif()
message(STATUS "Building what the packages contain: cmake --build ${build}")
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} RESULT_VARIABLE failed OUTPUT_VARIABLE text
  ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "${text}\nThe packages need a complete build: cmake --build ${build}")
endif()
