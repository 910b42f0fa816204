// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The service manager's store of descriptors, and what docad puts there.
//
// For each object there is one capsule: a socket in whose queue lies one packet, the record
// (proto/kept.proto) and the object's descriptors beside it. Record and descriptors thus
// come into the store together or not at all, so that it is consistent whenever docad dies;
// and a descriptor that several objects share, which the store itself would take only once,
// is in as many capsules as it must. Reading a capsule leaves it as it was, for the docad
// after next.

#ifndef DAEMON_KEEP_H
#define DAEMON_KEEP_H

#include "message.h"

#include <kept.pb-c.h>
#include <stdbool.h>
#include <stdint.h>

// Embedded in what is kept; all zero: nothing is in the store.
struct kept {
    uint64_t name;   // of the capsule
    uint64_t serial; // of the request that made the object
};

// Is there a store? $FDSTORE says how many descriptors it holds.
void keep_init(void);
bool keep_is_on(void);

// Puts the record in place of an earlier one. A failure is logged: the object ends with
// this docad. The descriptors stay the caller's.
void keep_put(struct kept *kept, Docad__Kept *record, const int *fds, size_t n_fds);
void keep_drop(struct kept *kept);

// A record of the object with this id, of this session (0: none).
void keep_record_init(Docad__Kept *record, uint64_t id, uint64_t session_id,
                      const struct kept *kept);

static inline ProtobufCBinaryData keep_bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)data};
}

// ---- at the start ---------------------------------------------------------------------

struct keep_item {
    Docad__Kept *record;
    struct fd_list fds; // what is left in it when the items are freed is closed
    uint64_t name;
    bool taken; // somebody goes on with it; the others leave the store
};

struct keep_items {
    struct keep_item *items;
    size_t count;
};

// A descriptor that the manager passed, with its name: true if it is a capsule, which is
// then closed here.
bool keep_receive(struct keep_items *items, int fd, const char *name);

// All are there: by kind and id, and only the last version of each.
void keep_sort(struct keep_items *items);

// Its object goes on: what is in `kept` from now on is this capsule's.
void keep_take(struct keep_item *item, struct kept *kept);
void keep_items_free(struct keep_items *items);

#endif
