// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A grace period: a request that ends an object is answered when every user of the object has
// released it. Users are engines that may be in the middle of a copy, and linked nodes whose
// sessions have to be notified.

#ifndef DAEMON_GRACE_PERIOD_H
#define DAEMON_GRACE_PERIOD_H

#include "list.h"

#include <stdint.h>

struct event;
struct node;
struct session;

struct grace_period {
    struct list in_node, in_session;
    struct list in_memory;         // see grace_period_add_to()
    struct grace_period *follower; // waits for this one, too; or NULL
    struct node *node;
    struct session *session; // NULL when it has ended or was answered
    struct event *timer;
    uint64_t serial;
    unsigned holds;
};

// Makes the grace period for the session's request `serial`. The request is answered with ok when
// every hold was released after grace_period_start(), or after config.release_limit_ms. NULL if
// memory runs out.
struct grace_period *grace_period_new(struct session *session, uint64_t serial);

// Called after all holds were taken: from now on the request may be answered, even before this
// returns. The session may have gone. Without a grace period this answers the session.
void grace_period_start(struct grace_period *grace, struct session *session, uint64_t serial);

void grace_period_hold(struct grace_period *grace);
void grace_period_release(void *grace); // struct grace_period *

// Adds the grace period to a list of its region. Others may use the region's memory until the grace
// period is over.
void grace_period_add_to(struct grace_period *grace, struct list *of_memory);

// Makes `grace` also wait for all grace periods in this list, and empties the list.
void grace_period_follow(struct grace_period *grace, struct list *of_memory);

// Empties the list. The grace periods continue.
void grace_periods_unlink(struct list *of_memory);

// Cancels the answer.
void grace_period_cancel(struct grace_period *grace);

// Frees grace periods whose holders never released them: the engine must have ended.
void grace_period_free_all(struct node *node);

#endif
