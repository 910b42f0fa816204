# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# A machine needs one of the vendor's trees, if any: they go to packages/trees/, so that
# `apt install ./packages/*.deb` installs none.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  get_filename_component(directory ${package} DIRECTORY)
  get_filename_component(name ${package} NAME)
  if(name MATCHES "^doca-tree-")
    file(MAKE_DIRECTORY ${directory}/trees)
    file(RENAME ${package} ${directory}/trees/${name})
  endif()
endforeach()
