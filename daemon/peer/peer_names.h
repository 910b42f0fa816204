// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What this node goes on with over a link that has come back: ids, for PeerResume.

#ifndef DAEMON_PEER_NAMES_H
#define DAEMON_PEER_NAMES_H

#include <stdint.h>

struct peer;
struct peer_names;

// The lists of PeerResume. An endpoint has its own id in one and its other side's in the next.
enum names {
    NAMES_GRANTS,
    NAMES_QUEUE_PAIRS,
    NAMES_ENDPOINTS,
    NAMES_ENDPOINTS_THERE,
    NAMES_CHANNELS,
    NAMES_LISTS
};

// Names go to the linked node as they come. NULL if memory is short.
struct peer_names *peer_names_new(struct peer *peer);
void peer_names_add(struct peer_names *names, enum names list, uint64_t id);
void peer_names_add_endpoint(struct peer_names *names, uint64_t id, uint64_t there);

// Those were all.
void peer_names_end(struct peer_names *names);

#endif
