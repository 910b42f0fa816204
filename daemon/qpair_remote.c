// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs of sessions here that a linked node's engine serves: over descriptors that it
// hands out, or over a connection of ibverbs, which may be cut and made anew.

#include "qpair_private.h"

#include "clock.h"
#include "kept.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "rc_client.h"
#include "session.h"
#include "user.h"

#include <event2/event.h>
#include <inttypes.h>

#define RENEWAL_MS   100
#define RENEWALS_MAX 3 // of a connection over which nothing comes

void qpair_stop_renewal(struct qpair *qp)
{
    if (qp->renewal)
        event_free(qp->renewal);
    qp->renewal = NULL;
}

// ---- its beginning ----------------------------------------------------------------------------

// The way over a device is the other node's to choose only if it was offered.
static bool names_a_way(const struct qpair *qp, const Docad__PeerQueuePairCreateReply *m)
{
    return m->rc ? !rc_client_no_device(qp->rc) : m->link != 0;
}

static doca_error_t take_answer(struct qpair *qp, const Docad__PeerQueuePairCreateReply *m,
                                const struct fd_list *fds, struct errtext *err)
{
    bool far = qp->rc != NULL;
    bool sense = far ? names_a_way(qp, m) && fds->count == 0 : fds->count == QPAIR_FDS;
    if (!sense)
        return errtext_set(err, DOCA_ERROR_DRIVER, "its answer makes no sense");
    return far ? rc_client_connect(qp->rc, qp->peer, m->rc, m->link, err) : DOCA_SUCCESS;
}

static void say_way(const struct qpair *qp, struct peer *peer)
{
    peer_say_way(peer, rc_client_device(qp->rc), rc_client_no_device(qp->rc));
}

static void renew(struct qpair *qp);

// What was offered there does not reach that node, or has gone meanwhile: something else is, or
// will be. It may be freed then.
static bool is_asked_again(struct qpair *qp, doca_error_t failed)
{
    if (failed == DOCA_ERROR_NOT_SUPPORTED) {
        renew(qp);
        return true;
    }
    return qp->rc && rc_client_is_lost(qp->rc) && qp->renewal &&
           event_pending(qp->renewal, EV_TIMEOUT, NULL);
}

static void on_peer_reply(void *arg, struct peer *peer, const Docad__Message *reply,
                          struct fd_list *fds, const struct errtext *why)
{
    struct qpair *qp = arg;
    char text[sizeof(why->s) + 128];
    struct errtext err;

    qp->request = NULL;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        qpair_refuse(qp, peer_error_code(reply->error), reply->error->text);
        return;
    }
    const Docad__PeerQueuePairCreateReply *m = reply ? reply->peer_queue_pair_create_reply : NULL;
    doca_error_t r = m ? take_answer(qp, m, fds, &err) : DOCA_ERROR_DRIVER;
    if (r != DOCA_SUCCESS) {
        snprintf(text, sizeof(text), "node %s: %s", peer->name, m ? err.s : why->s);
        if (m)
            peer_qpair_destroy(peer, m->queue_pair_id);
        if (!m || !is_asked_again(qp, r))
            qpair_refuse(qp, r, text);
        return;
    }
    qp->id_there = m->queue_pair_id;
    qpair_stop_renewal(qp);
    if (qp->rc)
        say_way(qp, peer);
    kept_qpair(qp, NULL);
    qpair_answer(qp, qp->rc ? rc_client_fds(qp->rc) : fds->fds);
    if (qp->rc)
        rc_client_handed_over(qp->rc);
}

static void out_of_reach(struct qpair *qp, enum slot_state state)
{
    if (qp->request)
        peer_request_forget(qp->request);
    qp->request = NULL;
    qpair_stop_renewal(qp);
    list_remove(&qp->peer_link);
    qp->peer = NULL;
    qp->rc = rc_client_free(qp->rc);
    qpair_end(qp, state);
}

static doca_error_t ask(struct qpair *qp, struct peer *peer, peer_reply_fn done,
                        struct errtext *err)
{
    struct session *session = qp->session;
    Docad__PeerQueuePairCreate request = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__RcAddress rc;

    if (qp->rc && rc_client_describe(qp->rc, &rc, &request.link))
        request.rc = &rc;
    request.importer = session->id;
    request.pid = (uint32_t)session->pid;
    request.uid = session->user->uid;
    request.gids = session->credentials.gids;
    request.n_gids = session->credentials.n_gids;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE;
    message.peer_queue_pair_create = &request;
    return peer_request_send(&qp->request, peer, &message, done, qp, err);
}

// ---- a connection that was cut ----------------------------------------------------------------

static void give_up(struct qpair *qp, enum slot_state state, const char *why)
{
    if (qp->state == SLOT_FREE) {
        qpair_refuse(qp, DOCA_ERROR_DRIVER, why);
        return;
    }
    log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_WARNING, LOG_ABOUT(.peer = qp->engine_name),
                      "queue pair %" PRIu64 " (pid %d) to node %s: ended: %s", qp->id.id,
                      (int)qp->session->pid, qp->engine_name, why);
    out_of_reach(qp, state);
}

static void on_renewed(void *arg, struct peer *peer, const Docad__Message *reply,
                       struct fd_list *fds, const struct errtext *why)
{
    struct qpair *qp = arg;
    struct errtext err;

