// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad keeps for the docad that follows it: a record (proto/record.proto) of each object, and
// the object's descriptors.
//
// The service manager holds a constant number of descriptors for that, which it gets when docad
// starts for the first time: a file of records (record_file.h), and sockets whose queues have the
// descriptors (fd_store_socket.h). It is not involved afterwards. Whenever docad dies, the store is
// consistent: descriptors enter it before the record that refers to them, and leave it after.
//
// All users share the space for records: no user gets more than what is then left for the others.

#ifndef DAEMON_FDSTORE_H
#define DAEMON_FDSTORE_H

#include "errtext.h"
#include "message.h"

#include <record.pb-c.h>
#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct user;

// Embedded in each object that is kept. All zero: the object is not in the store.
struct stored {
    uint64_t version; // of its record
    uint64_t serial;  // of the request that made the object
    struct user *user;
    uint32_t place, n_places; // in the file of records
    uint64_t key;             // of its descriptors
    uint32_t n_fds, slot;     // of the slot of fd_store_socket.h that has them
};

// Returns whether there is a store. $FDSTORE is the number of descriptors that the service manager
// holds for docad.
void fdstore_init(void);
bool fdstore_is_on(void);

// Stores the object, or replaces its earlier record. It is charged to the user, which outlives it;
// NULL: it is docad's own. The caller keeps the descriptors. `fds` NULL: those of the earlier
// record. DOCA_ERROR_NO_MEMORY: there is no room for it, and nothing has changed.
doca_error_t fdstore_put(struct stored *stored, Docad__Record *record, struct user *user,
                         const int *fds, size_t n_fds, struct errtext *err);

// Logs that a change of an object could not be stored: the earlier record stays.
void fdstore_note(doca_error_t result, const struct errtext *err);
void fdstore_drop(struct stored *stored);

// Frees memory of the records of former objects, a little at a time. Returns true if there is more.
bool fdstore_trim(void);

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
    struct stored stored;
    bool has_fds;
    bool taken; // an object was restored from it; items not taken leave the store
};

struct stored_items {
    struct stored_item *items;
    size_t count, room;
};

// Takes a descriptor that the manager passed under this name. Returns false if it is not of the
// store.
bool fdstore_receive(int fd, const char *name);

// Returns whether memory ran out in fdstore_receive(). A docad that continued would keep the
// sockets of unknown clients open: they would get no answers, and no end of file.
bool fdstore_missed(void);

// Called after the last fdstore_receive(): reads the records of an earlier docad, sorted by kind
// and id, or makes the store. Invalid records are refused and logged.
void fdstore_read(struct stored_items *items);

// From now on, descriptors that leave the store are closed in this loop.
void fdstore_begin(struct event_base *base);
void fdstore_end(void);

// Returns the record in these bytes, which has `n_fds` descriptors; NULL if it is not valid.
Docad__Record *record_read(const void *bytes, size_t size, size_t n_fds);

// The item's object was restored: `stored` belongs to this item's record from now on.
void fdstore_take(struct stored_item *item, struct stored *stored, struct user *user);
// Charges the object to its user, which is found after its record.
void fdstore_charge(struct stored *stored, struct user *user);
void stored_item_free(struct stored_item *item);
void fdstore_items_free(struct stored_items *items);

#endif
