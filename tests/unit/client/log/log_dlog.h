// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// See log_dlog.c.

#ifndef TESTS_UNIT_LOG_DLOG_H
#define TESTS_UNIT_LOG_DLOG_H

// Writes a line of each level, from severe to mild; counts the arguments it evaluated.
void log_developer_lines(int *evaluated);

#endif
