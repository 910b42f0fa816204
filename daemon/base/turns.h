// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose turn it is in the loop. Users take turns, and what one user wants to have done (messages
// to read, lists to send) takes turns within the user's. So a user waits for one short turn of each
// other user who is busy, however much those want. A piece that takes long (a message with a
// thousand segments, say) costs its user a rest if others are about: otherwise somebody who asks
// for one thing after the other would wait that long each time. Strangers, who may come under as
// many names as they like, rest together, and longer.
//
// Turns are fair only if each is short. So no handler of a request, of a message of a linked node
// or of an event takes time that grows with what another user has, and none does in one turn what
// grows with what its own user has: it finds objects by an index (tree.h, idmap.h), counts them
// where they come and go (object.h), and does in pieces what concerns many of them (ending.h,
// work_walk.h).

#ifndef DAEMON_TURNS_H
#define DAEMON_TURNS_H

#include "list.h"

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct turns; // of one loop

// Those who rest together. All zero at first.
struct turn_crowd {
    uint64_t rests_until_ns;
};

// A user, or a linked node.
struct turn_user {
    struct list in_turns;
    struct list waiting; // struct turn
    uint64_t rests_until_ns;
    struct turn_crowd *crowd; // NULL: none
    bool is_nobody;           // works for whoever it is: no user rests because of it
};

// Something to be done in pieces.
struct turn {
    struct list in_user;
    struct turns *turns;
    struct turn_user *user;
    // Does one short piece; true if it is to be called again. It may drop any turn.
    bool (*take)(struct turn *turn);
};

struct turns *turns_new(struct event_base *base); // NULL if memory or descriptors run out
struct turns *turns_free(struct turns *turns);    // nobody may wait; takes NULL, returns NULL

void turn_user_init(struct turn_user *user, struct turn_crowd *crowd); // `crowd` may be NULL
bool turn_user_waits(const struct turn_user *user);

// Calls take() from the loop, when it is this one's turn. A second call changes nothing.
void turn_want(struct turn *turn);

// Is it wanted while all who want one rest? Until it is taken, the loop has nothing to do for it:
// who is told again and again that it is wanted can do without that meanwhile.
bool turn_rests(const struct turn *turn);

// Calls it no more.
void turn_drop(struct turn *turn);

// Counts for another user from now on.
void turn_move(struct turn *turn, struct turn_user *user);

#endif
