// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the kernel counts for the calling thread.

#ifndef WORKBENCH_THREAD_TIMES_H
#define WORKBENCH_THREAD_TIMES_H

#include <stdint.h>

struct thread_times {
    int64_t wall, cpu; // ns
    int64_t waits;     // times that the thread has given up its CPU to wait
    int64_t faults;    // pages that were read in
};

struct thread_times thread_times_now(void);

// Returns the first member alone, which takes no system call.
int64_t thread_times_wall(void);

#endif
