// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "pair_trace.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static const char *name_of(enum pair_side side)
{
    return side == PAIR_HOST ? "host" : "dpu";
}

// Traces as text, and summaries, of two programs go into two files.
static const char *name_of_side(const char *file, enum pair_side side)
{
    char *name = NULL;
    if (file && *file && asprintf(&name, "%s.%s", file, name_of(side)) < 0)
        fail(1, "no memory is left");
    return name ? name : file;
}

static void begin_log(struct pair_trace *trace, enum pair_side side, struct traced *traced,
                      int *log)
{
    *log = memfd_create("docad-log", MFD_CLOEXEC);
    if (*log < 0)
        return; // the trace is without it
    snprintf(trace->log_paths[side], sizeof(trace->log_paths[side]), "/proc/%d/fd/%d",
             (int)getpid(), *log);
    traced->log = trace->log_paths[side];
}

static bool is_timeline(const struct traced *traced)
{
    return traced->trace && traced->format && strcmp(traced->format, "json") == 0;
}

void pair_trace_begin(struct pair_trace *trace, enum pair_side side, bool both,
                      struct traced *traced, int *log)
{
    *log = -1;
    if (!traced->trace && !traced->report && !traced->summary)
        return;
    if (!trace->origin)
        snprintf(trace->origin_text, sizeof(trace->origin_text), "%" PRIu64,
                 trace->origin = now_ns());
    traced->side = name_of(side);
    traced->origin = trace->origin_text;
    if (traced->trace || traced->report)
        begin_log(trace, side, traced, log);
    int r = 0;
    if (traced->report) {
        trace->report = traced->report;
        r = report_begin(&trace->sides[trace->count++], name_of(side), traced);
    } else if (both) {
        traced->summary = name_of_side(traced->summary, side);
        if (is_timeline(traced)) {
            trace->timeline = traced->trace;
            r = report_begin_timeline(&trace->sides[trace->count++], name_of(side), traced);
        } else {
            traced->trace = name_of_side(traced->trace, side);
        }
    }
    if (r < 0)
        fail(1, "cannot make files for the %s: %s", trace->report ? "report" : "timeline",
             strerror(-r));
}

void pair_trace_end(const struct pair_trace *trace)
{
    const char *file = trace->report ? trace->report : trace->timeline;
    int r = trace->report     ? report_write(file, trace->sides, trace->count)
            : trace->timeline ? report_write_timeline(file, trace->sides, trace->count)
                              : 0;
    if (r < 0)
        fprintf(stderr, "docad-run: cannot write the %s %s: %s\n",
                trace->report ? "report" : "timeline", file, strerror(-r));
}
