// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The records that docad puts into the service manager's store of descriptors.
//
// Each object has one capsule: a socket with one packet in its queue, which holds the
// record (proto/record.proto) and, beside it, the object's descriptors. Record and
// descriptors therefore enter the store together or not at all, and the store is consistent
// whenever docad dies. The store itself would accept a descriptor that several objects
// share only once; here it is in every capsule that needs it. Reading a capsule does not
// change it, so that it serves the next restart too.

#ifndef DAEMON_FDSTORE_H
#define DAEMON_FDSTORE_H

#include "message.h"

#include <record.pb-c.h>
#include <stdbool.h>
#include <stdint.h>

// Embedded in each object that is kept. All zero: the object is not in the store.
struct stored {
    uint64_t name;   // the capsule's name
    uint64_t serial; // serial of the request that made the object
};

// Is there a store? $FDSTORE says how many descriptors it holds.
void fdstore_init(void);
bool fdstore_is_on(void);

// Replaces the object's earlier record, if there is one. A failure is logged; the object
// then ends with this docad. The caller keeps the descriptors.
void fdstore_put(struct stored *stored, Docad__Record *record, const int *fds, size_t n_fds);
void fdstore_drop(struct stored *stored);

// Initializes the record of the object with this id, in this session (0: no session).
void record_init(Docad__Record *record, uint64_t id, uint64_t session_id,
                 const struct stored *stored);

static inline ProtobufCBinaryData record_bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)data};
}

// ---- at the start ---------------------------------------------------------------------

struct stored_item {
    Docad__Record *record;
    struct fd_list fds; // descriptors left here are closed when the items are freed
    uint64_t name;
    bool taken; // an object was restored from it; items not taken leave the store
};

struct stored_items {
    struct stored_item *items;
    size_t count;
};

// Reads a descriptor that the manager passed, with its name. True if it is a capsule, which
// is then closed here.
bool fdstore_receive(struct stored_items *items, int fd, const char *name);

// Called after the last fdstore_receive(): sorts the items by kind and id and keeps only the
// last version of each.
void fdstore_sort(struct stored_items *items);

// The item's object was restored: `stored` belongs to this capsule from now on.
void fdstore_take(struct stored_item *item, struct stored *stored);
void fdstore_items_free(struct stored_items *items);

#endif
