// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command line of docad-run.

#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "pair.h"
#include "traced.h"

struct options {
    const char *socket;
    const char *generation;
    const char *directory;
    const char *card;
    bool check, quiet;
    struct traced traced;
    char nodes; // 'p', 'h' or 'd' of --pair, --host-only and --dpu-only, or 0
    enum pair_side first, until;
    const char *ready;
    unsigned grace_s;
    bool has_grace;   // was named
    unsigned limit_s; // of a run of --faults sweep
    bool has_limit;
    bool has_polls; // --check-polls was named
    int arguments;  // index of the first program
};

// Reads the options, up to the program. Prints the output of --help and --version, and ends
// docad-run with status 2 if the command line is wrong.
void options_read(int argc, char **argv, struct options *options);

#endif
