// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The output of a command's runs, one or one for each size: a table, one JSON object, or lines of
// comma-separated values.

#ifndef PERFTEST_REPORT_H
#define PERFTEST_REPORT_H

#include "commands.h"
#include "result.h"

struct report {
    const struct command *command;
    const struct options *options; // those of the command line
    bool begun;                    // something is printed
    struct json_object *runs;
};

void report_begin(struct report *report, const struct command *command,
                  const struct options *options);

// Call it when a run with these options has ended. Returns false if standard output failed.
bool report_run(struct report *report, const struct options *options, const struct result *result);

// Returns false if standard output failed. Also to be called after a run that failed.
bool report_end(struct report *report);

#endif
