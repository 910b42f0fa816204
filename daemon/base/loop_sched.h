// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The scheduler of docad's loop: round robin among users, and among the items of each user
// (messages to read, lists to send). So a user waits for one short turn of each other busy user,
// however much those have queued. A user whose turn took long (a message with a thousand segments,
// say) is throttled while others are active: otherwise one that sends such a request after the
// other would delay each of theirs. Users whose number an attacker can choose, such as connections
// that have not been authenticated, are throttled as one group, and for longer.
//
// Turns are fair only if each is short. So no handler of a request, of a message of a linked node
// or of an event takes time that grows with what another user has, and none does in one turn what
// grows with what its own user has: it finds objects by an index (tree.h, idmap.h), counts them
// when they are created and destroyed (object.h), and does in pieces what concerns many of them
// (ending.h, session_end.h, peer_pieces.h, work_walk.h).

#ifndef DAEMON_LOOP_SCHED_H
#define DAEMON_LOOP_SCHED_H

#include "list.h"

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct sched; // of one loop

// Users that are throttled together. All zero at first.
struct sched_group {
    uint64_t throttled_until_ns;
};

// A user, or a linked node.
struct sched_user {
    struct list in_runnable;
    struct list waiting; // struct sched_item
    uint64_t throttled_until_ns;
    struct sched_group *group; // NULL: none
    bool is_internal;          // docad's own work: no user is throttled in favour of it
};

// Work to be done in pieces.
struct sched_item {
    struct list in_user;
    struct sched *sched;
    struct sched_user *user;
    // Does one short piece. Returns whether to queue the item again. May dequeue any item.
    bool (*take)(struct sched_item *turn);
};

struct sched *sched_new(struct event_base *base); // NULL if memory or descriptors run out
struct sched *sched_free(struct sched *sched);    // no user may wait; takes NULL, returns NULL

void sched_user_init(struct sched_user *user, struct sched_group *group); // `group` may be NULL
bool sched_user_waits(const struct sched_user *user);

// Queues the item: the loop calls take() when it is its turn. Does nothing if it is queued already.
void sched_queue(struct sched_item *turn);

// Returns whether the item is queued and all waiting users are throttled. The caller may stop
// watching its descriptor until take() is called.
bool sched_is_throttled(const struct sched_item *turn);

// Removes the item from the queue.
void sched_dequeue(struct sched_item *turn);

// Moves the item, and its place in the queue, to another user.
void sched_move(struct sched_item *turn, struct sched_user *user);

#endif
