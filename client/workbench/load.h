// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How much longer the load of the machine may have made what a thread did: threads of this process
// were ready and had no CPU, and so it may have waited for one that had a lock; or the host of a
// virtual machine had taken CPUs away.

#ifndef WORKBENCH_LOAD_H
#define WORKBENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_THREADS_MAX 256
#define LOAD_UNKNOWN     INT64_MAX // a bound that excuses everything

struct load_thread {
    int64_t id;
    int64_t queued; // ns for which it was ready and had no CPU, since its start
};

// Counts of one moment.
struct load_mark {
    int64_t stolen; // ns, on all CPUs since the start of the machine; -1: not known
    int64_t tick;   // ns; `stolen` is a multiple of it
    int threads;    // of this process; -1: not known, or more than there is room for
    struct load_thread thread[LOAD_THREADS_MAX];
};

// Reads the counts, which opens a file for each thread.
void load_read(struct load_mark *mark);

// Return ns at most, between two marks, or LOAD_UNKNOWN: for which threads of this process had no
// CPU, and which the host has taken.
int64_t load_queued(const struct load_mark *before, const struct load_mark *now);
int64_t load_stolen(const struct load_mark *before, const struct load_mark *now);

#endif
