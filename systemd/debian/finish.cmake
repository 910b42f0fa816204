# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Compresses manual pages and changelogs, as Debian requires, and moves zsh's completions to the
# place of packages; install rules do not do that.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  file(GLOB texts ${usr}/share/man/man*/*.[1-9] ${usr}/share/doc/*/changelog)
  if(texts) # a thousand of them: one program for all
    execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
    list(TRANSFORM texts APPEND .gz)
    file(CHMOD ${texts} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
