// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An import: a session's use of an export of this node or of a linked one.

#ifndef DAEMON_IMPORT_H
#define DAEMON_IMPORT_H

#include "activity_page.h"
#include "copies.h"
#include "export_desc.h"
#include "idmap.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "state_table.h"

struct function;
struct grant;
struct limits;
struct node;
struct object_kind;
struct peer;
struct peer_request;
struct session;
struct settlement;

struct import {
    struct list link, session_link;
    struct idmap_node id;
    struct session *session;
    uint32_t slot;
    enum slot_state state; // SLOT_FREE while the owner is being asked
    struct export_desc desc;
    char owner_name[64];
    uint64_t address, length;
    uint32_t access;
    int lifeline;                 // of a sync event; -1: none
    struct grant *grant;          // the owner is this node
    struct peer *peer;            // the owner is a linked node, while the grant holds
    struct idmap_node grant_id;   // peer->imports_by_grant
    struct peer_request *request; // under way
    uint64_t serial;              // of the client's request
    bool wants_copies;
    struct copies copies;      // by the engine, for its session
    struct activity_wait wait; // until no thread of the session is at it any more
    struct peer *teller;       // the linked node that said that it ended, and waits too
    struct list teller_link;   // peer->told
    uint64_t teller_serial;
    struct kept kept;
};

// Checks the descriptor and the function, and asks the owner. Answers the request
// itself, now or later, if DOCA_SUCCESS is returned.
doca_error_t import_begin(struct session *session, uint64_t serial,
                          const Docad__ImportCreate *request, struct errtext *err);

// The owner took the grant back, or is out of reach. The import stays until its session
// releases it. `settlement` (may be NULL) learns when no thread is at it any more.
void import_end(struct import *import, enum slot_state state, struct settlement *settlement);

// The linked node that owns the memory ended the grant: told when no thread is at it.
void import_end_there(struct import *import, enum slot_state state, uint64_t serial);

// Gives the grant back. Takes NULL, returns NULL.
struct import *import_free(struct import *import);

// The linked node, or NULL for this one, that an id names. DOCA_ERROR_NOT_FOUND if it is
// foreign, DOCA_ERROR_DRIVER if it is known but out of reach. `what` is for the text.
doca_error_t import_find_owner(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *what,
                               struct peer **out, struct errtext *err);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind import_kind;

// Puts its record.
void import_keep(struct import *import);

// NULL if memory is short.
struct import *import_make(struct session *session, const struct export_desc *desc);

doca_error_t import_enter(struct import *import, uint64_t id, const struct limits *limits,
                          struct errtext *err);

// What it was granted by this node itself.
void import_take_grant(struct import *import, struct grant *grant);

#endif
