// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs, in three kinds: a session of this node served by this node's engine; a session of
// this node served by a linked node's engine; a session of a linked node served here.

#ifndef DAEMON_QPAIR_H
#define DAEMON_QPAIR_H

#include "errtext.h"
#include "importer.h"
#include "list.h"
#include "message.h"
#include "object.h"
#include "state_table.h"

struct engine_queue_pair;
struct node;
struct object_kind;
struct peer;
struct peer_request;
struct remote_client;
struct remote_end;
struct remote_engine;
struct qpair;
struct session;

#define QPAIR_FDS 3 // descriptors for the client

// Called when the work begun by qpair_serve_remote() is done. May free the queue pair, and must do
// so if the result is not DOCA_SUCCESS. DOCA_ERROR_NOT_SUPPORTED: RDMA does not reach the other
// node.
typedef void (*qpair_reached_fn)(struct qpair *qp, doca_error_t result, const struct errtext *why);

struct qpair {
    struct object object;  // of no session, if the session is a linked node's
    enum slot_state state; // SLOT_FREE while a request to a linked node is pending

    // For a queue pair of a session of this node.
    struct peer_request *request; // to a linked node, while it is pending
    uint64_t serial;              // serial of the request of the client, or of the linked node:
                                  // qpair_serve_remote()

    // For a queue pair that a linked node serves.
    char engine_name[64];
    struct list in_peer;
    struct peer *peer;            // NULL again when the link is down
    struct idmap_node there;      // peer->qpairs_there, while it has:
    uint64_t id_there;            // id on that node; 0: none yet, or none yet again
    struct remote_client *remote; // over a link without descriptors
    struct event *renewal;        // renews its connection after it was cut
    unsigned renewals;            // renewals without success

    // For a queue pair that this node serves.
    struct importer *importer;
    struct importer_item item;
    unsigned n_fds;                      // number of descriptors charged to it
    struct engine_queue_pair *engine;    // NULL again when it has failed
    struct remote_engine *remote_engine; // over a link without descriptors
    qpair_reached_fn reached;            // NULL: no request waits for the connection
    uint64_t link_there;                 // the linked node's queue on the link, as the alternative
                                         // that it offers; 0: none
};

// Handles a client's request. If it returns DOCA_SUCCESS it answers the request itself, now or
// later.
doca_error_t qpair_begin(struct session *session, uint64_t serial,
                         const Docad__QueuePairCreate *request, struct errtext *err);

// Makes a queue pair for a session of a linked node. The caller owns the descriptors, unless it
// passes them to qpair_serve_remote().
doca_error_t qpair_serve(struct qpair **out, struct importer *importer, int fds[QPAIR_FDS],
                         struct errtext *err);

// The same for a session on another machine, whose end is `there`. Takes over the descriptors. A
// reliable connection takes a while; over the link (`reached` is NULL) it is served immediately.
doca_error_t qpair_serve_remote(struct qpair *qp, int fds[QPAIR_FDS],
                                const struct remote_end *there, qpair_reached_fn reached,
                                struct errtext *err);

// Takes NULL, returns NULL.
struct qpair *qpair_free(struct qpair *qp);

// Called when the link is up: looks at up to *steps of peer->qpairs_to_renew, which is counted
// down, and renews connections that were cut. False if some are left.
bool qpairs_renew(struct peer *peer, unsigned *steps);

// Returns whether the linked node serves it, as far as this node has been notified.
bool qpair_is_served_there(const struct qpair *qp);

// Ends its use, and shows its client the reason.
void qpair_end(struct qpair *qp, enum slot_state state);

// Sets the state, and counts the queue pair as in use unless it is SLOT_FREE.
void qpair_set_state(struct qpair *qp, enum slot_state state);

// Called when the linked node has ended a queue pair of ours, because its client had broken the
// protocol.
void qpair_failed_there(struct peer *peer, uint64_t id_there);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind qpair_kind;

// Stores its record, with the client's descriptors if this node serves it.
doca_error_t qpair_keep(struct qpair *qp, const int *client_fds, struct errtext *err);

// Makes only the structure; `session` is NULL for a session of a linked node. Returns NULL if
// memory runs out.
struct qpair *qpair_make(struct node *node, struct session *session);

doca_error_t qpair_enter(struct qpair *qp, uint64_t id, const struct limits *limits,
                         struct errtext *err);

// Restores a queue pair that this node serves. Takes over the descriptors on success: memory
// file, doorbell and channel.
bool qpair_restore_served(struct qpair *qp, struct importer *importer, struct fd_list *fds);

// Restores a queue pair that a linked node serves over a connection of ibverbs, which is renewed
// when the link is back. Takes over the descriptors on success.
bool qpair_restore_remote(struct qpair *qp, struct fd_list *fds);

// Its id on the linked node that serves it; 0: it has none.
void qpair_set_there(struct qpair *qp, uint64_t id);

// Called when the link went down: queue pairs that the node served are out of reach. Up to *steps,
// which is counted down; false if some are left.
bool qpairs_peer_gone(struct peer *peer, unsigned *steps);

#endif
