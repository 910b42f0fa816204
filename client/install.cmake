# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# What a program needs to be built with libdoca-client, installed and, with the same
# names, in the build tree: lib/ has the library, pkgconfig/ and cmake/.
include(CMakePackageConfigHelpers)

install(TARGETS doca-client EXPORT doca-client-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libdoca-client2
  NAMELINK_COMPONENT libdoca-client-dev)
# All that follows is for those who build programs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME libdoca-client-dev)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "doca_*.h")

# DOCA's own library names, for build files that name them.
set(doca_libraries common dma rdma sha comm_channel argp)
foreach(library ${doca_libraries})
  set(link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libdoca_${library}.so)
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  file(CREATE_LINK libdoca-client.so ${link} SYMBOLIC)
  install(FILES ${link}
    DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

# ---- pkg-config --------------------------------------------------------------------

# The packages with DOCA's names carry the version of its interface.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/include/doca_version.h doca_version_line
  REGEX "define DOCA_VER_STRING")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" DOCA_INTERFACE_VERSION "${doca_version_line}")

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Writes <name>.pc twice: to be installed, relative to where it will lie, and for use
# from the build tree. `below` is a folder in that of the others, or empty.
function(docad_pkgconfig_below below pc_name pc_version pc_description pc_body)
  set(dir ${pkgconfig_dir}${below})
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY
    ${CMAKE_INSTALL_PREFIX}/${dir} OUTPUT_VARIABLE to_lib)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY
    ${CMAKE_INSTALL_PREFIX}/${dir} OUTPUT_VARIABLE to_include)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
    ${CMAKE_INSTALL_PREFIX}/${dir} OUTPUT_VARIABLE to_prefix)
  set(template ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/package/doca.pc.in)

  set(pc_prefix "\${pcfiledir}/${to_prefix}")
  set(pc_libdir "\${pcfiledir}/${to_lib}")
  set(pc_includedir "\${pcfiledir}/${to_include}")
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/package${below}/${pc_name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package${below}/${pc_name}.pc DESTINATION ${dir})

  cmake_path(RELATIVE_PATH CMAKE_LIBRARY_OUTPUT_DIRECTORY BASE_DIRECTORY
    ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pkgconfig${below} OUTPUT_VARIABLE to_lib)
  set(pc_prefix "\${pcfiledir}/${to_lib}/..")
  set(pc_libdir "\${pcfiledir}/${to_lib}")
  set(pc_includedir "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/include")
  configure_file(${template}
    ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pkgconfig${below}/${pc_name}.pc @ONLY)
endfunction()

function(docad_pkgconfig)
  docad_pkgconfig_below("" ${ARGN})
endfunction()

docad_pkgconfig(doca-client ${PROJECT_VERSION} "DOCA programs without a DPU: the client of docad"
  "Libs: -L\${libdir} -ldoca-client\nCflags: -I\${includedir}")
docad_pkgconfig(doca ${DOCA_INTERFACE_VERSION} "DOCA interface, all libraries, by docad"
  "Requires: doca-client")
foreach(library ${doca_libraries})
  string(REPLACE _ - package ${library})
  docad_pkgconfig(doca-${package} ${DOCA_INTERFACE_VERSION} "DOCA interface, ${library}, by docad"
    "Requires: doca-client")
endforeach()
# As later releases name it.
docad_pkgconfig(doca-comch ${DOCA_INTERFACE_VERSION} "DOCA interface, comm_channel, by docad"
  "Requires: doca-client")

# The same names once more, for programs of DOCA 1.2 to 1.4. Each is complete: nothing else
# need be in PKG_CONFIG_PATH.
set(doca_1_3_flags "-DDOCA_USE_VERSION=13 -I\${includedir}")
foreach(package doca-common doca-dma doca-argp doca-comm-channel)
  docad_pkgconfig_below(/doca-1.3 ${package} 1.3.0 "DOCA 1.3 interface, by docad"
    "Libs: -L\${libdir} -ldoca-client\nCflags: ${doca_1_3_flags}")
endforeach()

# ---- CMake package -------------------------------------------------------------------

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/doca-client)
set(package_build_dir ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/doca-client)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/doca-client-config.cmake.in
  ${package_build_dir}/doca-client-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${package_build_dir}/doca-client-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${package_build_dir}/doca-client-config.cmake
  ${package_build_dir}/doca-client-config-version.cmake
  DESTINATION ${package_dir})
install(EXPORT doca-client-targets NAMESPACE doca-client:: DESTINATION ${package_dir})
export(EXPORT doca-client-targets NAMESPACE doca-client::
  FILE ${package_build_dir}/doca-client-targets.cmake)

# ---- reference -----------------------------------------------------------------------

# Of the headers' comments. Without Python there is none.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(reference ${CMAKE_CURRENT_BINARY_DIR}/reference)
  set(make_reference ${CMAKE_CURRENT_LIST_DIR}/package/make-reference)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/include/*.h)
  add_custom_command(OUTPUT ${reference}/index.html
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
    COMMAND ${Python3_EXECUTABLE} ${make_reference} ${CMAKE_CURRENT_LIST_DIR}/include
      ${PROJECT_VERSION} ${reference}
    DEPENDS ${make_reference} ${headers} VERBATIM)
  add_custom_target(reference ALL DEPENDS ${reference}/index.html)
  install(DIRECTORY ${reference}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libdoca-client-dev/html)
endif()
