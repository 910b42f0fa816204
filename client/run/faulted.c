// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "faulted.h"

#include "fail.h"
#include "fault_spec.h"

#include "cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX 65536 // bytes, less than an argument of a program may have

static char *read_file(const char *path)
{
    cleanup_file FILE *file = fopen(path, "re");
    char *text = calloc(1, FILE_MAX + 1);
    if (!file)
        fail(2, "--faults: '%s' is neither rules, such as 'dma.memcpy: IO_FAILED', nor a file: %s",
             path, strerror(errno));
    if (!text)
        fail(1, "no memory is left");
    size_t size = fread(text, 1, FILE_MAX + 1, file);
    if (ferror(file) || size > FILE_MAX || memchr(text, '\0', size))
        fail(2, "--faults: %s is not a text of at most %d bytes", path, FILE_MAX);
    return text;
}

const char *faulted_read(const char *argument)
{
    static struct fault_spec spec;
    struct fault_error error;
    bool is_file = !strchr(argument, ':') || access(argument, R_OK) == 0;
    const char *text = is_file ? read_file(argument) : argument;
    // libdocad-workbench knows the names of functions and tasks, and checks them.
    if (!fault_spec_read(text, NULL, &spec, &error))
        fail(2, "--faults%s%s, line %u, column %u: %s", is_file ? ": " : "",
             is_file ? argument : "", error.line, error.column, error.text);
    return text;
}
