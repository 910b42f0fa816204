// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose turn it is: a tree. Users of this machine and nodes of others take turns, the users
// of a node within its turns, each user's clients within his, and at the leaves the queue
// pairs of each client. So whoever comes in greater number gets no more: a node on another
// machine says itself which users it has.

#ifndef DAEMON_ENGINE_TURNS_H
#define DAEMON_ENGINE_TURNS_H

#include "list.h"
#include "message.h"

#include <stdint.h>
#include <sys/types.h>

struct engine_turns {
    struct engine_turns *above; // NULL: the root
    struct list run_link;       // above->runnable, if anything is runnable here
    struct list runnable;       // the turns below; of a leaf, its items
    bool leaf;
};

void engine_turns_init(struct engine_turns *turns, struct engine_turns *above, bool leaf);

// An item of a leaf that waits for its turn, at the end of the queue; or no more.
void engine_turns_add(struct engine_turns *leaf, struct list *item);
void engine_turns_remove(struct engine_turns *leaf, struct list *item);

// Takes the item whose turn it is off; there must be one.
struct list *engine_turns_next(struct engine_turns *root);

// ---- who takes them -----------------------------------------------------------------------

struct engine_user {
    struct list link;
    struct engine_turns turns; // of his clients
    struct engine_user *node;  // he is a user of, with a reference; NULL: of this machine
    unsigned references;
    bool is_node; // no user, but that node
    uid_t uid;
    uint8_t id[NODE_ID_SIZE];
};

struct engine_users {
    struct list all;
    struct engine_turns turns;
};

void engine_users_init(struct engine_users *users);

// A reference; `node` (NODE_ID_SIZE) is NULL for a user of this machine. NULL if memory is
// short.
struct engine_user *engine_user_get(struct engine_users *users, uid_t uid, const uint8_t *node);
void engine_user_put(struct engine_user *user);

#endif
