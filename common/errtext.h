// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Error text, filled where the failure is understood and printed where it is
// reported: a caller-owned buffer that goes down with the call and comes back
// up with the code.

#ifndef COMMON_ERRTEXT_H
#define COMMON_ERRTEXT_H

#include <doca_error.h>

struct errtext {
    char s[320];
};

// Writes the text (what, which object, why, what to do) and returns `code`, so
// that a failing function ends with `return errtext_set(err, DOCA_ERROR_…, …)`.
// `err` may be NULL.
doca_error_t errtext_set(struct errtext *err, doca_error_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
