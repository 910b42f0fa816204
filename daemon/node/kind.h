// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The kinds of objects that a node has. Each kind registers once, as a row of the table that the
// node is given (main/kinds.c), what it does when something ends that its objects depend on: a
// session, a function, a link. The code that ends it calls all kinds, in the order of the table,
// without knowing any of them.
// X_make() makes the structure alone. X_enter() then makes it an object of its session and of the
// node, with its id, and charges it (`limits` NULL: no limits apply), and X_leave() is the
// opposite: both add the kind's own part to object.h. New objects and those of an earlier docad
// enter in the same way.

#ifndef DAEMON_KIND_H
#define DAEMON_KIND_H

#include "errtext.h"
#include "message.h"
#include "state_table.h"

#include <docad.pb-c.h>
#include <record.pb-c.h>
#include <stdint.h>

struct function;
struct stored_item;
struct node;
struct object;
struct peer;
struct peer_names;
struct request;
struct session;

// Answers the request, now or later, if it returns DOCA_SUCCESS; otherwise the caller does.
typedef doca_error_t (*request_fn)(struct request *request);

// A request of clients and its name, for logs.
struct kind_request {
    Docad__Message__BodyCase body;
    const char *name;
    request_fn fn;
};

// A message of linked nodes.
struct kind_message {
    Docad__Message__BodyCase body;
    void (*fn)(struct peer *peer, const Docad__Message *message);
    // Handles a message that brings descriptors, instead of the member above.
    void (*with_fds)(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
};

// A member is NULL if the kind has nothing to do for it.
struct object_kind {
    // Each list ends with an entry that is all zero.
    const struct kind_request *requests;
    const struct kind_message *messages;

    // ---- docad after docad: fdstore.h ------------------------------------------------------

    // Makes an object from a record of this kind; leaves the item untaken if the object's owner
    // does not exist.
    Docad__Record__WhatCase record;
    void (*restore)(struct node *node, struct stored_item *item);
    // Called after all records were restored: ends objects whose other half is missing.
    void (*settle)(struct node *node);

    // ---- sessions -----------------------------------------------------------------------

    // Ends one object whose owner has gone, and frees it; or ends a part of it, of up to *steps
    // steps, which is counted down, and is called again.
    void (*end)(struct object *object, unsigned *steps);
    // For kinds that do not embed struct object, and in place of the member above: ends what the
    // session has, all of it (`serial` 0) or what this request has made.
    void (*end_of)(struct session *session, uint64_t serial);
    // Likewise for kinds of which a session may have many: ends one that the session has, when the
    // session ends; false if there is none. And ends what this request has made.
    bool (*end_one)(struct session *session);
    void (*undo)(struct session *session, uint64_t serial);
    // Called when the session has ended, before its objects do: shows others that they may use none
    // of them. Up to *steps of them, which is counted down; false if some are left.
    bool (*owner_gone)(struct session *session, unsigned *steps);
    // Called when memory that the session has imported is gone.
    void (*memory_gone)(struct session *session);

    // ---- functions and exports ----------------------------------------------------------

    // Called when a function of this node has ended: objects on it end with `state`.
    void (*function_gone)(struct node *node, const struct function *function,
                          enum slot_state state);
    // Called when an export of this node or of a linked one has ended.
    void (*export_gone)(struct node *node, const uint8_t *owner, uint64_t export_id);

    // ---- links: peer_resume.h -----------------------------------------------------------

    // Called when the node is back, but `to` represents it now.
    void (*adopt)(struct peer *to, struct peer *from);
    // Marks the objects that the linked node must name, and that peer_named.h does not know; those
    // that it does not name have ended there.
    void (*mark)(struct peer *peer);
    // Names up to *steps objects that this node continues with, which is counted down, in the order
    // of ids, beginning after *after, which it advances. False if some are left.
    bool (*name)(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps);
    // Handles the objects that the linked node has named, and tells it which of them do not
    // exist.
    void (*confirm)(struct peer *peer, const Docad__PeerResume *named);
    // Both end up to *steps objects, which is counted down: those that the linked node has not
    // named; all of them, when the node is gone or will not come back. False if some are left:
    // peer_pieces.h.
    bool (*sweep)(struct peer *peer, unsigned *steps);
    bool (*gone)(struct peer *peer, unsigned *steps);
};

// Counts a step down; false if there is none.
static inline bool kind_step(unsigned *steps)
{
    if (*steps == 0)
        return false;
    --*steps;
    return true;
}

// Calls this member of every kind that has it.
#define KINDS_CALL(node, member, ...)                                                              \
    do {                                                                                           \
        for (const struct object_kind *const *kind = (node)->kinds; kind && *kind; kind++)         \
            if ((*kind)->member)                                                                   \
                (*kind)->member(__VA_ARGS__);                                                      \
    } while (0)

#endif
