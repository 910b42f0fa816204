// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The processes of one flood: started as another user, and killed at the end.

#ifndef PERFTEST_FLOOD_RUN_H
#define PERFTEST_FLOOD_RUN_H

#include "floods.h"
#include "supervisor.h"

struct flood_run {
    const struct flood *flood;
    pid_t pid, beside; // 0: none
    int refilled;      // eventfd between the two
    uint64_t held;     // the objects that the flood has reported
};

// Starts the flood when docad has dropped the objects of earlier floods, and waits until it has its
// objects.
bool flood_start(struct flood_run *run, struct supervisor *sup, const struct flood *flood,
                 unsigned fill, unsigned pause_us, struct problem *problem);

// Fails if one of the processes has ended: others were then not measured during the flood.
bool flood_still_runs(const struct flood_run *run, struct problem *problem);

void flood_stop(struct flood_run *run);

#endif
