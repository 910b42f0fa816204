// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "complaints.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Takes over the text. Those of one line stay in the order in which they were found.
static void add(struct complaints *c, int line, bool syntax, char *text)
{
    struct complaint *list = text ? realloc(c->list, (c->n + 1) * sizeof(*list)) : NULL;
    size_t at = c->n;

    if (!list) {
        c->lost = true;
        free(text);
        return;
    }
    c->list = list;
    for (; at > 0 && list[at - 1].line > line; at--)
        list[at] = list[at - 1];
    list[at] = (struct complaint){.line = line, .syntax = syntax, .text = text};
    c->n++;
    c->n_syntax += syntax;
}

void complain(struct complaints *complaints, int line, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    add(complaints, line, false, length < 0 ? NULL : text);
}

// Two statements with the same mistake in one line are one mistake.
void complain_syntax(struct complaints *complaints, int line, const char *text)
{
    for (size_t i = 0; i < complaints->n; i++)
        if (complaints->list[i].line == line && strcmp(complaints->list[i].text, text) == 0)
            return;
    add(complaints, line, true, strdup(text));
}

bool complaints_has_gap(const struct complaints *complaints, int first, int last)
{
    for (size_t i = 0; i < complaints->n; i++) {
        const struct complaint *c = &complaints->list[i];
        if (c->syntax && c->line >= first && c->line <= last)
            return true;
    }
    return false;
}

void complaints_keep_syntax(struct complaints *complaints)
{
    size_t kept = 0;
    for (size_t i = 0; i < complaints->n; i++) {
        if (complaints->list[i].syntax)
            complaints->list[kept++] = complaints->list[i];
        else
            free(complaints->list[i].text);
    }
    complaints->n = kept;
}

bool complaints_end(struct complaints *complaints, const char *path, FILE *to)
{
    bool none = complaints->n == 0 && !complaints->lost;

    for (size_t i = 0; i < complaints->n; i++) {
        const struct complaint *c = &complaints->list[i];
        if (c->line > 0)
            fprintf(to, "%s:%d: %s\n", path, c->line, c->text);
        else
            fprintf(to, "%s: %s\n", path, c->text);
        free(c->text);
    }
    if (complaints->lost)
        fprintf(to, "%s: out of memory for what is wrong with it\n", path);
    free(complaints->list);
    *complaints = (struct complaints){.list = NULL};
    return none;
}
