// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef RUN_FAIL_H
#define RUN_FAIL_H

#define NAME "docad-run"

// Prints a line that begins with the name of docad-run, and ends it.
__attribute__((format(printf, 2, 3))) _Noreturn void fail(int status, const char *format, ...);

#endif
