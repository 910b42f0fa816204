// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Labels of metrics, as OpenMetrics and the text format of Prometheus write them.

#ifndef COMMON_METRIC_LABEL_H
#define COMMON_METRIC_LABEL_H

#include <stdio.h>

// Writes name="text". Three characters are escaped.
static inline void metric_label(FILE *f, const char *name, const char *text)
{
    fprintf(f, "%s=\"", name);
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            fputc('\\', f);
        if (*text == '\n')
            fputs("\\n", f);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

#endif
