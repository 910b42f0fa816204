# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Compresses manual pages and changelogs, as Debian requires, and moves zsh's completions to the
# place of packages; install rules do not do that.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  file(GLOB texts ${usr}/share/man/man*/*.[1-9] ${usr}/share/doc/*/changelog)
  foreach(text IN LISTS texts)
    execute_process(COMMAND gzip -9nf ${text} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND chmod 644 ${text}.gz COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
