# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Debian packages, from a build tree: `cpack -G DEB` puts them into packages/ there, and those of the
# vendor's trees into packages/trees/.
#
#   docad               the daemon, docactl, units, configuration, manual pages
#   libdoca-client2     the library
#   libdoca-client-dev  headers, pkg-config, CMake, documentation
#   docad-standins      names of libraries that docad does not have
#   docad-tools         doca-perftest, docad-run
#   docad-exporter      metrics over HTTP
#   docad-examples      sources of programs, and a Makefile
#   doca-tree-<generation>  /opt/mellanox/doca for one generation of DOCA
#
# Files that no install rule assigns to a package belong to docad.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME docad)

# Whoever builds packages maintains them: $DEBFULLNAME and $DEBEMAIL, as for Debian's own tools.
set(maintainer "the docad authors <docad@docad.invalid>")
if(DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(DOCAD_PACKAGE_MAINTAINER "${maintainer}" CACHE STRING
  "Whom the packages name as their maintainer")
# client/generations.cmake defines the generations of DOCA.
set(DOCAD_GENERATIONS 1.3 1.5 2.2 2.5 2.6 3)
set(docad_packages docad libdoca-client2 libdoca-client-dev docad-standins docad-tools docad-examples)
if(MICROHTTPD_FOUND)
  list(APPEND docad_packages docad-exporter)
endif()
set(trees "")
foreach(generation IN LISTS DOCAD_GENERATIONS)
  list(APPEND trees doca-tree-${generation})
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
foreach(package IN LISTS docad_packages trees)
  install(FILES ${made}/copyright ${made}/changelog DESTINATION share/doc/${package}
    COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()

# README and the rules of security come with the daemon.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION share/doc/docad COMPONENT docad)

# ---- the symbols of the library, from its map ------------------------------------------------

# For each the first release that had it: what programs need the package for. All are of the first.
file(STRINGS ${PROJECT_SOURCE_DIR}/client/libdoca-client.map lines)
set(symbols "libdoca-client.so.2 libdoca-client2 #MINVER#\n* Build-Depends-Package: libdoca-client-dev\n")
foreach(line IN LISTS lines)
  if(line MATCHES "^(DOCAD?_[0-9.]+) {")
    set(version ${CMAKE_MATCH_1})
    string(APPEND symbols " ${version}@${version} 0.1.0\n")
  elseif(line MATCHES "^ +(doca_[a-z0-9_]+|docad_[a-z0-9_]+)")
    string(APPEND symbols " ${CMAKE_MATCH_1}@${version} 0.1.0\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${made}/libdoca-client2/symbols CONTENT "${symbols}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/client/libdoca-client.map)

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
# Installs to a directory of its own as if to /usr: install rules see the final places.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/finish.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${debian}/debug-sums.cmake ${debian}/trees.cmake)
# CPack keeps no quotation marks of it: a tree whose path has blanks is built before.
if(NOT PROJECT_BINARY_DIR MATCHES " " AND NOT debian MATCHES " ")
  set(CPACK_INSTALL_COMMANDS "${CMAKE_COMMAND} -Dbuild=${PROJECT_BINARY_DIR} -Dcross=${CMAKE_CROSSCOMPILING} -P ${debian}/build-all.cmake")
endif()

set(CPACK_COMPONENTS_ALL ${docad_packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

# docad_package(<name> SECTION <section> DESCRIPTION <line> <text> [DEPENDS ...] [ALL]
#   [NO_BINARIES] [MULTI_ARCH <foreign or same>]
#   [CONTROL <files in CONTROL_DIR, which has the package's name by default>...])
# ALL: it is the same on each architecture. NO_BINARIES: CPack need not look for them; it starts two
# programs to look at one file, and there are a thousand pages of functions.
macro(docad_package name)
  cmake_parse_arguments(arg "ALL;NO_BINARIES" "SECTION;CONTROL_DIR;MULTI_ARCH" "DESCRIPTION;DEPENDS;CONTROL" ${ARGN})
  if(NOT arg_CONTROL_DIR)
    set(arg_CONTROL_DIR ${debian}/${name})
  endif()
  string(TOUPPER ${name} NAME)
  list(GET arg_DESCRIPTION 0 line)
  list(GET arg_DESCRIPTION 1 text)
  list(JOIN arg_DEPENDS ", " depends)
  foreach(control IN LISTS arg_CONTROL)
    if(NOT IS_ABSOLUTE ${control})
      list(TRANSFORM arg_CONTROL REPLACE "^${control}$" ${arg_CONTROL_DIR}/${control})
    endif()
  endforeach()
  # CPack before 3.31 knows no variable for this field; the one before it in the file may have two
  # lines.
  set(CPACK_DEBIAN_${NAME}_PACKAGE_PRIORITY optional)
  if(arg_MULTI_ARCH)
    set(CPACK_DEBIAN_${NAME}_PACKAGE_PRIORITY "optional\nMulti-Arch: ${arg_MULTI_ARCH}")
  endif()
  if(arg_ALL)
    set(CPACK_DEBIAN_${NAME}_PACKAGE_ARCHITECTURE all)
  endif()
  if(NOT arg_ALL AND NOT arg_NO_BINARIES)
    set(CPACK_DEBIAN_${NAME}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${NAME}_DEBUGINFO_PACKAGE ON) # strips, and makes docad-dbgsym and others
  endif()
  set(CPACK_DEBIAN_${NAME}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${NAME}_PACKAGE_SECTION ${arg_SECTION})
  set(CPACK_DEBIAN_${NAME}_DESCRIPTION "${line}\n${text}")
  set(CPACK_DEBIAN_${NAME}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${NAME}_PACKAGE_CONTROL_EXTRA "${arg_CONTROL}")
endmacro()

set(same "(= ${PROJECT_VERSION})")
# Libraries of two architectures lie beside each other only in directories of their own.
set(beside "")
if(CMAKE_INSTALL_LIBDIR MATCHES "/")
  set(beside MULTI_ARCH same)
endif()
docad_package(docad SECTION net MULTI_ARCH foreign
  DEPENDS "passwd | systemd" "init-system-helpers (>= 1.54)" # a container has no systemd
  CONTROL postinst prerm postrm conffiles
  DESCRIPTION "node daemon for DOCA programs without a DPU"
  "docad owns a node's devices and the memory that programs register, and brokers
export descriptors between a host and a DPU, on one machine or two. Programs of
the DOCA interface run against it without a card.
.
This package has the daemon, its systemd units, and docactl, which shows and
changes what it does.")
set(CPACK_DEBIAN_DOCAD_PACKAGE_RECOMMENDS "libdoca-client2 ${same}") # docactl caps loads it
docad_package(libdoca-client2 SECTION libs ${beside}
  CONTROL triggers shlibs ${made}/libdoca-client2/symbols
  DESCRIPTION "DOCA interface for machines without a DPU"
  "The library that gives programs the DOCA interface, of 1.3 to 3: devices,
memory maps, DMA, RDMA, SHA, sync events, graphs, Comm Channel. It talks to
docad.")
docad_package(libdoca-client-dev SECTION libdevel NO_BINARIES ${beside}
  DEPENDS "libdoca-client2 ${same}" librdmacm-dev
  DESCRIPTION "DOCA interface for machines without a DPU (development files)"
  "Headers of the DOCA 1.3, 1.5, 2.2, 2.5, 2.6 and 3 interfaces, files for
pkg-config and CMake, and the reference of all functions.")
docad_package(docad-standins SECTION libdevel NO_BINARIES
  DEPENDS "libdoca-client-dev ${same}"
  DESCRIPTION "stand-ins for DOCA libraries that docad does not have"
  "Package files, headers and names for the linker of doca-flow, doca-telemetry,
doca-apsh, doca-dpi, doca-regex, doca-ipsec and others: programs that only name
one configure, compile and link. The functions fail, and say that they do.")
docad_package(docad-tools SECTION net MULTI_ARCH foreign
  DEPENDS "docad ${same}" "libdoca-client2 ${same}"
  DESCRIPTION "measurements for docad"
  "doca-perftest measures what programs get from docad: the latency, rate and
bandwidth of DMA, RDMA and other jobs, also beside other tools. docad-run
starts executables that were built with the vendor's SDK, and pairs of programs
on nodes of their own. Two programs are there for docactl demo.")
docad_package(docad-exporter SECTION net MULTI_ARCH foreign
  DEPENDS "docad ${same}" "init-system-helpers (>= 1.54)"
  CONTROL postinst prerm postrm
  DESCRIPTION "metrics of docad over HTTP, for Prometheus"
  "docad-exporter serves the metrics of all daemons of a machine, in the formats
of OpenMetrics and Prometheus. It listens once docad-exporter.socket is
enabled.")
docad_package(docad-examples SECTION doc ALL MULTI_ARCH foreign
  DESCRIPTION "programs of the DOCA interface to read and run first"
  "Sources of small programs that copy by DMA, connect by RDMA and Comm Channel,
share sync events and compute hashes, for each generation of DOCA; a Makefile
that builds them against libdoca-client-dev, and recipes that test programs in
CI.")
set(CPACK_DEBIAN_DOCAD-EXAMPLES_PACKAGE_RECOMMENDS # what the Makefile needs
  "libdoca-client-dev ${same}, gcc, g++, libjson-c-dev, libssl-dev, make, pkg-config")
foreach(generation IN LISTS DOCAD_GENERATIONS)
  # 30 for DOCA 3: the latest generation that is installed is the one that leads.
  string(REPLACE "." "" priority ${generation})
  if(priority LESS 10)
    string(APPEND priority 0)
  endif()
  foreach(script postinst prerm)
    configure_file(${debian}/doca-tree/${script}.in ${made}/doca-tree-${generation}/${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
        WORLD_READ WORLD_EXECUTE)
  endforeach()
  docad_package(doca-tree-${generation} SECTION libdevel ALL MULTI_ARCH foreign
    DEPENDS "libdoca-client-dev ${same}"
    CONTROL_DIR ${made}/doca-tree-${generation} CONTROL postinst prerm
    DESCRIPTION "DOCA ${generation} at /opt/mellanox/doca, without a DPU"
    "Lays out the directories that build files of published DOCA programs name, for
programs of DOCA ${generation}. update-alternatives --config doca chooses among
the generations that are installed. It is a dependency package, whose scripts
make the directories.")
endforeach()
configure_file(${debian}/trees.cmake.in ${PROJECT_BINARY_DIR}/CPackTrees.cmake @ONLY)
include(CPack)
