// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The scheduler of the engine, a tree of round-robin queues: users of this machine and nodes on
// other machines take turns; the users of a node share the node's turns, and the clients of a user
// share the user's. The leaves hold the queue pairs of each client. So more clients do not get more
// turns, which matters because a node on another machine reports its users itself.

#ifndef DAEMON_ENGINE_SCHED_H
#define DAEMON_ENGINE_SCHED_H

#include "list.h"
#include "message.h"

#include <stdint.h>
#include <sys/types.h>

struct engine_sched {
    struct engine_sched *above; // parent; NULL: the root
    struct list in_above;       // in above->runnable if anything is runnable here
    struct list runnable;       // runnable children; in a leaf, its items
    bool leaf;
};

void engine_sched_init(struct engine_sched *sched, struct engine_sched *above, bool leaf);

// Adds an item at the end of a leaf's queue, to wait for its turn; or removes it.
void engine_sched_add(struct engine_sched *leaf, struct list *item);
void engine_sched_remove(struct engine_sched *leaf, struct list *item);

// Removes the item whose turn it is; there must be one.
struct list *engine_sched_next(struct engine_sched *root);

// Returns whether another entry waits at the level of `sched` or above it.
bool engine_sched_others(const struct engine_sched *sched);

// ---- users -----------------------------------------------------------------------

struct engine_user {
    struct list in_users;
    struct engine_sched sched; // schedules the user's clients
    struct engine_user *node;  // the user's node, with a reference; NULL: this machine
    unsigned references;
    bool is_node; // not a user but the node itself
    uid_t uid;
    uint8_t id[NODE_ID_SIZE];
};

struct engine_users {
    struct list all;
    struct engine_sched sched;
};

void engine_users_init(struct engine_users *users);

// Returns a reference; `node` (NODE_ID_SIZE) is NULL for a user of this machine. NULL if
// memory runs out.
struct engine_user *engine_user_get(struct engine_users *users, uid_t uid, const uint8_t *node);
void engine_user_put(struct engine_user *user);

#endif
