// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An answer that waits until every user of an object has released it: engines that may be in the
// middle of a copy, and linked nodes whose sessions must be told.

#ifndef DAEMON_SETTLEMENT_H
#define DAEMON_SETTLEMENT_H

#include "list.h"

#include <stdint.h>

struct event;
struct node;
struct session;

struct settlement {
    struct list in_node, in_session;
    struct list in_memory;       // see settlement_note()
    struct settlement *follower; // waits for this one, too; or NULL
    struct node *node;
    struct session *session; // NULL when it is gone or was answered
    struct event *timer;
    uint64_t serial;
    unsigned holds;
};

// Makes the settlement for the session's request `serial`. The request is answered with ok when
// every hold was released after settlement_begin(), or after config.release_limit_ms. NULL if
// memory runs out.
struct settlement *settlement_new(struct session *session, uint64_t serial);

// Called after all holds were taken: from now on the request may be answered, even before this
// returns. The session may have gone. Without a settlement this answers the session.
void settlement_begin(struct settlement *settlement, struct session *session, uint64_t serial);

void settlement_hold(struct settlement *settlement);
void settlement_release(void *settlement); // struct settlement *

// Notes the settlement in a list of its region, whose memory others may still use until the
// settlement is over.
void settlement_note(struct settlement *settlement, struct list *of_memory);

// Waits for all that are in this list, which is empty afterwards.
void settlement_follow(struct settlement *settlement, struct list *of_memory);

// Forgets the list.
void settlements_forget(struct list *of_memory);

// Cancels the answer.
void settlement_forget(struct settlement *settlement);

// Frees settlements whose holders never released them: the engine must have ended.
void settlement_free_all(struct node *node);

#endif
