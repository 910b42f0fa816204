# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# CPack writes the places in its own directory into the sums of debugging packages. They become those
# of the installed files, without which dpkg --verify and debsums find nothing. Only that member of the
# package is made anew.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "\\.ddeb$")
    continue()
  endif()
  set(control ${package}.control)
  file(MAKE_DIRECTORY ${control})
  foreach(command IN ITEMS
      "ar x ${package} control.tar.gz"
      "tar -xzf control.tar.gz"
      "sed -i s|^\\([0-9a-f]*\\)  .*/usr/lib/debug/|\\1  usr/lib/debug/| md5sums"
      "tar --owner=0 --group=0 --numeric-owner --format=ustar -czf control.tar.gz ./control ./md5sums"
      "ar r ${package} control.tar.gz")
    separate_arguments(words UNIX_COMMAND "${command}")
    execute_process(COMMAND ${words} WORKING_DIRECTORY ${control} COMMAND_ERROR_IS_FATAL ANY ERROR_QUIET)
  endforeach()
  file(REMOVE_RECURSE ${control})
endforeach()
