// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How the examples for every interface fail.

#ifndef EXAMPLES_COMMON_FAIL_H
#define EXAMPLES_COMMON_FAIL_H

#include <doca_error.h>

// Prints "program: what went wrong" and ends the program with status 1. docad releases everything
// that the program holds (devices, maps, exports).
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

// Fails unless `result` is DOCA_SUCCESS; says what was being done and why it failed.
void must(doca_error_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));

// If the only argument is -h or --help, prints how the program is used and ends it. `arguments`
// is the line of arguments, `text` says what the program does.
void help_option(int argc, char **argv, const char *arguments, const char *text);

#endif
