// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Mistakes in a configuration file: collected while it is read, perhaps more than once, and printed
// in the order of its lines.

#ifndef DAEMON_CONFIG_COMPLAINTS_H
#define DAEMON_CONFIG_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct complaint {
    int line;    // 0: the file as a whole
    bool syntax; // the statement at this line was not read at all
    char *text;
};

struct complaints {
    struct complaint *list;
    size_t n, n_syntax;
    bool lost; // memory ran out for some of them
};

// Adds "what is wrong (what to write instead)".
void complain(struct complaints *complaints, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void complain_syntax(struct complaints *complaints, int line, const char *text);

// Returns whether a statement in the lines from `first` to `last` was not read.
bool complaints_has_gap(const struct complaints *complaints, int first, int last);

// Removes all but syntax errors, before the file is read once more.
void complaints_keep_syntax(struct complaints *complaints);

// Prints "FILE:LINE: TEXT" for each, and frees them. Returns false if there were any.
bool complaints_end(struct complaints *complaints, const char *path, FILE *to);

#endif
