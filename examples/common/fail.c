// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 30
#define doca_get_error_string doca_error_get_descr
#define doca_get_error_name   doca_error_get_name
#endif

void fail(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

void help_option(int argc, char **argv, const char *arguments, const char *text)
{
    if (argc != 2 || (strcmp(argv[1], "-h") != 0 && strcmp(argv[1], "--help") != 0))
        return;
    printf("Usage: %s%s%s\n\n%s\n", program_invocation_short_name, *arguments ? " " : "", arguments,
           text);
    exit(EXIT_SUCCESS);
}

void must(doca_error_t result, const char *format, ...)
{
    va_list args;
    char doing[256];
    if (result == DOCA_SUCCESS)
        return;
    va_start(args, format);
    vsnprintf(doing, sizeof(doing), format, args);
    va_end(args);
    fail("%s: %s (%s)", doing, doca_get_error_string(result), doca_get_error_name(result));
}
