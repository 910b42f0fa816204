// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Importers: sessions of this node, or of a linked one, that use exports or the engine of
// this node. What docad holds for one of this node is charged to its user. A linked node
// names any user it likes, so what is held for its sessions is charged to it.

#ifndef DAEMON_IMPORTER_H
#define DAEMON_IMPORTER_H

#include "errtext.h"
#include "limit.h"
#include "list.h"
#include "policy.h"

#include <sys/types.h>

struct node;
struct peer;
struct user;

// Grants and queue pairs of one session: the queue pairs may name the grants.
struct importer {
    struct list link; // peer->importers
    struct node *node;
    struct engine_importer *engine;
    struct list grants, qpairs;
    uint64_t n_grants, n_qpairs; // of a linked node's session
    struct peer *peer;           // NULL: a session of this node
    struct user *user;           // NULL: a session of a linked node
    uint64_t session_id;
    pid_t pid;
    struct credentials credentials;
};

// For a session of this node.
doca_error_t importer_new(struct importer **out, struct node *node, uint64_t session_id, pid_t pid,
                          struct user *user, const struct credentials *credentials,
                          struct errtext *err);

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

// All that docad holds for it is another peer's from now on, the same node's.
void importers_adopt(struct peer *to, struct peer *from);

// ---- what is held for it ---------------------------------------------------------------

enum importer_has { IMPORTER_FDS, IMPORTER_GRANT, IMPORTER_QUEUE_PAIR };

// Charges `n` of these, to whom they are to be charged.
doca_error_t importer_take(struct importer *importer, enum importer_has what, unsigned n,
                           struct errtext *err);
void importer_give(struct importer *importer, enum importer_has what, unsigned n);
void importer_take_restored(struct importer *importer, enum importer_has what, unsigned n);

#endif
