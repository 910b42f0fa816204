// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The objects that this node continues with over a link that has come back: their ids, for
// PeerResume.

#ifndef DAEMON_PEER_NAMES_H
#define DAEMON_PEER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct peer;
struct peer_names;

// The lists of PeerResume. An endpoint has its own id in one list and the id of its other side
// in the next.
enum names {
    NAMES_GRANTS,
    NAMES_QUEUE_PAIRS,
    NAMES_ENDPOINTS,
    NAMES_ENDPOINTS_THERE,
    NAMES_CHANNELS,
    NAMES_LISTS
};

#define PEER_NAMES_MAX 1024 // ids of one list in one message

// Names are sent to the linked node as they are added. NULL if memory runs out.
struct peer_names *peer_names_new(struct peer *peer);
struct peer_names *peer_names_free(struct peer_names *names); // takes NULL, returns NULL
// Adds up to *steps objects of all kinds, which is counted down. False if some are left.
bool peer_names_add_some(struct peer_names *names, unsigned *steps);
void peer_names_add(struct peer_names *names, enum names list, uint64_t id);
void peer_names_add_endpoint(struct peer_names *names, uint64_t id, uint64_t there);

// Called when all names were added. With `more`, peer_names_last() follows later.
void peer_names_end(struct peer_names *names, bool more);
void peer_names_last(struct peer *peer);

#endif
