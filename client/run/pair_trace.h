// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The traces of programs on private nodes: one report, one timeline, or a file of each.

#ifndef RUN_PAIR_TRACE_H
#define RUN_PAIR_TRACE_H

#include "pair.h"
#include "report.h"

#include <stdint.h>

struct pair_trace {
    struct report_side sides[PAIR_SIDES];
    size_t count;         // of `sides`
    const char *report;   // a file, or NULL
    const char *timeline; // a file for both sides, "" for standard error, or NULL
    uint64_t origin;      // the time that is 0 in all of them
    char origin_text[24];
    char log_paths[PAIR_SIDES][32];
};

// Redirects the traces of the program of a side. `both`: there is a program of the other side, too.
// *log is a file for the log of this side's docad, or -1.
void pair_trace_begin(struct pair_trace *trace, enum pair_side side, bool both,
                      struct traced *traced, int *log);

// Writes the report or the timeline, after the programs have ended.
void pair_trace_end(const struct pair_trace *trace);

#endif
