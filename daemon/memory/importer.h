// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An importer: the owner's side of a session that imports. It represents one session, of this node
// or of a linked one, that uses exports or the engine of this node, and has the grants and queue
// pairs which that session holds here. An import (import.h) is an object of a session of this node.
//
// Resources held for a session of this node are charged to its user. A linked node can
// name any user it likes, so resources held for its sessions are charged to the node,
// whose users share them.

#ifndef DAEMON_IMPORTER_H
#define DAEMON_IMPORTER_H

#include "credentials.h"
#include "errtext.h"
#include "idmap.h"
#include "limit.h"
#include "list.h"
#include "node_id.h"

#include <record.pb-c.h>
#include <stdbool.h>
#include <sys/types.h>

struct node;
struct object_kind;
struct peer;
struct session;
struct user;

// A grant or a queue pair, in which it is embedded.
struct importer_item {
    struct list in_importer;
    struct idmap_node named; // of an importer of a linked node
    const struct importer_item_ops *ops;
};

struct importer_item_ops {
    // Called when the importer's node does not have the item any more: ends it in up to *steps
    // steps, which is counted down, and frees the importer if that was all it had. False if it is
    // called again.
    bool (*end)(struct importer_item *item, unsigned *steps);
    // Called when the importer ends: frees the item, but leaves it in the engine if the engine
    // drops it together with the importer.
    void (*drop)(struct importer_item *item);
    // For queue pairs. Called when a grant was dropped: transfers through it on behalf of other
    // machines end soon, or the queue pair does.
    void (*set_deadline)(struct importer_item *item);
};

// The grants and queue pairs of one session; its queue pairs may use its grants.
struct importer {
    struct list in_peer; // peer->importers
    struct idmap_node by_session;
    uint8_t node_there[NODE_ID_SIZE]; // of a session of a linked node
    struct node *node;
    struct engine_importer *engine;
    struct list grants, qpairs;  // struct importer_item
    uint64_t n_grants, n_qpairs; // counts for a session of a linked node
    struct peer *peer;           // NULL: a session of this node
    struct user *user;           // of this node, or of the linked one
    uint64_t session_id;
    pid_t pid;
    struct credentials credentials;
};

// Finds or makes the importer of a session of this node.
doca_error_t session_importer(struct session *session, struct importer **out, struct errtext *err);

// Reads the credentials of a session of a linked node. DOCA_ERROR_NOT_PERMITTED if the message has
// more groups than docad takes.
doca_error_t importer_read_credentials(const struct credentials_carried *m, struct credentials *out,
                                       struct errtext *err);

// Finds or makes the importer of a session of a linked node.
doca_error_t importer_of_peer(struct importer **out, struct peer *peer, uint64_t session_id,
                              pid_t pid, const struct credentials *credentials,
                              struct errtext *err);

// Restores such an importer of an earlier docad, whatever is allowed now. Returns NULL if memory
// runs out.
struct importer *importer_restore(struct peer *peer, uint64_t session_id, pid_t pid,
                                  const struct credentials *credentials);

// Ends it with its grants and queue pairs. Takes NULL, returns NULL.
struct importer *importer_free(struct importer *importer);

// Frees the importer if it is a linked node's and has no grants or queue pairs.
void importer_free_if_idle(struct importer *importer);

// Called when a grant of the importer was dropped: calls set_deadline() of its queue pairs.
void importer_set_deadlines(struct importer *importer);

// ---- grants ---------------------------------------------------------------

// IMPORTER_EXPORT: it delegates a grant (delegation.h).
enum importer_has { IMPORTER_FDS, IMPORTER_GRANT, IMPORTER_EXPORT, IMPORTER_QUEUE_PAIR };

// Charges `n` of these to the user or the linked node (`limits` NULL: whatever is allowed now).
doca_error_t importer_take(struct importer *importer, enum importer_has what, unsigned n,
                           const struct limits *limits, struct errtext *err);
void importer_give(struct importer *importer, enum importer_has what, unsigned n);

// ---- docad after docad ------------------------------------------------------------------

extern const struct object_kind importer_kind;

// `account` is room for a part of it.
void importer_record(const struct importer *importer, Docad__ImporterRecord *out,
                     Docad__Account *account);

// Finds or makes the importer of a record. Returns NULL if its session or its node does not exist.
struct importer *importer_of_record(struct node *node, const Docad__ImporterRecord *record);

#endif
