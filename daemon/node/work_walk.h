// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The sum of the work that all programs report (session_stats.h), for metrics. Programs write their
// counts into shared memory, so docad can keep no sum of its own and must read the pages of all
// sessions. If there are many sessions, it reads them in pieces (loop_sched.h), once for all
// requests that wait for the sum.

#ifndef DAEMON_WORK_WALK_H
#define DAEMON_WORK_WALK_H

#include "list.h"
#include "loop_sched.h"

#include <stdbool.h>

struct node;
struct session;
struct session_work;
struct work_walk;

// A request that waits for the sum.
struct work_wait {
    struct list in_walk;
    // Called when the sum is complete: see work_wait_sum(). If there are few sessions, it is called
    // before work_wait_begin() returns.
    struct sched_item turn;
};

void work_wait_init(struct work_wait *wait);

// Waits: wait->turn is taken once. Returns false if memory runs out. It must not wait already.
bool work_wait_begin(struct node *node, struct work_wait *wait);
bool work_waits(const struct work_wait *wait);

// The latest sum.
const struct session_work *work_wait_sum(const struct node *node);

// Waits no more.
void work_wait_end(struct work_wait *wait);

// Called when a session has ended and node->counters.ended contains its counts.
void work_walk_session_ended(const struct session *session);

// Nothing may wait. Takes NULL, returns NULL.
struct work_walk *work_walk_free(struct work_walk *walk);

#endif
