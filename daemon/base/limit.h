// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Quotas: what one session or one uid of this node may hold, and what docad may hold for one linked
// node. A charge is taken before the resource, and released with the resource.

#ifndef DAEMON_LIMIT_H
#define DAEMON_LIMIT_H

#include "errtext.h"
#include "list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit {
    LIMIT_SESSIONS,                          // per uid
    LIMIT_REGIONS,                           // per session
    LIMIT_EXPORTS,                           // per session
    LIMIT_IMPORTS,                           // per session
    LIMIT_QUEUE_PAIRS,                       // per session
    LIMIT_PUBLICATIONS,                      // per uid
    LIMIT_LOOKUPS,                           // per session, waiting
    LIMIT_QUEUED_OUTPUT,                     // bytes, per connection
    LIMIT_REGION_BYTES,                      // per uid
    LIMIT_DESCRIPTORS,                       // per uid, file descriptors that docad keeps open
    LIMIT_STATE_SLOTS,                       // per uid, of the state table
    LIMIT_CHANNELS,                          // per session: services, channels, listeners
    LIMIT_PINNED_BYTES,                      // per uid, registered with RDMA devices
    LIMIT_METADATA,                          // per uid, bytes of docad's own memory
    LIMIT_MONITORS,                          // per uid, sessions that follow events
    LIMIT_LISTENERS,                         // per uid, RDMA listeners
    LIMIT_PEER_FIRST,                        // from here on: limits of linked nodes
    LIMIT_PEER_IMPORTERS = LIMIT_PEER_FIRST, // sessions on the linked node that use exports of ours
    LIMIT_PEER_GRANTS,                       // imports of those sessions
    LIMIT_PEER_QUEUE_PAIRS,
    LIMIT_PEER_PUBLICATIONS,
    LIMIT_PEER_DESCRIPTORS,     // file descriptors that docad keeps open for it
    LIMIT_IMPORTER_GRANTS,      // per session on the linked node
    LIMIT_IMPORTER_QUEUE_PAIRS, // likewise
    LIMIT_ALL_PINNED_BYTES,     // of all users together
    LIMIT_ALL_METADATA,         // likewise
    LIMIT_ALL_DESCRIPTORS,      // likewise
    LIMIT_COUNT,
};

#define LIMIT_UNLIMITED UINT64_MAX

// Users share a resource: each may have half of what the others leave. So there is something for a
// new user, however much the others have taken.
struct limits {
    uint64_t value[LIMIT_COUNT];
    const struct list *users; // who share what docad has: struct user; NULL: not shared
};

void limits_init(struct limits *limits);

// The name in the `limits` section of the configuration: "sessions_per_uid".
const char *limit_option(enum limit limit);

// Describes the default that limits_init() sets if it depends on the machine; else NULL.
const char *limit_default(enum limit limit);

// Reads "4096", "64K", "2G" or "unlimited".
bool limit_parse(const char *text, uint64_t *out);

// Adds `amount` to *used. Fails with DOCA_ERROR_NO_MEMORY and a text that names the limit,
// its value and the option that raises it.
doca_error_t limit_take(const struct limits *limits, enum limit limit, uint64_t *used,
                        uint64_t amount, struct errtext *err);

// Subtracts `amount` from *used. Giving back more than was taken is a bug and aborts docad
// if assertions are on.
void limit_give(uint64_t *used, uint64_t amount);

// Returns the share that a user may have of a resource, of which the others have `others`.
uint64_t limit_share(uint64_t all, uint64_t others);

// Fails if taking `amount` would leave too little for other users; takes nothing.
doca_error_t limit_check_share(const struct limits *limits, enum limit limit, const uint64_t *used,
                               uint64_t amount, struct errtext *err);

struct user;

// Returns what all users have of each limit of users.
struct limit_sums {
    uint64_t of[LIMIT_PEER_FIRST];
};

void limit_sum(const struct limits *limits, struct limit_sums *sums);

// Gets a user's usage of a limit, and the most that the user may have as long as the others' usage
// stays the same. Returns false for a limit that does not count by user.
bool limit_of_user(const struct limits *limits, enum limit limit, const struct limit_sums *sums,
                   const struct user *user, uint64_t *used, uint64_t *most);

// The cost of something that counts towards more than one limit. With `all`, the limit is what
// several users share, and *all what they have of it together.
struct charge {
    enum limit limit;
    uint64_t *used, amount, *all;
};

// Takes all charges or none. With `limits` NULL nothing is refused: that is for objects of an
// earlier docad, whatever is allowed now.
doca_error_t limit_take_all(const struct limits *limits, const struct charge *charges, size_t n,
                            struct errtext *err);
void limit_give_all(const struct charge *charges, size_t n);

#endif
