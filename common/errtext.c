// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "errtext.h"

#include <stdarg.h>
#include <stdio.h>

doca_error_t errtext_set(struct errtext *err, doca_error_t code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->s, sizeof(err->s), format, args);
        va_end(args);
    }
    return code;
}
