// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "log_lines.h"

#include "client.h"

#include <check.h>
#include <doca_log.h>
#include <string.h>

#define LINES_MAX 64

static char line[1024], lines[LINES_MAX][sizeof(line)];
static unsigned n_lines;

static void keep(char *text)
{
    ck_assert_uint_lt(n_lines, LINES_MAX);
    strcpy(lines[n_lines++], text);
}

void log_lines_catch(void)
{
    static struct doca_logger_backend *backend;
    if (!backend)
        ck_assert_success(doca_log_create_buffer_backend(line, sizeof(line), keep, &backend));
    n_lines = 0;
}

unsigned log_lines(const char *text)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_lines; i++)
        n += strstr(lines[i], text) != NULL;
    return n;
}
