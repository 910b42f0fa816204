// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An answer that waits until everybody has let go: engines that may be in the middle of
// a copy, and linked nodes whose sessions must be told.

#ifndef DAEMON_SETTLEMENT_H
#define DAEMON_SETTLEMENT_H

#include "list.h"

#include <stdint.h>

#define SETTLEMENT_LIMIT_MS 1000

struct event;
struct node;
struct session;

struct settlement {
    struct list link, session_link;
    struct session *session; // NULL once it has gone or was answered
    struct event *timer;
    uint64_t serial;
    unsigned holds;
};

// For the session's request `serial`, which is answered with ok when every hold was
// released after settlement_begin(), or when the time is up. NULL if memory is short.
struct settlement *settlement_new(struct session *session, uint64_t serial);

// All holds there will be are taken: from now on it may be answered, even at once. With
// NULL, answers the session at once.
void settlement_begin(struct settlement *settlement, struct session *session, uint64_t serial);

void settlement_hold(struct settlement *settlement);
void settlement_release(void *settlement); // struct settlement *

// Nobody is to be answered any more.
void settlement_forget(struct settlement *settlement);

// Those whose holders never let go: the engine must have ended.
void settlement_free_all(struct node *node);

#endif
