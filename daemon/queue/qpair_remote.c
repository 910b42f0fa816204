// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs of this node's sessions that a linked node's engine serves: over descriptors that
// it passes to us, or over a connection of ibverbs, which may be cut and renewed.

#include "qpair_private.h"

#include "clock.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "remote_client.h"
#include "session.h"
#include "user.h"

#include <event2/event.h>
#include <inttypes.h>

#define RENEWAL_MS   100
#define RENEWALS_MAX 3 // renewals of a connection over which nothing arrives

void qpair_stop_renewal(struct qpair *qp)
{
    if (qp->renewal)
        event_free(qp->renewal);
    qp->renewal = NULL;
}

// ---- its beginning ----------------------------------------------------------------------------

// The other node may choose the way over a device only if it was offered.
static bool names_a_way(const struct qpair *qp, const Docad__PeerQueuePairCreateReply *m)
{
    return m->rc ? !remote_client_no_device(qp->remote) : m->link != 0;
}

static bool makes_sense(const struct qpair *qp, const Docad__PeerQueuePairCreateReply *m,
                        const struct fd_list *fds)
{
    return qp->remote ? names_a_way(qp, m) && fds->count == 0 : fds->count == QPAIR_FDS;
}

static void out_of_reach(struct qpair *qp, enum slot_state state)
{
    if (qp->request)
        peer_request_abandon(qp->request);
    qp->request = NULL;
    qpair_stop_renewal(qp);
    list_remove(&qp->in_peer);
    qpair_set_there(qp, 0);
    qp->peer = NULL;
    qp->remote = remote_client_free(qp->remote);
    qpair_end(qp, state);
}

// `code` is for a client that waits for the queue pair, `state` for a client that has it.
static void give_up(struct qpair *qp, doca_error_t code, enum slot_state state, const char *why)
{
    struct errtext text;

    if (qp->state == SLOT_FREE) {
        errtext_write(&text, "node %s: %s", qp->engine_name, why);
        qpair_refuse(qp, code, text.s);
        return;
    }
    log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_WARNING, LOG_ABOUT(.peer = qp->engine_name),
                      "queue pair %" PRIu64 " (pid %d) to node %s: ended: %s", qp->object.id,
                      (int)qp->object.session->pid, qp->engine_name, why);
    out_of_reach(qp, state);
}

static void renew(struct qpair *qp);

// Gives the queue pair to its client, or lets the client continue. The caller keeps the
// descriptors.
static void ready(struct qpair *qp, const int *fds)
{
    qpair_stop_renewal(qp);
    if (qp->remote)
        peer_log_way(qp->peer, remote_client_device(qp->remote),
                     remote_client_no_device(qp->remote));
    if (qp->state != SLOT_FREE)
        return;
    struct errtext err;
    doca_error_t r = qpair_keep(qp, NULL, &err);
    if (r != DOCA_SUCCESS) {
        give_up(qp, r, SLOT_PEER_GONE, err.s);
        return;
    }
    qpair_answer(qp, fds);
    if (qp->remote)
        remote_client_handed_over(qp->remote);
}

// The offered connection does not reach that node, or has ended: offers another one, now or later.
// May free the queue pair.
static void not_connected(struct qpair *qp, doca_error_t result, const char *why)
{
    bool is_lost = qp->remote && remote_client_is_lost(qp->remote) && qp->renewal &&
                   event_pending(qp->renewal, EV_TIMEOUT, NULL);

    peer_qpair_destroy(qp->peer, qp->id_there);
    qpair_set_there(qp, 0);
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        renew(qp);
    else if (!is_lost)
        give_up(qp, result, SLOT_PEER_GONE, why);
}

static void on_remote_client_connected(void *arg, doca_error_t result, const char *why)
{
    struct qpair *qp = arg;

    if (result == DOCA_SUCCESS) {
        ready(qp, remote_client_fds(qp->remote));
        return;
    }
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        remote_client_avoid_device(qp->remote, qp->peer, why);
    not_connected(qp, result, why);
}

static void take_answer(struct qpair *qp, const Docad__PeerQueuePairCreateReply *m,
                        const struct fd_list *fds)
{
    struct errtext err;

    qpair_set_there(qp, m->queue_pair_id);
    if (!makes_sense(qp, m, fds)) {
        not_connected(qp, DOCA_ERROR_DRIVER, "its answer is not valid");
    } else if (!qp->remote) {
        ready(qp, fds->fds);
    } else {
        doca_error_t r = remote_client_connect(qp->remote, qp->peer, m->rc, m->link, &err);
        if (r != DOCA_SUCCESS)
            not_connected(qp, r, err.s);
    }
}

