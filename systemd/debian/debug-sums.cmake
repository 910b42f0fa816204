# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# CPack writes the places in its own directory into the sums of debugging packages. They become those
# of the installed files, without which dpkg --verify and debsums find nothing. Only that member of the
# package is made anew.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "[.]ddeb$")
    continue()
  endif()
  set(control ${package}.control)
  file(MAKE_DIRECTORY ${control})
  set(there WORKING_DIRECTORY ${control} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ar x ${package} control.tar.gz ${there})
  execute_process(COMMAND tar -xzf control.tar.gz ${there})
  file(READ ${control}/md5sums sums)
  string(REGEX REPLACE "  [^\n]*/usr/lib/debug/" "  usr/lib/debug/" sums "${sums}")
  file(WRITE ${control}/md5sums "${sums}")
  execute_process(COMMAND tar --owner=0 --group=0 --numeric-owner --mode=u+rw,go=r --format=ustar -czf
    control.tar.gz ./control ./md5sums ${there})
  execute_process(COMMAND ar r ${package} control.tar.gz ${there})
  file(REMOVE_RECURSE ${control})
endforeach()
