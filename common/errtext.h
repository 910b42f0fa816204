// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The text of an error: a buffer of the caller that is passed down with the call and comes back
// with the code.
//
// The rule for errors, in docad and in the library: the function that understands a failure writes
// the text with errtext_set(), and the functions above it pass code and text on unchanged. The text
// says what failed, on which object, why, and what to do. The outermost function prints it once: a
// public function with report() (client/core/report.h), docad by the answer to a request and one
// line of its log. Out-parameters are untouched on failure.

#ifndef COMMON_ERRTEXT_H
#define COMMON_ERRTEXT_H

#include <doca_error.h>

struct errtext {
    char s[320];
    const char *file; // of the source, where it was written
    int line;
};

// Writes the text (what, which object, why, what to do) and yields `code`, so that a
// failing function ends with `return errtext_set(err, DOCA_ERROR_…, "format", …)`.
// `err` may be NULL. A macro, so that the compiler sees which code comes back.
#define errtext_set(err, code, ...) (errtext_write((err), __VA_ARGS__), errtext_code(code))

static inline doca_error_t errtext_code(doca_error_t code)
{
    return code;
}

#define errtext_write(err, ...) errtext_write_at((err), __FILE__, __LINE__, __VA_ARGS__)

void errtext_write_at(struct errtext *err, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
