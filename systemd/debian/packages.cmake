# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Debian packages, from a build tree: `cpack -G DEB` puts them into packages/ there.
#
#   docad               the daemon, docactl, units, configuration, manual pages
#   libdoca-client2     the library
#   libdoca-client-dev  headers, pkg-config, CMake, documentation
#   docad-tools         doca-perftest
#   doca-tree-<generation>  /opt/mellanox/doca for one generation of DOCA
#
# Files that no install rule assigns to a package belong to docad.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME docad)

set(DOCAD_PACKAGE_MAINTAINER "the docad authors <docad@docad.invalid>" CACHE STRING
  "Whom the packages name as their maintainer")
# client/generations.cmake defines the generations of DOCA.
set(DOCAD_GENERATIONS 1.3 1.5 2.2 3)
set(docad_packages docad libdoca-client2 libdoca-client-dev docad-tools)
foreach(generation IN LISTS DOCAD_GENERATIONS)
  list(APPEND docad_packages doca-tree-${generation})
endforeach()
set(debian ${CMAKE_CURRENT_LIST_DIR})
set(made ${PROJECT_BINARY_DIR}/systemd/debian)

# ---- what every package has: copyright and changelog -------------------------------------

file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^BSD 3-Clause License\n\nCopyright[^\n]*\n\n" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" license "\n${license}")
file(CONFIGURE OUTPUT ${made}/copyright CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: docad

Files: *
Copyright: 2026 the docad authors
License: BSD-3-clause@license@" @ONLY)
configure_file(${debian}/changelog.in ${made}/changelog @ONLY)
foreach(package IN LISTS docad_packages)
  install(FILES ${made}/copyright ${made}/changelog DESTINATION share/doc/${package}
    COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()

# The day of the release, for manual pages, comes from the changelog, so that a build at another
# time makes the same files.
file(STRINGS ${debian}/changelog.in signed REGEX "^ -- " LIMIT_COUNT 1)
set(months Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)
if(NOT signed MATCHES ", ([0-9][0-9]) ([A-Z][a-z][a-z]) ([0-9]+) ")
  message(FATAL_ERROR "systemd/debian/changelog.in: the release has no date: ${signed}")
endif()
list(FIND months ${CMAKE_MATCH_2} month)
math(EXPR month "${month} + 101")
string(SUBSTRING ${month} 1 2 month)
set(DOCAD_RELEASED ${CMAKE_MATCH_3}-${month}-${CMAKE_MATCH_1})

# ---- the packages --------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME docad)
set(CPACK_PACKAGE_VENDOR "the docad authors")
set(CPACK_PACKAGE_CONTACT "${DOCAD_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
# Installs to a directory of its own as if to /usr: install rules see the final places.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/finish.cmake)

set(CPACK_COMPONENTS_ALL ${docad_packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

# docad_package(<name> SECTION <section> DESCRIPTION <line> <text> [DEPENDS ...]
#   [CONTROL <files in CONTROL_DIR, which has the package's name by default>...])
macro(docad_package name)
  cmake_parse_arguments(arg "" "SECTION;CONTROL_DIR" "DESCRIPTION;DEPENDS;CONTROL" ${ARGN})
  if(NOT arg_CONTROL_DIR)
    set(arg_CONTROL_DIR ${debian}/${name})
  endif()
  string(TOUPPER ${name} NAME)
  list(GET arg_DESCRIPTION 0 line)
  list(GET arg_DESCRIPTION 1 text)
  list(JOIN arg_DEPENDS ", " depends)
  list(TRANSFORM arg_CONTROL PREPEND ${arg_CONTROL_DIR}/)
  set(CPACK_DEBIAN_${NAME}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${NAME}_PACKAGE_SECTION ${arg_SECTION})
  set(CPACK_DEBIAN_${NAME}_DESCRIPTION "${line}\n${text}")
  set(CPACK_DEBIAN_${NAME}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${NAME}_PACKAGE_CONTROL_EXTRA "${arg_CONTROL}")
endmacro()

set(same "(= ${PROJECT_VERSION})")
docad_package(docad SECTION net
  DEPENDS systemd "init-system-helpers (>= 1.54)"
  CONTROL postinst prerm postrm conffiles
  DESCRIPTION "node daemon for DOCA programs without a DPU"
  "docad owns a node's devices and the memory that programs register, and brokers
export descriptors between a host and a DPU, on one machine or two. Programs of
the DOCA interface run against it without a card.
.
This package has the daemon, its systemd units, and docactl, which shows and
changes what it does.")
docad_package(libdoca-client2 SECTION libs
  CONTROL triggers shlibs
  DESCRIPTION "DOCA interface for machines without a DPU"
  "The library that gives programs the DOCA 2.2 (and 1.3) interface: devices,
memory maps, DMA, RDMA, SHA, sync events, graphs, Comm Channel. It talks to
docad.")
docad_package(libdoca-client-dev SECTION libdevel
  DEPENDS "libdoca-client2 ${same}" librdmacm-dev
  DESCRIPTION "DOCA interface for machines without a DPU (development files)"
  "Headers of the DOCA 2.2, 1.3 and 3 interfaces, pkg-config and CMake files, and the
reference of all functions.")
docad_package(docad-tools SECTION net
  DEPENDS "libdoca-client2 ${same}"
  DESCRIPTION "measurements for docad"
  "doca-perftest measures what programs get from docad: the latency, rate and
bandwidth of DMA, RDMA and other jobs, also beside other tools.")
foreach(generation IN LISTS DOCAD_GENERATIONS)
  string(REPLACE "." "" priority ${generation})
  foreach(script postinst prerm)
    configure_file(${debian}/doca-tree/${script}.in ${made}/doca-tree-${generation}/${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
        WORLD_READ WORLD_EXECUTE)
  endforeach()
  docad_package(doca-tree-${generation} SECTION libdevel
    DEPENDS "libdoca-client-dev ${same}"
    CONTROL_DIR ${made}/doca-tree-${generation} CONTROL postinst prerm
    DESCRIPTION "DOCA ${generation} at /opt/mellanox/doca, without a DPU"
    "Lays out the directories that build files of published DOCA programs name, for
programs of DOCA ${generation}. update-alternatives --config doca chooses among the
generations that are installed.")
endforeach()
include(CPack)
