// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of lists of buffers and of casts in DOCA 3, for the table of cases_3.c.

#ifndef TESTS_TOOLS_LISTS_3_H
#define TESTS_TOOLS_LISTS_3_H

#include <stdbool.h>

void source_member_changed(bool wrong);
void destination_member_reset(bool wrong);
void member_in_two_tasks(bool wrong);
void member_released(bool wrong);

void buffer_as_context(bool wrong);
void engine_as_context(bool wrong);
void map_as_task(bool wrong);
void buffer_freed_as_task(bool wrong);

#endif
