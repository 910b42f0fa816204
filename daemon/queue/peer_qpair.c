// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_qpair.h"

#include "fd_reaper.h"
#include "connection.h"
#include "importer.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "qpair.h"
#include "remote_engine.h"

// ---- the answer ---------------------------------------------------------------------------

static void answer(struct peer *peer, uint64_t serial, struct qpair *qp, const int *fds,
                   size_t n_fds)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__RcAddress rc;

    reply.queue_pair_id = qp->object.id;
    if (qp->remote_engine && remote_engine_describe(qp->remote_engine, &rc, &reply.link))
        reply.rc = &rc;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY;
    message.peer_queue_pair_create_reply = &reply;
    connection_send(peer->connection, &message, fds, n_fds);
}

static void refuse(struct peer *peer, uint64_t serial, struct importer *importer, doca_error_t code,
                   const struct errtext *why)
{
    importer_free_if_idle(importer);
    peer_reply_error(peer, serial, code, why->s);
}

static doca_error_t serve(struct importer *importer, uint64_t serial,
                          const struct remote_end *there, qpair_reached_fn reached,
                          struct qpair **out, struct errtext *err)
{
    int fds[QPAIR_FDS];

    doca_error_t r = qpair_serve(out, importer, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    (*out)->serial = serial;
    (*out)->link_there = there->link;
    r = qpair_serve_remote(*out, fds, there, reached, err);
    if (r != DOCA_SUCCESS)
        qpair_free(*out);
    return r;
}

// ---- over the link ------------------------------------------------------------------------

// `why_not`: the reason why RDMA is not used; NULL if RDMA was not requested.
static void go_by_link(struct importer *importer, uint64_t serial, uint64_t there,
                       const char *why_not)
{
    struct peer *peer = importer->peer;
    struct errtext err;
    struct qpair *qp;

    doca_error_t r = serve(importer, serial, &(struct remote_end){.link = there}, NULL, &qp, &err);
    if (r != DOCA_SUCCESS) {
        refuse(peer, serial, importer, r, &err);
        return;
    }
    peer_log_way(peer, NULL, why_not);
    answer(peer, serial, qp, NULL, 0);
}

// ---- by RDMA ------------------------------------------------------------------------------

// RDMA cannot be used after all. DOCA_ERROR_INVALID_VALUE: the other node is to blame.
static void fall_back(struct importer *importer, uint64_t serial, uint64_t link,
                      doca_error_t failed, const struct errtext *why)
{
    struct peer *peer = importer->peer;

    if (!link || failed == DOCA_ERROR_INVALID_VALUE) {
        refuse(peer, serial, importer, failed, why);
        return;
    }
    if (failed != DOCA_ERROR_NOT_SUPPORTED)
        log_peer_limited(LOG_LEVEL_WARNING, peer,
                         "a queue pair of node %s uses the link instead of RDMA: %s", peer->name,
                         why->s);
    go_by_link(importer, serial, link, why->s);
}

static void on_reached(struct qpair *qp, doca_error_t result, const struct errtext *why)
{
    struct importer *importer = qp->importer;
    struct peer *peer = importer->peer;
    uint64_t serial = qp->serial, link = qp->link_there;

    // The link was lost in between: if it comes back, the node sends the request again.
    if (peer_named_is_missing(peer, &qp->item.named) || peer->state != PEER_LINKED) {
        qpair_free(qp);
        importer_free_if_idle(importer);
        return;
    }
    if (result == DOCA_SUCCESS) {
        peer_log_way(peer, remote_engine_device(qp->remote_engine), NULL);
        answer(peer, serial, qp, NULL, 0);
        return;
    }
    qpair_free(qp);
    fall_back(importer, serial, link, result, why);
}

// ---- requests -----------------------------------------------------------------------------

static void serve_far(struct importer *importer, const Docad__PeerQueuePairCreate *m,
                      uint64_t serial)
{
    const struct remote_end there = {.rc = m->rc, .link = m->link};
    struct errtext err;
    struct qpair *qp;

    if (!m->rc) {
        go_by_link(importer, serial, m->link, NULL);
        return;
    }
    doca_error_t r = serve(importer, serial, &there, on_reached, &qp, &err);
    if (r != DOCA_SUCCESS)
        fall_back(importer, serial, m->link, r, &err);
}

static void serve_near(struct importer *importer, uint64_t serial)
{
    struct peer *peer = importer->peer;
    struct errtext err;
    struct qpair *qp;
    int fds[QPAIR_FDS];

    doca_error_t r = peer_check_descriptors(peer, "queue pair", &err);
    if (r == DOCA_SUCCESS)
        r = qpair_serve(&qp, importer, fds, &err);
    if (r != DOCA_SUCCESS) {
        refuse(peer, serial, importer, r, &err);
        return;
    }
    answer(peer, serial, qp, fds, QPAIR_FDS);
    fd_reaper_close_all(fds, QPAIR_FDS, importer->credentials.account);
}

void peer_qpair_create(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerQueuePairCreate *m = message->peer_queue_pair_create;
    struct importer *importer;
    struct credentials who;
    struct errtext err;

    doca_error_t r = importer_read_credentials(CREDENTIALS_CARRIED(m), &who, &err);
    if (r == DOCA_SUCCESS) {
        r = importer_of_peer(&importer, peer, m->importer, (pid_t)m->pid, &who, &err);
        credentials_drop(&who);
    }
    if (r != DOCA_SUCCESS)
        peer_reply_error(peer, message->serial, r, err.s);
    else if (m->rc || m->link)
        serve_far(importer, m, message->serial);
    else
        serve_near(importer, message->serial);
}

void peer_qpair_end(struct peer *peer, const Docad__Message *message)
{
    uint64_t id = message->peer_queue_pair_destroy->queue_pair_id;
    struct qpair *qp = OBJECT_GET(peer->node, QUEUE_PAIR, id, struct qpair);

    if (!qp || !qp->importer || qp->importer->peer != peer)
        return;
    struct importer *importer = qp->importer;
    qpair_free(qp);
    importer_free_if_idle(importer);
}
