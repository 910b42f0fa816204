// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "errtext.h"

#include <stdarg.h>
#include <stdio.h>

void errtext_write_at(struct errtext *err, const char *file, int line, const char *format, ...)
{
    if (!err)
        return;
    err->file = file;
    err->line = line;
    va_list args;
    va_start(args, format);
    vsnprintf(err->s, sizeof(err->s), format, args);
    va_end(args);
}
