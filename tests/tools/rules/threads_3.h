// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of two threads that use one object of DOCA 3, for the table of cases_3.c.

#ifndef TESTS_TOOLS_THREADS_3_H
#define TESTS_TOOLS_THREADS_3_H

#include <stdbool.h>

void inventory_two_threads(bool wrong);
void map_two_threads(bool wrong);
void engine_two_threads(bool wrong);
void submit_two_threads(bool wrong);

#endif
