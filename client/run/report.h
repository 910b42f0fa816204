// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One page of HTML with the timeline, the failures, the violations of rules and the summary of a
// run, which needs no other file and no network; or one timeline of several programs.

#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "traced.h"

#include <stddef.h>

enum { REPORT_TRACE, REPORT_SUMMARY, REPORT_RULES, REPORT_FILES };

// The output of one program: files in memory, which end with docad-run.
struct report_side {
    const char *name; // host or dpu; "" for a program that is alone
    int fds[REPORT_FILES];
    char paths[REPORT_FILES][32]; // of the files, for other processes
};

// Makes the files of a program, and has it write them. Returns 0 or -errno.
int report_begin(struct report_side *side, const char *name, struct traced *traced);

// Has a program write its timeline alone into such a file.
int report_begin_timeline(struct report_side *side, const char *name, struct traced *traced);

// Writes the timelines of all sides as one; "" is standard error. Returns 0 or -errno.
int report_write_timeline(const char *path, const struct report_side *sides, size_t count);

// Writes the page. Returns 0 or -errno; then the file may be there in part.
int report_write(const char *path, const struct report_side *sides, size_t count);

#endif
