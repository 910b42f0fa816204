# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# The generations of the DOCA interface that programs are written for. Each of them has
#
#   include/doca-<generation>/     an include directory that selects it by itself
#   pkgconfig/doca-<generation>/   package files that name this directory, and nothing else
#
# installed and, with the same names, in the build tree. The headers themselves are in
# include/docad. The sources' include/doca-<generation> has the headers of which a generation has
# a form of its own: all of them for DOCA 3, from which 2.5 and 2.6 take what they have not. An include directory has one file for each header. The file defines
# DOCA_USE_VERSION, unless the program has defined it, and includes the header.
#
# The default generation is also what include/ and pkgconfig/ give; there
# DOCA_USE_VERSION selects another.
set(docad_headers_dir ${CMAKE_CURRENT_LIST_DIR}/include)
set(docad_entry_template ${CMAKE_CURRENT_LIST_DIR}/package/entry.h.in)
set(docad_build_include ${PROJECT_BINARY_DIR}/include)
set(docad_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The names of pkg-config packages that build files of the first generations ask for, and those of
# DOCA 3.
set(docad_generation_packages doca doca-libs)
foreach(library ${doca_libraries})
  string(REPLACE _ - library ${library})
  list(APPEND docad_generation_packages doca-${library})
endforeach()
set(docad_generation_3_packages doca) # all that DOCA 2.5 has
foreach(library ${doca_3_libraries})
  string(REPLACE _ - library ${library})
  list(APPEND docad_generation_3_packages doca-${library})
endforeach()
set(docad_generation_2.5_packages ${docad_generation_3_packages})
list(REMOVE_ITEM docad_generation_2.5_packages doca-comch)

install(DIRECTORY ${docad_headers_dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/docad
  FILES_MATCHING PATTERN "doca_*.h")
file(MAKE_DIRECTORY ${docad_build_include})
file(CREATE_LINK ${docad_headers_dir} ${docad_build_include}/docad SYMBOLIC)

# Writes the include directory `below` ("" or /doca-<generation>): one file for each header that
# the first generations share, except those in `without`, and one for each of the others that are
# named, by their paths in the sources' directory of headers.
# `select` is what DOCA_USE_VERSION becomes, or empty.
function(docad_include_directory below select without)
  file(GLOB shared CONFIGURE_DEPENDS RELATIVE ${docad_headers_dir} ${docad_headers_dir}/doca_*.h)
  if(without)
    list(REMOVE_ITEM shared ${without})
  endif()
  set(up "")
  set(selection "")
  if(below)
    set(up "../")
    set(selection "#ifndef DOCA_USE_VERSION\n#define DOCA_USE_VERSION ${select}\n#endif\n")
    if(select GREATER_EQUAL 25)
      string(APPEND selection "#define DOCAD_HEADERS ${select}\n") # for doca_config.h
    endif()
  endif()
  set(entries "")
  foreach(path ${shared} ${ARGN})
    set(target ${up}docad/${path})
    cmake_path(GET path FILENAME header)
    set(entry ${docad_build_include}${below}/${header})
    configure_file(${docad_entry_template} ${entry} @ONLY)
    list(APPEND entries ${entry})
  endforeach()
  install(FILES ${entries} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}${below})
endfunction()

# What a header belongs to, and which package files have it.
set(docad_releases_1.3 "1.2 to 1.4")
set(docad_releases_1.5 "1.5")
set(docad_releases_2.2 "2.0 to 2.2")
set(docad_releases_2.5 "2.5")
set(docad_releases_2.6 "2.6")
set(docad_releases_3 "2.7 to 3")

# Writes a directory that a generation's package files name last: one file for each header that only other
# generations have, which says so. A program that includes one by mistake is not left with a name that
# is not found. `own` are the headers of this generation.
function(docad_other_headers name own)
  set(releases "")
  foreach(generation IN LISTS DOCAD_GENERATIONS)
    foreach(header IN LISTS docad_headers_of_${generation})
      if(NOT header IN_LIST own)
        list(APPEND ways_${header} "pkgconfig/doca-${generation}")
        list(APPEND releases_${header} "${docad_releases_${generation}}")
        list(APPEND others ${header})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES others)
  set(entries "")
  foreach(header IN LISTS others)
    list(JOIN ways_${header} " or " ways)
    list(JOIN releases_${header} ", " releases)
    set(ways "the package files in ${ways}")
    set(entry ${docad_build_include}/other-${name}/${header})
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/package/other.h.in ${entry} @ONLY)
    list(APPEND entries ${entry})
  endforeach()
  install(FILES ${entries} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/docad/other-${name})
endfunction()

