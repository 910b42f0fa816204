# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Everything that is needed to build a program with libdoca-client, installed and, with the same
# names, in the build tree: lib/ has the library, pkgconfig/ and cmake/, include/ the headers.
include(CMakePackageConfigHelpers)

install(TARGETS doca-client EXPORT doca-client-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libdoca-client2
  NAMELINK_COMPONENT libdoca-client-dev)
# Everything below is for people who build programs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME libdoca-client-dev)
# DOCA's own library names, for build files that name them; comch is comm_channel in later
# releases.
set(doca_libraries common dma rdma sha compress erasure_coding comm_channel comch argp)
set(doca_3_libraries common argp dma rdma comch cc comm_channel sha aes_gcm compress erasure_coding)
set(doca_all_libraries ${doca_libraries} ${doca_3_libraries})
list(REMOVE_DUPLICATES doca_all_libraries)
foreach(library ${doca_all_libraries})
  set(link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libdoca_${library}.so)
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  file(CREATE_LINK libdoca-client.so ${link} SYMBOLIC)
  install(FILES ${link}
    DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/generations.cmake)

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

# The same by generation and library: find_package(docad COMPONENTS 3), doca::3::dma.
set(docad_components "${DOCAD_GENERATIONS}")
set(docad_libraries "${doca_libraries}")
set(docad_libraries_3 "${doca_3_libraries}")
set(docad_libraries_2_5 "${doca_3_libraries}")
list(REMOVE_ITEM docad_libraries_2_5 comch)
set(docad_dir ${CMAKE_INSTALL_LIBDIR}/cmake/docad)
set(docad_build_dir ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/docad)
set(docad_include ${CMAKE_INSTALL_INCLUDEDIR})
set(docad_other ${CMAKE_INSTALL_INCLUDEDIR}/docad)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/docad-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/package/docad-config.cmake
  INSTALL_DESTINATION ${docad_dir} PATH_VARS docad_include docad_other NO_SET_AND_CHECK_MACRO)
set(docad_include include)
set(docad_other include)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/docad-config.cmake.in
  ${docad_build_dir}/docad-config.cmake INSTALL_PREFIX ${PROJECT_BINARY_DIR}
  INSTALL_DESTINATION ${docad_build_dir} PATH_VARS docad_include docad_other NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${docad_build_dir}/docad-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/docad-config.cmake
  ${docad_build_dir}/docad-config-version.cmake DESTINATION ${docad_dir})

install(EXPORT doca-client-targets NAMESPACE doca-client:: DESTINATION ${package_dir})
export(EXPORT doca-client-targets NAMESPACE doca-client::
  FILE ${package_build_dir}/doca-client-targets.cmake)

# ---- reference -----------------------------------------------------------------------

# The reference is made from the headers' comments. It is left out without Python.
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

  # And a manual page for each function, type and header.
  set(function_pages ${CMAKE_CURRENT_BINARY_DIR}/function-pages)
  set(make_function_pages ${CMAKE_CURRENT_LIST_DIR}/package/make-function-pages)
  add_custom_command(OUTPUT ${function_pages}/doca_mmap_create.3
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${function_pages}
    COMMAND ${Python3_EXECUTABLE} ${make_function_pages} ${CMAKE_CURRENT_LIST_DIR}/include
      ${PROJECT_VERSION} ${DOCAD_RELEASED} ${function_pages}
    DEPENDS ${make_function_pages} ${CMAKE_CURRENT_LIST_DIR}/package/make-type-pages ${make_reference}
      ${headers} VERBATIM)
  add_custom_target(function-pages ALL DEPENDS ${function_pages}/doca_mmap_create.3)
  install(DIRECTORY ${function_pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
endif()
