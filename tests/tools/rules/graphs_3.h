// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of graphs of DOCA 3, for the tables of cases_3.c and legal_3.c.

#ifndef TESTS_TOOLS_GRAPHS_3_H
#define TESTS_TOOLS_GRAPHS_3_H

#include <stdbool.h>

void graph_task_freed(bool wrong);
void graph_task_submitted(bool wrong);
void graph_buffer_reset(bool wrong);

void graph_callback(bool wrong);

#endif
