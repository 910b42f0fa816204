// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Starting a memory map, compared with copying the memory.

#ifndef PERFTEST_REGISTRATION_H
#define PERFTEST_REGISTRATION_H

#include "memory.h"
#include "problem.h"

#include <doca_mmap.h>

struct doca_dev;

struct start_times {
    double start, destroy; // in ns
};

// Starts and destroys a map of the memory, which holds the pattern, and checks that it
// still does.
bool registration_start(struct doca_dev *dev, struct memory *memory, struct start_times *out,
                        struct problem *problem);

struct copy_times {
    double fresh, warm; // to new memory, and again, in ns
};

bool registration_copy(const struct memory *memory, struct copy_times *out,
                       struct problem *problem);

#endif
