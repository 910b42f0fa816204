// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Starting a program with libdocad-workbench between it and libdoca-client.

#ifndef RUN_TRACED_H
#define RUN_TRACED_H

#include <stdbool.h>

struct traced {
    const char *trace;   // a file; "" for standard error; NULL: no trace
    const char *summary; // the same
    const char *format;
    const char *check;  // rules or fatal; NULL: no rules
    const char *polls;  // for each completion, that rules allow; NULL: any number
    const char *card;   // that rules compare the program with; NULL: the one of DOCAD_CARD
    const char *faults; // rules; NULL: none
    // Those of them that docad follows: exports, imports, links; NULL: none.
    const char *node_faults;
    bool has_faults;    // these were named on the command line
    const char *shared; // memory in which faults are counted; NULL: as the environment has it
    bool sweep;         // other rules for each of many runs
    bool named;         // a trace or a summary, on the command line
    const char *report; // a file for a page with all of these; NULL: none
    const char *rules;  // a file that gets violations of rules, too; NULL: none
    // For the traces of a pair, or NULL: the side, the time that is 0 in both, the log of docad.
    const char *side, *origin, *log;
};

// For getopt_long(): values above those of characters.
enum {
    TRACED_TRACE = 256,
    TRACED_FORMAT,
    TRACED_SUMMARY,
    TRACED_CHECK,
    TRACED_POLLS,
    TRACED_FAULTS,
    TRACED_REPORT
};
// clang-format off
#define TRACED_OPTIONS                                                                             \
    {"trace", optional_argument, NULL, TRACED_TRACE},                                              \
    {"trace-format", required_argument, NULL, TRACED_FORMAT},                                      \
    {"summary", optional_argument, NULL, TRACED_SUMMARY},                                          \
    {"report", required_argument, NULL, TRACED_REPORT},                                            \
    {"check-polls", required_argument, NULL, TRACED_POLLS},                                        \
    {"faults", required_argument, NULL, TRACED_FAULTS}
// clang-format on
#define TRACED_USAGE                                                                               \
    "  --trace[=FILE]           write every call of DOCA, on standard error or into FILE\n"        \
    "  --trace-format FORMAT    text, or json: a timeline for Perfetto\n"                          \
    "  --check=rules            say what the program does wrong with objects, tasks and threads\n" \
    "  --check=fatal            end it with status 70 when it does\n"                              \
    "  --check-polls N          say, too, where it polls more than N times for each completion\n"  \
    "  --summary[=FILE]         write how many calls, errors and tasks there were, at the end\n"   \
    "  --report FILE            write a web page with the timeline, what failed and the summary\n" \
    "  --faults RULES|FILE      let calls fail: 'doca_mmap_export_pci: NO_MEMORY, every 3rd'\n"    \
    "  --faults sweep           let each call fail, one after the other, in many runs\n"

// Takes the settings of the environment.
void traced_init(struct traced *traced);
// Returns false for an option that is not one of these, or has no such value.
bool traced_option(struct traced *traced, int letter, const char *value);
bool traced_is_wanted(const struct traced *traced);

// Starts the program, waits until it has ended and its trace is written, and exits with its status.
// Returns an error text if it cannot be started. `beside` is the directory of docad-run.
const char *traced_run(const struct traced *traced, const char *beside, const char *program,
                       char **arguments);

#endif
