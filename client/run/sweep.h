// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults sweep: runs a program, or a pair, again and again, and lets another call fail
// each time. The first run, without a fault, shows which functions it calls, how often, and which
// objects it leaves.

#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

#include <stdbool.h>

#define SWEEP_SIDES 2

// The environment of one program of a run.
struct sweep_program {
    const char *rules;  // its faults
    const char *shared; // the path of the memory with its counters
};

struct sweep {
    // Executes the program, or both, in a child process.
    void (*start)(void *arg, const struct sweep_program programs[SWEEP_SIDES]);
    void *arg;
    unsigned limit_s; // a run that takes longer hangs
    bool is_pair;     // two programs: the host's and the DPU's
};

// Prints the runs that did not end with an error of the program. Returns the exit status of
// docad-run.
int sweep_run(const struct sweep *sweep);

#endif
