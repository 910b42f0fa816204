// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The objects here that a linked node must name when its link is back (peer_resume.h), kind by
// kind: those that it does not name have ended there. They are kept in the order in which they came
// or were named last, so that those that are not named yet are the first ones, however many there
// are.

#ifndef DAEMON_PEER_NAMED_H
#define DAEMON_PEER_NAMED_H

#include "idmap.h"

#include <stdbool.h>
#include <stdint.h>

struct peer;

enum named {
    NAMED_GRANTS,
    NAMED_QUEUE_PAIRS,
    NAMED_ENDPOINTS,
    NAMED_CHANNELS,
    NAMED_RELAYS,
    NAMED_KINDS
};

// All zero at first.
struct peer_named {
    struct idmap kinds[NAMED_KINDS]; // by the number of the moment when they came or were named
    uint64_t last, marked;           // that number, and the one up to which the link's end was
};

void peer_named_add(struct peer *peer, enum named kind, struct idmap_node *object);
void peer_named_remove(struct peer *peer, enum named kind, struct idmap_node *object);

// The link is back: all objects must be named.
void peer_named_mark(struct peer *peer);

// The node has named the object, or need not.
void peer_named_again(struct peer *peer, enum named kind, struct idmap_node *object);

// Must the object still be named?
bool peer_named_is_missing(const struct peer *peer, const struct idmap_node *object);

// One that must still be named; NULL if there is none.
struct idmap_node *peer_named_missing(const struct peer *peer, enum named kind);

// `to`, which has none, gets all of them.
void peer_named_adopt(struct peer *to, struct peer *from);

#endif
