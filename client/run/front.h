// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two processes: the one that the user started, which only waits and passes signals on, and one in
// a session of its own, which does the work and cleans up. SIGKILL for the first, or a signal of
// the terminal, does not reach the second.

#ifndef RUN_FRONT_H
#define RUN_FRONT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FRONT_WRITE_MS 10000 // for writers of traces; one that takes longer is stuck

struct front {
    int lifeline;       // readable, with end of file, when the first process has ended
    int signals;        // signalfd: SIGCHLD, and the signals that the first process passes on
    sigset_t inherited; // the signal mask that programs get back
};

// Returns whether docad-run only passes this signal on to its programs.
bool front_is_for_programs(int number);

typedef int (*front_fn)(const struct front *front, void *arg); // returns the exit status

// Calls fn in the second process, and waits for it. Returns its exit status, or -1 with errno if
// it could not be started. If it was killed, `killed` is the signal, else 0.
int front_run(front_fn fn, void *arg, int *killed);

struct front_left {
    bool killed;  // some were killed
    bool writers; // some write a trace, and were spared
};

// Kills the children of this process except for `keep`, and, unless `also_writers`, for those that
// write the traces of programs: they end by themselves after their programs. Processes whose
// parents have ended are among the children.
struct front_left front_kill_children(const pid_t *keep, size_t count, bool also_writers);

#endif
