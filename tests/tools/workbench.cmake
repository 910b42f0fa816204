# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# docad-run --trace, --check and --faults. Programs have symbols of their sanitizer for the library that is
# preloaded. With ThreadSanitizer those run that have threads, in the right form of each case: the other one
# is a race of the program.
if(NOT TARGET docad-workbench)
  return()
endif()
foreach(program traced signalled paired short_threads)
  add_executable(tools_${program} ${program}.c)
  docad_target_defaults(tools_${program})
  target_include_directories(tools_${program} BEFORE PRIVATE ${PROJECT_BINARY_DIR}/include/doca-3)
  target_link_libraries(tools_${program} PRIVATE doca-client Threads::Threads)
  set_target_properties(tools_${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_dependencies(tools_${program} docad docad-workbench docad-run examples)
endforeach()
# Cases for the rules of --check: each breaks one, or does nearly the same in the right way.
add_executable(tools_cases_3 rules/cases_3.c rules/graphs_3.c rules/lists_3.c rules/threads_3.c rules/copies_3.c)
target_include_directories(tools_cases_3 BEFORE PRIVATE ${PROJECT_BINARY_DIR}/include/doca-3)
add_executable(tools_cases_2 rules/cases_2.c)
add_executable(tools_jobs_2 jobs_2.c)
add_library(tools_late_3 SHARED rules/late_3.c rules/copies_3.c)
add_executable(tools_legal_3 rules/legal_3.c rules/graphs_3.c rules/copies_3.c)
target_link_libraries(tools_legal_3 PRIVATE tools_late_3)
target_include_directories(tools_late_3 BEFORE PRIVATE ${PROJECT_BINARY_DIR}/include/doca-3)
target_include_directories(tools_legal_3 BEFORE PRIVATE ${PROJECT_BINARY_DIR}/include/doca-3)
set_target_properties(tools_legal_3 PROPERTIES ENABLE_EXPORTS ON) # of functions of the C library
foreach(program cases_3 cases_2 jobs_2 late_3 legal_3)
  docad_target_defaults(tools_${program})
  target_link_libraries(tools_${program} PRIVATE doca-client Threads::Threads)
  set_target_properties(tools_${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_dependencies(tools_${program} docad docactl docad-workbench docad-run)
endforeach()
if(DOCAD_SANITIZE MATCHES "thread")
  docad_tools_test(rules $<TARGET_FILE:tools_legal_3>
    --right $<TARGET_FILE:tools_cases_3> $<TARGET_FILE:tools_cases_2>)
  docad_tools_test(trace ${PROJECT_SOURCE_DIR} $<TARGET_FILE:tools_traced>)
  docad_tools_test(trace-threads $<TARGET_FILE:tools_short_threads>)
  return()
endif()
# Ten examples with one defect each.
set(examples ${PROJECT_SOURCE_DIR}/examples)
set(defects ${CMAKE_CURRENT_SOURCE_DIR}/rules/defects.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${defects})
execute_process(COMMAND ${Python3_EXECUTABLE} ${defects} --list OUTPUT_VARIABLE list
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" list "${list}")
foreach(line IN LISTS list)
  separate_arguments(line UNIX_COMMAND "${line}")
  list(GET line 0 name)
  list(GET line 1 example)
  list(GET line 2 generation)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/defects/${name}.c)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/defects
    COMMAND ${Python3_EXECUTABLE} ${defects} ${examples} ${name} > ${source}
    DEPENDS ${defects} ${examples}/${example} VERBATIM)
  set(common ${examples}/common/dma_setup.c ${examples}/common/example.c)
  if(generation STREQUAL "3")
    set(common ${examples}/doca-3/setup.c)
  endif()
  add_executable(defect_${name} ${source} ${common} ${examples}/common/fail.c)
  docad_target_defaults(defect_${name})
  target_include_directories(defect_${name} BEFORE PRIVATE
    ${PROJECT_BINARY_DIR}/include/doca-${generation})
  target_link_libraries(defect_${name} PRIVATE doca-client Threads::Threads)
  set_target_properties(defect_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/defects)
  add_dependencies(defect_${name} docad docad-workbench docad-run)
endforeach()
docad_tools_test(defects ${CMAKE_CURRENT_BINARY_DIR}/defects)
docad_tools_test(rules $<TARGET_FILE:tools_legal_3>
  $<TARGET_FILE:tools_cases_3> $<TARGET_FILE:tools_cases_2>)
docad_tools_test(traced-run $<TARGET_FILE:tools_signalled>)
docad_tools_test(trace ${PROJECT_SOURCE_DIR} $<TARGET_FILE:tools_traced>)
docad_tools_test(trace-threads $<TARGET_FILE:tools_short_threads>)
docad_tools_test(linked $<TARGET_FILE:tools_paired>)
docad_tools_test(bytes $<TARGET_FILE:tools_jobs_2>)
if(NOT DOCAD_SANITIZE) # a browser takes a while as it is
  docad_tools_test(report $<TARGET_FILE:tools_paired> $<TARGET_FILE:tools_jobs_2>)
endif()
