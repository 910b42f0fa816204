// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The common part of the objects of all kinds: an id, an owner, lists and charges. A kind embeds it
// as its member `object`.

#ifndef DAEMON_OBJECT_H
#define DAEMON_OBJECT_H

#include "fdstore.h"
#include "idmap.h"
#include "limit.h"
#include "list.h"
#include "state_table.h"

#include <record.pb-c.h>

#define OBJECT_KINDS   32 // more than the number of any kind of record
#define OBJECT_CHARGES 4
#define OBJECT_BYTES   1024 // approximate size of one

struct node;
struct session;

struct object {
    Docad__Record__WhatCase kind;
    struct node *node;
    struct session *session; // the owner; NULL: it does not belong to a session of this node
    uint64_t id;
    struct idmap_node by_id;         // node->objects[kind].by_id
    struct idmap_node by_user;       // its owner's user's list, if there is one: user.h
    struct list in_node, in_session; // objects[kind] of the node, and of the session
    struct charge charges[OBJECT_CHARGES];
    size_t n_charges;
    uint32_t slot; // its word of the state table, or STATE_SLOT_NONE
    bool in_use;   // counted as such
    bool shown;    // others have been shown that its owner has gone
    struct stored stored;
};

// The objects of one kind that a node has, in the order of their ids.
struct objects {
    struct list list;
    struct idmap by_id;
    size_t n_in_use; // see object_use()
};

// Initializes an object that is all zero.
void object_init(struct object *object, Docad__Record__WhatCase kind, struct node *node,
                 struct session *session);

// Makes it an object of its node and its session, with this id, and charges it (`limits` NULL: no
// limits apply). The charges are remembered.
doca_error_t object_enter(struct object *object, uint64_t id, const struct charge *charges,
                          size_t n_charges, const struct limits *limits, struct errtext *err);

// The opposite: it also releases its slot, and its record is removed from the store.
void object_leave(struct object *object);

// Counts it as in use until it leaves: some kinds exist while their request is not answered yet.
void object_use(struct object *object);

// Allocates a word of the state table, which is charged to the owner.
doca_error_t object_take_slot(struct object *object, struct errtext *err);

// Shows the owner's client the state of the object, if it has a slot.
void object_show(const struct object *object, enum slot_state state);

// Initializes the record of the object.
void object_record(const struct object *object, Docad__Record *record);

// Puts the record into the store, in the share of the owner's user: see fdstore_put().
doca_error_t object_put(struct object *object, Docad__Record *record, const int *fds, size_t n_fds,
                        struct errtext *err);

// The object was restored from this item: the record is its own.
void object_take(struct object *object, struct stored_item *item);

// Returns NULL if there is none.
struct object *object_find(const struct node *node, Docad__Record__WhatCase kind, uint64_t id);

// The object of this kind, as in a Docad__Record ("REGION"), with this id; NULL if the node has
// none. `type` is its structure.
#define OBJECT_GET(node, kind, id, type)                                                           \
    ({                                                                                             \
        struct object *object_found = object_find(node, DOCAD__RECORD__WHAT_##kind, id);           \
        object_found ? container_of(object_found, type, object) : NULL;                            \
    })

// The same; NULL if the object is not the session's.
#define OBJECT_OF_SESSION(owner, kind, id, type)                                                   \
    ({                                                                                             \
        type *object_of = OBJECT_GET((owner)->node, kind, id, type);                               \
        object_of && object_of->object.session == (owner) ? object_of : NULL;                      \
    })

// The list of the objects of this kind; the member is object.in_node, or object.in_session.
#define NODE_OBJECTS(node, kind)       (&(node)->objects[DOCAD__RECORD__WHAT_##kind].list)
#define SESSION_OBJECTS(session, kind) (&(session)->objects[DOCAD__RECORD__WHAT_##kind])

// The id map of the objects of this kind, in the order of their ids; the member is object.by_id.
#define NODE_MAP(node, kind)            (&(node)->objects[DOCAD__RECORD__WHAT_##kind].by_id)
#define NODE_OBJECTS_COUNT(node, kind)  (NODE_MAP(node, kind)->count)
#define NODE_OBJECTS_IN_USE(node, kind) ((node)->objects[DOCAD__RECORD__WHAT_##kind].n_in_use)

// The first object of the session, of this kind, of which others have not been shown that the owner
// has gone; NULL if there is none. object_shown() puts it behind the others.
struct object *session_first_unshown(const struct session *session, Docad__Record__WhatCase kind);
void object_shown(struct object *object);

// Shows others that the session has gone, and then ends its objects, in the order of the table of
// kinds: up to *steps objects, which is counted down. False if some are left.
bool session_end_some(struct session *session, unsigned *steps);

// Ends what the session has, in the order of the table of kinds: all of it (`serial` 0), or what
// this request has made.
void session_end_objects(struct session *session, uint64_t serial);

#endif
