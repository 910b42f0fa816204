// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Importers: sessions of this node, or of a linked one, that use exports or the engine of
// this node. What docad holds for one of this node is charged to its user. A linked node
// names any user it likes, so what is held for its sessions is charged to it.

#ifndef DAEMON_IMPORTER_H
#define DAEMON_IMPORTER_H

#include "credentials.h"
#include "errtext.h"
#include "limit.h"
#include "list.h"

#include <kept.pb-c.h>
#include <stdbool.h>
#include <sys/types.h>

struct node;
struct object_kind;
struct peer;
struct session;
struct user;

// A grant or a queue pair, in which it is embedded.
struct importer_item {
    struct list link;
    const struct importer_item_ops *ops;
    bool stale; // until its linked node names it: peer_resume.h
};

struct importer_item_ops {
    // The importer's node has it no more.
    void (*end)(struct importer_item *item);
    // The importer ends: the item goes, but out of the engine if the engine drops it with the
    // importer.
    void (*forget)(struct importer_item *item);
    // Of a queue pair. A grant was dropped: what moves through it on other machines' behalf
    // ends soon, or the queue pair does.
    void (*hurry)(struct importer_item *item);
};

// Grants and queue pairs of one session: the queue pairs may name the grants.
struct importer {
    struct list link; // peer->importers
    struct node *node;
    struct engine_importer *engine;
    struct list grants, qpairs;  // struct importer_item
    uint64_t n_grants, n_qpairs; // of a linked node's session
    struct peer *peer;           // NULL: a session of this node
    struct user *user;           // NULL: a session of a linked node
    uint64_t session_id;
    pid_t pid;
    struct credentials credentials;
};

// The session as an importer from this node itself, made if there is none.
doca_error_t session_importer(struct session *session, struct importer **out, struct errtext *err);

// For a session of a linked node: the one that there is, or a new one.
doca_error_t importer_of_peer(struct importer **out, struct peer *peer, uint64_t session_id,
                              pid_t pid, const struct credentials *credentials,
                              struct errtext *err);

// The same of an earlier docad's, whatever is allowed now. NULL if memory is short.
struct importer *importer_restore(struct peer *peer, uint64_t session_id, pid_t pid,
                                  const struct credentials *credentials);

// Ends it with its grants and queue pairs. Takes NULL, returns NULL.
struct importer *importer_free(struct importer *importer);

// Importers of a linked node come and go with what they have.
void importer_free_if_idle(struct importer *importer);

// A grant of the importer was dropped: its queue pairs hurry.
void importer_hurry(struct importer *importer);

// ---- what is held for it ---------------------------------------------------------------

enum importer_has { IMPORTER_FDS, IMPORTER_GRANT, IMPORTER_QUEUE_PAIR };

// Charges `n` of these, to whom they are to be charged (`limits` NULL: whatever is allowed
// now).
doca_error_t importer_take(struct importer *importer, enum importer_has what, unsigned n,
                           const struct limits *limits, struct errtext *err);
void importer_give(struct importer *importer, enum importer_has what, unsigned n);

// ---- docad after docad ------------------------------------------------------------------

extern const struct object_kind importer_kind;

void importer_record(const struct importer *importer, Docad__KeptImporter *out);

// The importer of a record. NULL if its session or its node is not there.
struct importer *importer_of_record(struct node *node, const Docad__KeptImporter *record);

#endif
