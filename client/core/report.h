// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a public function ends: one log line for a failure, and the code handed on.

#ifndef CLIENT_CORE_REPORT_H
#define CLIENT_CORE_REPORT_H

#include "errtext.h"

// Logs a failed public call, with the text if there is one (`err` may be NULL), and
// returns `code`. DOCA_SUCCESS passes in silence, so that a function may end with
// `return report(__func__, r, &err)`.
doca_error_t report(const char *function, doca_error_t code, const struct errtext *err);

// A pointer that must not be NULL is: logs it and returns DOCA_ERROR_INVALID_VALUE.
doca_error_t report_null(const char *function);

// Keeps a code that the interface lists for a function; others become `fallback`. The
// listed codes end with DOCA_SUCCESS, which is always kept.
doca_error_t code_among(doca_error_t code, doca_error_t fallback, const doca_error_t *listed);

#define CODE_AMONG(code, fallback, ...)                                                            \
    code_among(code, fallback, (const doca_error_t[]){__VA_ARGS__, DOCA_SUCCESS})

#endif
