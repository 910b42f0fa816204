// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The library's log lines in a test's process, counted.

#ifndef INTEGRATION_LOG_LINES_H
#define INTEGRATION_LOG_LINES_H

// Catches lines from now on. Each call restarts the count.
void log_lines_catch(void);

// Returns the number of lines that contain this text.
unsigned log_lines(const char *text);

#endif
