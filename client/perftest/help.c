// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "help.h"

#include <string.h>

// Prints words, from column `at` on, until `text` ends. Lines that follow begin at `indent`.
static void fill(FILE *out, const char *text, size_t indent, size_t at)
{
    size_t begin = at;
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (at > begin && at + 1 + n > HELP_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            begin = at = indent;
        } else if (at > begin) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, n, out);
        at += n;
        text += n;
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            begin = at = indent;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

void help_text(FILE *out, const char *text)
{
    fill(out, text, 0, 0);
}

void help_item(FILE *out, const char *name, int width, const char *text)
{
    size_t indent = (size_t)width + 4;
    fprintf(out, "  %-*s", width, name);
    if (strlen(name) > (size_t)width)
        fprintf(out, "\n%*s", (int)indent, "");
    else
        fputs("  ", out);
    fill(out, text, indent, indent);
}
