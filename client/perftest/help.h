// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Prints help, in lines that fit a terminal of 80 columns and, indented, a manual page there.

#ifndef PERFTEST_HELP_H
#define PERFTEST_HELP_H

#include <stdio.h>

#define HELP_WIDTH 72

// Fills lines with the words of `text`. Each '\n' in it ends a paragraph.
void help_text(FILE *out, const char *text);

// A line of a list: its subject, in `width` columns, and its description, whose further lines have
// the same indentation.
void help_item(FILE *out, const char *name, int width, const char *text);

#endif
