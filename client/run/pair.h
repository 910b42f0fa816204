// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --pair: a private host node and a private DPU node, linked, and a program on each side,
// or on one of them.

#ifndef RUN_PAIR_H
#define RUN_PAIR_H

#include <stdbool.h>

enum pair_side { PAIR_HOST, PAIR_DPU, PAIR_SIDES, PAIR_NONE = -1 };

struct pair_program {
    void (*start)(const void *arg); // becomes the program, in a child; NULL: there is none
    const void *arg;
};

struct pair {
    struct pair_program programs[PAIR_SIDES];
    enum pair_side first; // starts before the other program, or PAIR_NONE
    const char *ready;    // text of the line of its output after which the other one starts
    enum pair_side until; // ends the other program when it ends, or PAIR_NONE
    unsigned grace_s;     // from SIGTERM to SIGKILL
    int logs[PAIR_SIDES]; // get what docad of each side logs, with the time in front; -1: none
    const char *faults[PAIR_SIDES]; // that each node follows; NULL: none
};

// Runs it to the end, and removes all that it has made. Returns the exit status.
int pair_run(const struct pair *pair);

#endif
