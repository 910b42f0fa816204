// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults sweep: runs a program again and again, and lets another call fail each time.
// The first run, without a fault, shows which functions it calls, and how often.

#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

struct sweep {
    void (*start)(void *arg, const char *rules); // becomes the program, in a child
    void *arg;
    unsigned limit_s; // a run that takes longer hangs
};

// Prints what the runs were like that did not end with an error of the program. Returns the exit
// status of docad-run.
int sweep_run(const struct sweep *sweep);

#endif
