// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs, in three kinds: of a session here served by this node's engine; of a
// session here served by a linked node's; of a session there served here.

#ifndef DAEMON_QPAIR_H
#define DAEMON_QPAIR_H

#include "errtext.h"
#include "idmap.h"
#include "importer.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "state_table.h"

struct engine_queue_pair;
struct node;
struct object_kind;
struct peer;
struct peer_request;
struct link_engine;
struct rc_client;
struct rc_engine;
struct qpair;
struct session;

#define QPAIR_FDS 3 // what the client gets

// What qpair_serve_rc() began is over. May free the queue pair, and has to if it is not
// DOCA_SUCCESS. DOCA_ERROR_NOT_SUPPORTED: RDMA does not get there.
typedef void (*qpair_reached_fn)(struct qpair *qp, doca_error_t result, const struct errtext *why);

struct qpair {
    struct list link; // node->qpairs
    struct idmap_node id;
    struct node *node;

    // A session here has it.
    struct session *session;
    struct list session_link;
    uint32_t slot;
    enum slot_state state;        // SLOT_FREE while a linked node is being asked
    struct peer_request *request; // a linked node is being asked
    uint64_t serial;              // of the client's request; or the linked node's: qpair_serve_rc()

    // A linked node serves it.
    char engine_name[64];
    struct list peer_link;
    struct peer *peer;     // NULL again once the link is down
    uint64_t id_there;     // 0: not yet, or not again yet
    struct rc_client *rc;  // over a link without descriptors
    struct event *renewal; // of its connection, when it was cut
    unsigned renewals;     // in vain

    // This node serves it.
    struct importer *importer;
    struct importer_item item;
    unsigned n_fds;                   // charged to it
    struct engine_queue_pair *engine; // NULL again once it has failed
    struct rc_engine *rc_engine;      // over a link without descriptors: this,
    struct link_engine *link_engine;  // or this
    qpair_reached_fn reached;         // NULL: nobody waits for it
    uint64_t link_there;              // the other way that the linked node offers; 0: none
    struct kept kept;
};

// A client's request; answers it itself, now or later, if DOCA_SUCCESS is returned.
doca_error_t qpair_begin(struct session *session, uint64_t serial,
                         const Docad__QueuePairCreate *request, struct errtext *err);

// For a session of a linked node. The caller owns the descriptors, unless it hands them to
// qpair_serve_rc().
doca_error_t qpair_serve(struct qpair **out, struct importer *importer, int fds[QPAIR_FDS],
                         struct errtext *err);

// The same for one on another machine: over a connection to `there`, which takes a while.
// Takes the descriptors.
doca_error_t qpair_serve_rc(struct qpair *qp, int fds[QPAIR_FDS], const Docad__RcAddress *there,
                            qpair_reached_fn reached, struct errtext *err);

// The same without RDMA devices: over the link itself.
doca_error_t qpair_serve_link(struct qpair *qp, int fds[QPAIR_FDS], uint64_t there,
                              struct errtext *err);

// Takes NULL, returns NULL.
struct qpair *qpair_free(struct qpair *qp);

// The link is up: connections that were cut are made anew.
void qpairs_renew(struct peer *peer);

// Does the linked node serve it, as far as is known here?
bool qpair_is_served_there(const struct qpair *qp);

// It is of no use any more, and its client sees why.
void qpair_end(struct qpair *qp, enum slot_state state);

// The linked node ended a queue pair of ours: its client had broken the protocol.
void qpair_failed_there(struct peer *peer, uint64_t id_there);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind qpair_kind;

// Puts its record, with what the client gets if this node serves it.
void qpair_keep(struct qpair *qp, const int *client_fds);

// The structure alone; `session` is NULL for one of a linked node's. NULL if memory is short.
struct qpair *qpair_make(struct node *node, struct session *session);

doca_error_t qpair_enter(struct qpair *qp, uint64_t id, const struct limits *limits,
                         struct errtext *err);

// This node serves it again: takes the descriptors, memory file, doorbell and channel, on
// success.
bool qpair_restore_served(struct qpair *qp, struct importer *importer, struct fd_list *fds);

// A linked node serves it over a connection of ibverbs, which is made anew when the link is
// back. Takes the descriptors on success.
bool qpair_restore_remote(struct qpair *qp, struct fd_list *fds);

// The link went down: what that node served is out of reach.
void qpairs_peer_gone(struct peer *peer);

#endif
