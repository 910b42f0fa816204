// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_text.h"

#include "cleanup.h"
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 8

static char *fail(struct config_fault *fault, int line, const char *text)
{
    fault->line = line;
    copy_text(fault->text, text);
    return NULL;
}

char *config_text_read(const char *path, struct config_fault *fault)
{
    cleanup_file FILE *f = fopen(path, "re");
    if (!f)
        return fail(fault, 0, strerror(errno));
    cleanup_free char *text = malloc(CONFIG_SIZE_MAX + 1);
    if (!text)
        return fail(fault, 0, strerror(ENOMEM));
    size_t n = fread(text, 1, CONFIG_SIZE_MAX + 1, f);
    if (ferror(f))
        return fail(fault, 0, strerror(errno));
    if (n > CONFIG_SIZE_MAX)
        return fail(fault, 0, "larger than 1 MiB (name a configuration file)");
    if (memchr(text, '\0', n))
        return fail(fault, 0, "contains zero bytes (name a text file)");
    text[n] = '\0';
    return steal_ptr(text);
}

struct scanner {
    char *at;
    int line;
    int open[DEPTH_MAX]; // lines of the open braces
    size_t depth;
};

static void blank(struct scanner *s, size_t n)
{
    for (size_t i = 0; i < n; i++, s->at++) {
        if (*s->at == '\n')
            s->line++;
        else
            *s->at = ' ';
    }
}

static int skip_comment(struct scanner *s, struct config_fault *fault)
{
    if (s->at[0] == '/' && s->at[1] == '*') {
        const char *end = strstr(s->at + 2, "*/");
        if (!end) {
            fail(fault, s->line, "comment without an end (close it with */)");
            return -1;
        }
        blank(s, (size_t)(end - s->at) + 2);
    } else {
        blank(s, strcspn(s->at, "\n"));
    }
    return 0;
}

static int skip_string(struct scanner *s, struct config_fault *fault)
{
    int line = s->line;
    char quote = *s->at++;
    for (; *s->at && *s->at != quote; s->at++) {
        if (*s->at == '\\' && s->at[1])
            s->at++;
        if (*s->at == '\n')
            s->line++;
    }
    if (!*s->at) {
        fail(fault, line, "string without an end (close it with a quotation mark)");
        return -1;
    }
    s->at++;
    return 0;
}

static int take_brace(struct scanner *s, struct config_fault *fault)
{
    if (*s->at == '{') {
        if (s->depth == DEPTH_MAX) {
            fail(fault, s->line, "sections nested too deeply");
            return -1;
        }
        s->open[s->depth++] = s->line;
    } else if (s->depth-- == 0) {
        fail(fault, s->line, "'}' closes nothing (remove it, or open a section with '{')");
        return -1;
    }
    s->at++;
    return 0;
}

int config_text_prepare(char *text, struct config_fault *fault)
{
    struct scanner s = {.at = text, .line = 1};
    int r = 0;

    while (*s.at && r == 0) {
        char c = *s.at;
        if (c == '#' || (c == '/' && (s.at[1] == '/' || s.at[1] == '*'))) {
            r = skip_comment(&s, fault);
        } else if (c == '"' || c == '\'') {
            r = skip_string(&s, fault);
        } else if (c == '{' || c == '}') {
            r = take_brace(&s, fault);
        } else {
            s.line += c == '\n';
            s.at++;
        }
    }
    if (r == 0 && s.depth > 0) {
        fail(fault, s.open[s.depth - 1], "'{' is never closed (add a '}')");
        return -1;
    }
    return r;
}
