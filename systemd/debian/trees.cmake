# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# A machine needs one of the vendor's trees, if any. Their packages are made by another run of cpack, in
# packages/trees/, so that `apt install ./packages/*.deb` installs none.
get_filename_component(build "${CPACK_OUTPUT_FILE_PREFIX}" DIRECTORY)
get_filename_component(programs "${CMAKE_COMMAND}" DIRECTORY)
execute_process(COMMAND "${programs}/cpack" -G DEB --config "${build}/CPackTrees.cmake"
  WORKING_DIRECTORY "${build}" OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${text}")
endif()
