// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An import: the user's side, a session's use of one export of this node or of a linked one. What
// the export's node holds for it is a grant (grant.h) of an importer (importer.h).

#ifndef DAEMON_IMPORT_H
#define DAEMON_IMPORT_H

#include "activity_page.h"
#include "copies.h"
#include "export_desc.h"
#include "idmap.h"
#include "list.h"
#include "message.h"
#include "object.h"
#include "state_table.h"

struct ending;
struct function;
struct grant;
struct limits;
struct node;
struct object_kind;
struct peer;
struct peer_request;
struct session;
struct grace_period;

struct import {
    struct object object;
    enum slot_state
        state; // SLOT_FREE while the request to the owner is pending, otherwise it is in use
    struct export_desc desc;
    char owner_name[64];
    uint64_t address, length;
    uint32_t access;
    int lifeline;                 // for a sync event; -1: none
    struct grant *grant;          // the grant if the owner is this node
    struct ending *ending;        // of the exports that delegate it, before the import is released
    struct peer *peer;            // the owner if it is a linked node, while the grant holds
    struct idmap_node grant_id;   // peer->imports_by_grant
    struct peer_request *request; // the request in progress
    uint64_t serial;              // serial of the client's request
    bool wants_copies;
    struct copies copies;      // copies by the engine, for its session
    struct activity_wait wait; // waits until no thread of the session uses it any more
    struct peer *waiting_peer; // the linked node that ended it, and waits too
    struct list in_ended;      // peer->ended_imports
    uint64_t waiting_serial;
};

// Checks the descriptor and the function, and sends a request to the owner. If it returns
// DOCA_SUCCESS it answers the request itself, now or later.
doca_error_t import_begin(struct session *session, uint64_t serial,
                          const Docad__ImportCreate *request, struct errtext *err);

// Called when the owner has revoked the grant, or cannot be reached. The import stays until its
// session releases it. `grace` (may be NULL) ends when no thread uses the import any more.
void import_end(struct import *import, enum slot_state state, struct grace_period *grace);

// Called when the linked node that owns the memory has ended the grant. That node is notified when
// no thread uses the import any more.
void import_end_there(struct import *import, enum slot_state state, uint64_t serial);

// Returns the grant and frees the import. Takes NULL, returns NULL.
struct import *import_free(struct import *import);

// Finds the linked node that an id names; NULL for this node. DOCA_ERROR_NOT_FOUND if it is
// unknown, DOCA_ERROR_DRIVER if it is known but cannot be reached. `what` is for the text.
doca_error_t import_find_owner(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *what,
                               struct peer **out, struct errtext *err);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind import_kind;

// Stores its record.
doca_error_t import_keep(struct import *import, struct errtext *err);

// Returns NULL if memory is short.
struct import *import_make(struct session *session, const struct export_desc *desc);

doca_error_t import_enter(struct import *import, uint64_t id, const struct limits *limits,
                          struct errtext *err);

void import_set_state(struct import *import, enum slot_state state);

// Stores the grant that this node itself has given.
void import_take_grant(struct import *import, struct grant *grant);

#endif
