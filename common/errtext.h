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

// Writes the text (what, which object, why, what to do) and yields `code`, so that a
// failing function ends with `return errtext_set(err, DOCA_ERROR_…, "format", …)`.
// `err` may be NULL. A macro, so that the compiler sees which code comes back.
#define errtext_set(err, code, ...) (errtext_write((err), __VA_ARGS__), errtext_code(code))

static inline doca_error_t errtext_code(doca_error_t code)
{
    return code;
}

void errtext_write(struct errtext *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