# Writes <name>.pc twice: for installation, with paths relative to its folder, and for the build
# tree.
# `below` is a subfolder of the package files' folder, or empty; `include` is the include directory.
function(docad_pkgconfig below include pc_name pc_version pc_description)
  set(template ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/package/doca.pc.in)
  set(dir ${CMAKE_INSTALL_PREFIX}/${docad_pkgconfig_dir}${below})
  foreach(what PREFIX FULL_LIBDIR FULL_INCLUDEDIR)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_${what} BASE_DIRECTORY ${dir} OUTPUT_VARIABLE to_${what})
  endforeach()
  set(pc_rpath "")
  set(pc_prefix "\${pcfiledir}/${to_PREFIX}")
  set(pc_libdir "\${pcfiledir}/${to_FULL_LIBDIR}")
  set(pc_includedir "\${pcfiledir}/${to_FULL_INCLUDEDIR}${include}")
  string(REPLACE /doca- /docad/other- other "${include}")
  set(pc_otherdir "\${pcfiledir}/${to_FULL_INCLUDEDIR}${other}")
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/package${below}/${pc_name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package${below}/${pc_name}.pc
    DESTINATION ${docad_pkgconfig_dir}${below})

  set(dir ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pkgconfig${below})
  cmake_path(RELATIVE_PATH PROJECT_BINARY_DIR BASE_DIRECTORY ${dir} OUTPUT_VARIABLE to_build)
  # Programs find the library in the build tree.
  set(pc_rpath "-Wl,-rpath,\${libdir} ")
  set(pc_prefix "\${pcfiledir}/${to_build}")
  set(pc_libdir "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  set(pc_includedir "\${pcfiledir}/${to_build}/include${include}")
  string(REPLACE /doca- /other- other "${include}")
  set(pc_otherdir "\${pcfiledir}/${to_build}/include${other}")
  configure_file(${template} ${dir}/${pc_name}.pc @ONLY)
endfunction()

# docad_generation(<name> SELECT <DOCA_USE_VERSION> VERSION <its packages'> [DEFAULT]
#   [WITHOUT <headers that it does not have>...] [FOLDERS <generation>...]
#   [PACKAGES <names of pkg-config packages>...])
# FOLDERS: it shares no header with the first generations, and has those of these include/doca-<generation>
# of the sources; of two with one name, that of the first.
# Each package file is complete: PKG_CONFIG_PATH needs no other directory.
function(docad_generation name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DEFAULT" "SELECT;VERSION" "FOLDERS;WITHOUT;PACKAGES")
  if(NOT name IN_LIST DOCAD_GENERATIONS)
    message(FATAL_ERROR "systemd/debian/packages.cmake makes no package of DOCA ${name}")
  endif()
  set(own "")
  set(own_paths "")
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB paths CONFIGURE_DEPENDS RELATIVE ${docad_headers_dir} ${docad_headers_dir}/doca-${folder}/doca_*.h)
    foreach(path IN LISTS paths)
      cmake_path(GET path FILENAME header)
      if(NOT header IN_LIST own AND NOT header IN_LIST arg_WITHOUT)
        list(APPEND own ${header})
        list(APPEND own_paths ${path})
      endif()
    endforeach()
  endforeach()
  if(arg_FOLDERS)
    file(GLOB arg_WITHOUT CONFIGURE_DEPENDS RELATIVE ${docad_headers_dir} ${docad_headers_dir}/doca_*.h)
  endif()
  if(NOT arg_PACKAGES)
    set(arg_PACKAGES ${docad_generation_packages})
  endif()
  docad_include_directory(/doca-${name} ${arg_SELECT} "${arg_WITHOUT}" ${own_paths})
  file(GLOB headers RELATIVE ${docad_headers_dir} ${docad_headers_dir}/doca_*.h)
  if(arg_WITHOUT)
    list(REMOVE_ITEM headers ${arg_WITHOUT})
  endif()
  set(docad_headers_of_${name} ${headers} ${own} PARENT_SCOPE)
  set(places /doca-${name})
  if(arg_DEFAULT)
    docad_include_directory("" "" "")
    list(APPEND places "")
  endif()
  foreach(below IN LISTS places)
    foreach(package ${arg_PACKAGES})
      docad_pkgconfig("${below}" /doca-${name} ${package} ${arg_VERSION}
        "DOCA ${name} interface, by docad")
    endforeach()
    docad_pkgconfig("${below}" /doca-${name} doca-client ${PROJECT_VERSION}
      "DOCA programs without a DPU: the client of docad")
  endforeach()
endfunction()

docad_generation(1.3 SELECT 13 VERSION 1.3.0)
docad_generation(1.5 SELECT 15 VERSION 1.5.1007 WITHOUT
  doca_buf_array.h doca_bufpool.h doca_erasure_coding.h doca_graph.h doca_rdma_bridge.h doca_sync_event.h)
# The version that doca_version() returns.
file(STRINGS ${docad_headers_dir}/doca_version.h doca_version_line
  REGEX "define DOCA_VER_STRING +\"2[.]2")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" doca_version "${doca_version_line}")
docad_generation(2.2 SELECT 22 VERSION ${doca_version} DEFAULT)
# What 2.7 and later have, and 2.5 and 2.6 have not.
set(docad_since_2.7 doca_bitfield.h doca_clock.h doca_comch.h doca_comch_consumer.h doca_comch_msgq.h
  doca_comch_producer.h doca_mmap_advise.h doca_uar.h doca_umem.h)
foreach(release 2.5.0108 2.6.0058)
  string(SUBSTRING ${release} 0 3 name)
  string(REPLACE . "" select ${name})
  docad_generation(${name} SELECT ${select} VERSION ${release} FOLDERS 2.5 3 WITHOUT ${docad_since_2.7}
    PACKAGES ${docad_generation_2.5_packages})
endforeach()
# Its packages are named after libraries.
docad_generation(3 SELECT 30 VERSION 3.0.0058 FOLDERS 3 PACKAGES ${docad_generation_3_packages})
foreach(generation IN LISTS DOCAD_GENERATIONS)
  docad_other_headers(${generation} "${docad_headers_of_${generation}}")
endforeach()