static void on_reply(void *arg, struct peer *peer, const Docad__Message *reply, struct fd_list *fds,
                     const struct errtext *why)
{
    struct qpair *qp = arg;
    (void)peer;

    qp->request = NULL;
    if (!reply)
        give_up(qp, DOCA_ERROR_DRIVER, SLOT_PEER_GONE, why->s);
    else if (reply->body_case != DOCAD__MESSAGE__BODY_ERROR)
        take_answer(qp, reply->peer_queue_pair_create_reply, fds);
    else if (qp->state == SLOT_FREE)
        qpair_refuse(qp, peer_error_code(reply->error), reply->error->text);
    else
        give_up(qp, DOCA_ERROR_DRIVER, SLOT_PEER_GONE, reply->error->text);
}

static void on_unwanted(struct peer *peer, const Docad__Message *reply)
{
    peer_qpair_destroy(peer, reply->peer_queue_pair_create_reply->queue_pair_id);
}

static doca_error_t request_from_node(struct qpair *qp, struct errtext *err)
{
    struct session *session = qp->object.session;
    Docad__PeerQueuePairCreate request = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    Docad__Account account;
    Docad__RcAddress rc;

    doca_error_t r = credentials_check_carried(&session->credentials, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (qp->remote && remote_client_describe(qp->remote, &rc, &request.link))
        request.rc = &rc;
    request.importer = session->id;
    request.pid = (uint32_t)session->pid;
    CREDENTIALS_PUT(&session->credentials, &request, &account);
    return peer_request_send(&qp->request, qp->peer,
                             message_of(PEER_QUEUE_PAIR_CREATE, peer_queue_pair_create, &request),
                             on_reply, on_unwanted, qp, err);
}

// ---- a connection that was cut ----------------------------------------------------------------

static void renew(struct qpair *qp)
{
    struct errtext err;

    qpair_stop_renewal(qp);
    if (qp->request)
        peer_request_abandon(qp->request);
    qp->request = NULL;
    if (qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    qpair_set_there(qp, 0);
    doca_error_t r = remote_client_renew(qp->remote, qp->peer, &err);
    if (r == DOCA_SUCCESS)
        r = request_from_node(qp, &err);
    if (r != DOCA_SUCCESS)
        give_up(qp, DOCA_ERROR_DRIVER, SLOT_PEER_GONE, err.s);
}

// The connection that a request has offered may have ended before the answer comes: then a new one
// is offered.
static bool may_renew(const struct qpair *qp)
{
    return !qp->request || remote_client_is_lost(qp->remote);
}

static void on_renewal(evutil_socket_t fd, short what, void *arg)
{
    struct qpair *qp = arg;
    (void)fd;
    (void)what;
    if (qp->peer->state == PEER_LINKED && may_renew(qp))
        renew(qp);
}

// Returns false if renewing has been tried often enough.
static bool renew_later(struct qpair *qp, const char *why)
{
    struct timeval pause = ms_to_timeval(RENEWAL_MS);

    if (!may_renew(qp))
        return false;
    if (remote_client_has_come_on(qp->remote)) {
        qp->renewals = 0;
        if (remote_client_device(qp->remote))
            qp->peer->no_rdma_tries = 0; // RDMA did reach it
    }
    if (qp->renewals++ >= RENEWALS_MAX) {
        if (!remote_client_avoid_device(qp->remote, qp->peer, why))
            return false;
        qp->renewals = 1; // this will be the first one over the link
    }
    if (!qp->renewal)
        qp->renewal = evtimer_new(qp->object.node->base, on_renewal, qp);
    if (!qp->renewal || event_add(qp->renewal, &pause) < 0)
        return false;
    log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_INFO, LOG_ABOUT(.peer = qp->engine_name),
                      "queue pair %" PRIu64
                      " (pid %d) to node %s: its connection is being renewed: %s",
                      qp->object.id, (int)qp->object.session->pid, qp->engine_name, why);
    return true;
}

bool qpairs_renew(struct peer *peer, unsigned *steps)
{
    while (!list_empty(&peer->qpairs_to_renew)) {
        struct qpair *qp = list_entry(peer->qpairs_to_renew.next, struct qpair, in_peer);
        if (!kind_step(steps))
            return false;
        list_remove(&qp->in_peer);
        list_append(&peer->qpairs, &qp->in_peer);
        if (!qp->remote || !remote_client_is_cut(qp->remote) || !may_renew(qp))
            continue;
        qp->renewals = 0;
        renew(qp);
    }
    return true;
}

bool qpair_is_served_there(const struct qpair *qp)
{
    return qp->id_there && !(qp->remote && remote_client_is_cut(qp->remote));
}

// ---- its end there ----------------------------------------------------------------------------

// Notifies the other side, which may not have noticed.
static void on_remote_client_ended(void *arg, enum remote_client_end how, const char *why)
{
    struct qpair *qp = arg;

    if (how == REMOTE_CLIENT_CUT && renew_later(qp, why))
        return;
    if (qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    give_up(qp, DOCA_ERROR_DRIVER, how == REMOTE_CLIENT_CORRUPTED ? SLOT_REVOKED : SLOT_PEER_GONE,
            why);
}

static const struct remote_client_owner remote_client_owner = {
    .connected = on_remote_client_connected, .ended = on_remote_client_ended};

bool qpair_restore_remote(struct qpair *qp, struct fd_list *fds)
{
    struct errtext err;

    if (fds->count != REMOTE_CLIENT_STORED_FDS ||
        remote_client_restore(&qp->remote, qp->object.node->base, qp->object.session->user->uid,
                              fds->fds, &remote_client_owner, qp, &err) != DOCA_SUCCESS)
        return false;
    fds->count = 0;
    return true;
}

// ---- its beginning ----------------------------------------------------------------------------

static void on_no_link(evutil_socket_t fd, short what, void *arg)
{
    struct qpair *qp = arg;
    (void)fd;
    (void)what;
    if (qp->state == SLOT_FREE && !qp->request)
        qpair_refuse(qp, DOCA_ERROR_DRIVER, "the link to the owner's node is away; try again");
}

doca_error_t qpair_begin_remote(struct qpair *qp, struct peer *peer, struct errtext *err)
{
    if (peer->no_descriptors) {
        doca_error_t r = remote_client_new(&qp->remote, peer, qp->object.session->user->uid,
                                           &remote_client_owner, qp, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    copy_text(qp->engine_name, peer->name);
    qp->peer = peer;
    list_append(&peer->qpairs, &qp->in_peer);
    if (!qp->remote || !remote_client_is_cut(qp->remote))
        return request_from_node(qp, err);
    // The request is sent when the link is back: qpairs_renew().
    struct timeval limit = ms_to_timeval(PEER_AWAY_LIMIT_MS);
    qp->renewal = evtimer_new(qp->object.node->base, on_no_link, qp);
    if (!qp->renewal || event_add(qp->renewal, &limit) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

// ---- messages of the serving node --------------------------------------------------------------

bool qpairs_peer_gone(struct peer *peer, unsigned *steps)
{
    struct errtext text;

    while (!list_empty(&peer->qpairs)) {
        struct qpair *qp = list_entry(peer->qpairs.next, struct qpair, in_peer);
        if (!kind_step(steps))
            return false;
        if (qp->state != SLOT_FREE) {
            out_of_reach(qp, SLOT_PEER_GONE);
            continue;
        }
        errtext_write(&text, "node %s: the link went down: %s", qp->engine_name, peer->lost);
        qpair_refuse(qp, DOCA_ERROR_DRIVER,
                     qp->request ? text.s : "the link went down, and did not come back");
    }
    return true;
}

void qpair_failed_there(struct peer *peer, uint64_t id_there)
{
    struct qpair *qp = idmap_get(&peer->qpairs_there, id_there, struct qpair, there);

    if (!qp)
        return;
    if (qp->remote && renew_later(qp, "it was ended there")) {
        remote_client_suspend(qp->remote);
        return;
    }
    peer_qpair_destroy(peer, id_there);
    if (qp->state == SLOT_FREE) {
        give_up(qp, DOCA_ERROR_DRIVER, SLOT_PEER_GONE, "it was ended there");
        return;
    }
    log_peer_limited(LOG_LEVEL_WARNING, peer,
                     "queue pair %" PRIu64
                     " (pid %d): ended by node %s; see its log for the reason",
                     qp->object.id, (int)qp->object.session->pid, peer->name);
    out_of_reach(qp, qp->remote ? SLOT_PEER_GONE : SLOT_REVOKED);
}