    qp->request = NULL;
    if (!reply || reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        give_up(qp, SLOT_PEER_GONE, reply ? reply->error->text : why->s);
        return;
    }
    const Docad__PeerQueuePairCreateReply *m = reply->peer_queue_pair_create_reply;
    doca_error_t r = take_answer(qp, m, fds, &err);
    if (r != DOCA_SUCCESS) {
        peer_qpair_destroy(peer, m->queue_pair_id);
        if (!is_asked_again(qp, r))
            give_up(qp, SLOT_PEER_GONE, err.s);
        return;
    }
    qpair_stop_renewal(qp);
    qp->id_there = m->queue_pair_id;
    say_way(qp, peer);
}

static void renew(struct qpair *qp)
{
    struct errtext err;

    qpair_stop_renewal(qp);
    if (qp->request)
        peer_request_forget(qp->request);
    qp->request = NULL;
    if (qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    qp->id_there = 0;
    doca_error_t r = rc_client_renew(qp->rc, qp->peer, &err);
    if (r == DOCA_SUCCESS)
        r = ask(qp, qp->peer, qp->state == SLOT_FREE ? on_peer_reply : on_renewed, &err);
    if (r != DOCA_SUCCESS)
        give_up(qp, SLOT_PEER_GONE, err.s);
}

// What a request has offered may have gone before its answer: then there is another one.
static bool may_renew(const struct qpair *qp)
{
    return !qp->request || rc_client_is_lost(qp->rc);
}

static void on_renewal(evutil_socket_t fd, short what, void *arg)
{
    struct qpair *qp = arg;
    (void)fd;
    (void)what;
    if (qp->peer->state == PEER_LINKED && may_renew(qp))
        renew(qp);
}

// False if that has been tried often enough.
static bool renew_later(struct qpair *qp, const char *why)
{
    struct timeval pause = ms_to_timeval(RENEWAL_MS);

    if (!may_renew(qp))
        return false;
    if (rc_client_has_come_on(qp->rc))
        qp->renewals = 0;
    if (qp->renewals++ >= RENEWALS_MAX) {
        if (!rc_client_avoid_device(qp->rc, qp->peer, why))
            return false;
        qp->renewals = 1; // the first one over the link
    }
    if (!qp->renewal)
        qp->renewal = evtimer_new(qp->node->base, on_renewal, qp);
    if (!qp->renewal || event_add(qp->renewal, &pause) < 0)
        return false;
    log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_INFO, LOG_ABOUT(.peer = qp->engine_name),
                      "queue pair %" PRIu64 " (pid %d) to node %s: its connection is made anew: %s",
                      qp->id.id, (int)qp->session->pid, qp->engine_name, why);
    return true;
}

void qpairs_renew(struct peer *peer)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &peer->qpairs, peer_link) {
        if (!qp->rc || !rc_client_is_cut(qp->rc) || !may_renew(qp))
            continue;
        qp->renewals = 0;
        renew(qp);
    }
}

bool qpair_is_served_there(const struct qpair *qp)
{
    return qp->id_there && !(qp->rc && rc_client_is_cut(qp->rc));
}

// ---- its end there ----------------------------------------------------------------------------

// The other side is told, which need not have noticed.
static void on_rc_client_ended(void *arg, enum rc_client_end how, const char *why)
{
    struct qpair *qp = arg;

    if (how == RC_CLIENT_CUT && renew_later(qp, why))
        return;
    if (qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    give_up(qp, how == RC_CLIENT_CORRUPTED ? SLOT_REVOKED : SLOT_PEER_GONE, why);
}

bool qpair_restore_remote(struct qpair *qp, struct fd_list *fds)
{
    struct errtext err;

    if (fds->count != RC_CLIENT_KEPT_FDS ||
        rc_client_restore(&qp->rc, qp->node->base, qp->session->user->uid, fds->fds,
                          on_rc_client_ended, qp, &err) != DOCA_SUCCESS)
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
        doca_error_t r =
            rc_client_new(&qp->rc, peer, qp->session->user->uid, on_rc_client_ended, qp, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    snprintf(qp->engine_name, sizeof(qp->engine_name), "%s", peer->name);
    qp->peer = peer;
    list_append(&peer->qpairs, &qp->peer_link);
    if (!qp->rc || !rc_client_is_cut(qp->rc))
        return ask(qp, peer, on_peer_reply, err);
    // Asked when the link is back: qpairs_renew().
    struct timeval limit = ms_to_timeval(PEER_AWAY_LIMIT_MS);
    qp->renewal = evtimer_new(qp->node->base, on_no_link, qp);
    if (!qp->renewal || event_add(qp->renewal, &limit) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

// ---- what the serving node says --------------------------------------------------------------

void qpairs_peer_gone(struct peer *peer)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &peer->qpairs, peer_link) {
        if (qp->state == SLOT_FREE && !qp->request)
            qpair_refuse(qp, DOCA_ERROR_DRIVER, "the link went down, and did not come back");
        else if (qp->state != SLOT_FREE) // the other requests fail with the link
            out_of_reach(qp, SLOT_PEER_GONE);
    }
}

void qpair_failed_there(struct peer *peer, uint64_t id_there)
{
    struct qpair *qp;
    list_for_each (qp, &peer->qpairs, peer_link) {
        if (qp->id_there && qp->id_there == id_there) {
            if (qp->rc && renew_later(qp, "it was ended there")) {
                rc_client_suspend(qp->rc);
                return;
            }
            log_peer_limited(LOG_LEVEL_WARNING, peer,
                             "queue pair %" PRIu64
                             " (pid %d): ended by node %s, whose log says why",
                             qp->id.id, (int)qp->session->pid, peer->name);
            peer_qpair_destroy(peer, id_there);
            out_of_reach(qp, qp->rc ? SLOT_PEER_GONE : SLOT_REVOKED);
            return;
        }
    }
}
