// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "qpair.h"

#include "cleanup.h"
#include "clock.h"
#include "engine.h"
#include "grant.h"
#include "import.h"
#include "kept.h"
#include "link_engine.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "rc_client.h"
#include "rc_engine.h"
#include "session.h"
#include "user.h"

#include <event2/event.h>
#include <inttypes.h>
#include <string.h>

#define ENGINE_FDS   2 // what the engine keeps of each
#define RENEWAL_MS   100
#define RENEWALS_MAX 3 // of a connection over which nothing comes

static void close_fds(int fds[QPAIR_FDS])
{
    for (int i = 0; i < QPAIR_FDS; i++)
        close_fdp(&fds[i]);
}

// ---- life ---------------------------------------------------------------------------------

static struct qpair *make(struct node *node, uint64_t id)
{
    struct qpair *qp = calloc(1, sizeof(*qp));
    if (!qp)
        return NULL;
    qp->node = node;
    qp->slot = STATE_SLOT_NONE;
    list_init(&qp->session_link);
    list_init(&qp->peer_link);
    list_init(&qp->importer_link);
    list_append(&node->qpairs, &qp->link);
    idmap_add(&node->qpairs_by_id, &qp->id, id);
    return qp;
}

static struct qpair *qpair_new(struct node *node)
{
    return make(node, node_next_id(node));
}

struct qpair *qpair_restore(struct node *node, uint64_t id)
{
    return make(node, id);
}

static void stop_serving(struct qpair *qp)
{
    if (!qp->engine)
        return;
    qp->rc_engine = rc_engine_free(qp->rc_engine);
    qp->link_engine = link_engine_free(qp->link_engine);
    engine_queue_pair_drop(qp->engine);
    qp->engine = NULL;
    limit_give(&qp->importer->user->descriptors, ENGINE_FDS);
}

static void stop_renewal(struct qpair *qp)
{
    if (qp->renewal)
        event_free(qp->renewal);
    qp->renewal = NULL;
}

struct qpair *qpair_free(struct qpair *qp)
{
    if (!qp)
        return NULL;
    if (qp->request)
        peer_request_forget(qp->request);
    if (qp->peer)
        peer_qpair_destroy(qp->peer, qp->id_there);
    stop_serving(qp);
    stop_renewal(qp);
    rc_client_free(qp->rc);
    keep_drop(&qp->kept);
    list_remove(&qp->link);
    list_remove(&qp->session_link);
    list_remove(&qp->peer_link);
    list_remove(&qp->importer_link);
    idmap_remove(&qp->node->qpairs_by_id, &qp->id);
    if (qp->session) {
        if (qp->slot != STATE_SLOT_NONE)
            session_give_slot(qp->session, qp->slot);
        limit_give(&qp->session->n_qpairs, 1);
    }
    free(qp);
    return NULL;
}

static void show_state(struct qpair *qp, enum slot_state state)
{
    qp->state = state;
    if (qp->session)
        state_slot_set(&qp->node->slots, qp->slot, qp->id.id, state);
}

// ---- served here -----------------------------------------------------------------------------

// The client wrote what it must not into the ring: this queue pair ends, nothing else.
static void on_engine_failure(void *arg)
{
    struct qpair *qp = arg;
    struct importer *importer = qp->importer;

    log_limited(LOG_LEVEL_WARNING,
                "queue pair %" PRIu64 " (pid %d, uid %u): its ring is corrupted, so it was ended",
                qp->id.id, (int)importer->pid, (unsigned)importer->user->uid);
    stop_serving(qp);
    show_state(qp, SLOT_REVOKED);
    if (importer->peer)
        peer_qpair_failed(importer->peer, qp->id.id);
}

static doca_error_t serve(struct qpair *qp, struct importer *importer, int fds[QPAIR_FDS],
                          struct errtext *err)
{
    uint64_t *descriptors = &importer->user->descriptors;
    doca_error_t code =
        limit_take(node_limits(qp->node), LIMIT_DESCRIPTORS, descriptors, ENGINE_FDS, err);
    if (code != DOCA_SUCCESS)
        return code;
    int r = engine_queue_pair_add(importer->engine, &qp->engine, fds);
    if (r < 0) {
        limit_give(descriptors, ENGINE_FDS);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    }
    qp->importer = importer;
    list_append(&importer->qpairs, &qp->importer_link);
    engine_queue_pair_on_failure(qp->engine, on_engine_failure, qp);
    qp->state = SLOT_LIVE;
    kept_qpair(qp, fds);
    return DOCA_SUCCESS;
}

bool qpair_restore_served(struct qpair *qp, struct importer *importer, struct fd_list *fds)
{
    if (fds->count != QPAIR_FDS ||
        engine_queue_pair_restore(importer->engine, &qp->engine, fds->fds) < 0)
        return false;
    fds->count = 0;
    qp->importer = importer;
    importer->user->descriptors += ENGINE_FDS;
    list_append(&importer->qpairs, &qp->importer_link);
    engine_queue_pair_on_failure(qp->engine, on_engine_failure, qp);
    return true;
}

void qpair_end(struct qpair *qp, enum slot_state state)
{
    show_state(qp, state);
}

doca_error_t qpair_serve(struct qpair **out, struct importer *importer, int fds[QPAIR_FDS],
                         struct errtext *err)
{
    struct qpair *qp = qpair_new(importer->node);
    if (!qp)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = serve(qp, importer, fds, err);
    if (r != DOCA_SUCCESS) {
        qpair_free(qp);
        return r;
    }
    *out = qp;
    return DOCA_SUCCESS;
}

// What comes over the connection makes no sense, or nothing comes over it any more.
static void on_rc_engine_ended(void *arg, const char *why)
{
    struct qpair *qp = arg;
    struct peer *peer = qp->importer->peer;

    log_limited(LOG_LEVEL_WARNING, "queue pair %" PRIu64 " (of node %s): ended: %s", qp->id.id,
                peer->name, why);
    stop_serving(qp);
    show_state(qp, SLOT_PEER_GONE);
    peer_qpair_failed(peer, qp->id.id);
}

doca_error_t qpair_serve_rc(struct qpair *qp, int fds[QPAIR_FDS], const Docad__RcAddress *there,
                            struct errtext *err)
{
    keep_drop(&qp->kept); // its connection ends with this docad
    return rc_engine_new(&qp->rc_engine, qp->importer->peer, fds, there, on_rc_engine_ended, qp,
                         err);
}

doca_error_t qpair_serve_link(struct qpair *qp, int fds[QPAIR_FDS], uint64_t there,
                              struct errtext *err)
{
    keep_drop(&qp->kept); // likewise
    return link_engine_new(&qp->link_engine, qp->importer->peer, fds, there, on_rc_engine_ended, qp,
                           err);
}

// ---- of a session here ------------------------------------------------------------------------

static void answer(struct qpair *qp, const int fds[QPAIR_FDS])
{
    Docad__QueuePairCreateReply reply = DOCAD__QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    show_state(qp, SLOT_LIVE);
    reply.queue_pair_id = qp->id.id;
    reply.state_slot = qp->slot;
    message.body_case = DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY;
    message.queue_pair_create_reply = &reply;
    session_reply(qp->session, qp->serial, &message, fds, QPAIR_FDS);
}

static doca_error_t begin_own(struct qpair *qp, struct errtext *err)
{
    struct importer *importer;
    int fds[QPAIR_FDS];
    doca_error_t r = session_importer(qp->session, &importer, err);
    if (r == DOCA_SUCCESS)
        r = serve(qp, importer, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    answer(qp, fds);
    close_fds(fds);
    return DOCA_SUCCESS;
}

static void refuse(struct qpair *qp, doca_error_t code, const char *text)
{
    struct session *session = qp->session;
    uint64_t serial = qp->serial;
    qpair_free(qp);
    session_reply_error(session, serial, code, text);
}

static doca_error_t take_answer(struct qpair *qp, const Docad__PeerQueuePairCreateReply *m,
                                const struct fd_list *fds, struct errtext *err)
{
    bool far = qp->rc != NULL;
    bool sense = far ? (m->rc || m->link) && fds->count == 0 : fds->count == QPAIR_FDS;
    if (!sense)
        return errtext_set(err, DOCA_ERROR_DRIVER, "its answer makes no sense");
    return far ? rc_client_connect(qp->rc, m->rc, m->link, err) : DOCA_SUCCESS;
}

static void say_way(const struct qpair *qp, struct peer *peer)
{
    peer_say_way(peer, rc_client_device(qp->rc),
                 rc_client_has_device(qp->rc) ? peer->name : qp->node->config->name);
}

static void on_peer_reply(void *arg, struct peer *peer, const Docad__Message *reply,
                          struct fd_list *fds, const struct errtext *why)
{
    struct qpair *qp = arg;
    char text[sizeof(why->s) + 128];
    struct errtext err;

    qp->request = NULL;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        refuse(qp, peer_error_code(reply->error), reply->error->text);
        return;
    }
    const Docad__PeerQueuePairCreateReply *m = reply ? reply->peer_queue_pair_create_reply : NULL;
    doca_error_t r = m ? take_answer(qp, m, fds, &err) : DOCA_ERROR_DRIVER;
    if (r != DOCA_SUCCESS) {
        snprintf(text, sizeof(text), "node %s: %s", peer->name, m ? err.s : why->s);
        if (m)
            peer_qpair_destroy(peer, m->queue_pair_id);
        refuse(qp, r, text);
        return;
    }
    qp->peer = peer;
    qp->id_there = m->queue_pair_id;
    snprintf(qp->engine_name, sizeof(qp->engine_name), "%s", peer->name);
    list_remove(&qp->peer_link); // if it waited for the link
    stop_renewal(qp);
    list_append(&peer->qpairs, &qp->peer_link);
    if (qp->rc)
        say_way(qp, peer);
    kept_qpair(qp, NULL);
    answer(qp, qp->rc ? rc_client_fds(qp->rc) : fds->fds);
    if (qp->rc)
        rc_client_handed_over(qp->rc);
}

static void out_of_reach(struct qpair *qp, enum slot_state state)
{
    if (qp->request)
        peer_request_forget(qp->request);
    qp->request = NULL;
    stop_renewal(qp);
    list_remove(&qp->peer_link);
    qp->peer = NULL;
    qp->rc = rc_client_free(qp->rc);
    show_state(qp, state);
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

static void give_up(struct qpair *qp, const char *why)
{
    if (qp->state == SLOT_FREE) {
        refuse(qp, DOCA_ERROR_DRIVER, why);
        return;
    }
    log_limited(LOG_LEVEL_WARNING, "queue pair %" PRIu64 " (pid %d) to node %s: ended: %s",
                qp->id.id, (int)qp->session->pid, qp->engine_name, why);
    out_of_reach(qp, SLOT_PEER_GONE);
}

static void on_renewed(void *arg, struct peer *peer, const Docad__Message *reply,
                       struct fd_list *fds, const struct errtext *why)
{
    struct qpair *qp = arg;
    struct errtext err;

    qp->request = NULL;
    if (!reply || reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        give_up(qp, reply ? reply->error->text : why->s);
        return;
    }
    const Docad__PeerQueuePairCreateReply *m = reply->peer_queue_pair_create_reply;
    if (take_answer(qp, m, fds, &err) != DOCA_SUCCESS) {
        peer_qpair_destroy(peer, m->queue_pair_id);
        give_up(qp, err.s);
        return;
    }
    qp->id_there = m->queue_pair_id;
    say_way(qp, peer);
}

static void renew(struct qpair *qp)
{
    struct errtext err;

    if (qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    qp->id_there = 0;
    doca_error_t r = rc_client_renew(qp->rc, qp->peer, &err);
    if (r == DOCA_SUCCESS)
        r = ask(qp, qp->peer, qp->state == SLOT_FREE ? on_peer_reply : on_renewed, &err);
    if (r != DOCA_SUCCESS)
        give_up(qp, err.s);
}

static void on_renewal(evutil_socket_t fd, short what, void *arg)
{
    struct qpair *qp = arg;
    (void)fd;
    (void)what;
    if (qp->peer->state == PEER_LINKED && !qp->request)
        renew(qp);
}

// False if that has been tried often enough.
static bool renew_later(struct qpair *qp, const char *why)
{
    struct timeval pause = ms_to_timeval(RENEWAL_MS);

    if (!qp->peer || qp->request)
        return false;
    if (rc_client_has_come_on(qp->rc))
        qp->renewals = 0;
    if (qp->renewals++ >= RENEWALS_MAX)
        return false;
    if (!qp->renewal)
        qp->renewal = evtimer_new(qp->node->base, on_renewal, qp);
    if (!qp->renewal || event_add(qp->renewal, &pause) < 0)
        return false;
    log_limited(LOG_LEVEL_INFO,
                "queue pair %" PRIu64 " (pid %d) to node %s: its connection is made anew: %s",
                qp->id.id, (int)qp->session->pid, qp->engine_name, why);
    return true;
}

void qpairs_renew(struct peer *peer)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &peer->qpairs, peer_link) {
        if (!qp->rc || !rc_client_is_cut(qp->rc) || qp->request)
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
    log_limited(LOG_LEVEL_WARNING, "queue pair %" PRIu64 " (pid %d) to node %s: ended: %s",
                qp->id.id, (int)qp->session->pid, qp->engine_name, why);
    if (qp->peer)
        peer_qpair_destroy(qp->peer, qp->id_there);
    out_of_reach(qp, how == RC_CLIENT_CORRUPTED ? SLOT_REVOKED : SLOT_PEER_GONE);
}

bool qpair_restore_remote(struct qpair *qp, struct fd_list *fds)
{
    struct errtext err;

    if (fds->count != RC_CLIENT_KEPT_FDS ||
        rc_client_restore(&qp->rc, qp->node->base, fds->fds, on_rc_client_ended, qp, &err) !=
            DOCA_SUCCESS)
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
        refuse(qp, DOCA_ERROR_DRIVER, "the link to the owner's node is away; try again");
}

static doca_error_t begin_remote(struct qpair *qp, struct peer *peer, struct errtext *err)
{
    if (peer->no_descriptors) {
        doca_error_t r = rc_client_new(&qp->rc, peer, on_rc_client_ended, qp, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    if (!qp->rc || !rc_client_is_cut(qp->rc))
        return ask(qp, peer, on_peer_reply, err);
    // Asked when the link is back: qpairs_renew().
    struct timeval limit = ms_to_timeval(PEER_AWAY_LIMIT_MS);
    qp->peer = peer;
    list_append(&peer->qpairs, &qp->peer_link);
    qp->renewal = evtimer_new(qp->node->base, on_no_link, qp);
    if (!qp->renewal || event_add(qp->renewal, &limit) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

doca_error_t qpair_begin(struct session *session, uint64_t serial,
                         const Docad__QueuePairCreate *request, struct errtext *err)
{
    struct node *node = session->node;
    struct peer *peer;

    if (request->node.len != NODE_ID_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "node id of %zu bytes, it has %d",
                           request->node.len, NODE_ID_SIZE);
    doca_error_t r = import_find_owner(node, request->node.data, "queue pair", &peer, err);
    if (r == DOCA_SUCCESS)
        r = limit_take(node_limits(node), LIMIT_QUEUE_PAIRS, &session->n_qpairs, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct qpair *qp = qpair_new(node);
    if (!qp) {
        limit_give(&session->n_qpairs, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    qp->session = session;
    qp->serial = qp->kept.serial = serial;
    list_append(&session->qpairs, &qp->session_link);
    r = session_take_slot(session, &qp->slot, err);
    if (r == DOCA_SUCCESS)
        r = peer ? begin_remote(qp, peer, err) : begin_own(qp, err);
    if (r != DOCA_SUCCESS)
        qpair_free(qp);
    return r;
}

// ---- what the serving node says --------------------------------------------------------------

void qpairs_peer_gone(struct peer *peer)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &peer->qpairs, peer_link) {
        if (qp->state == SLOT_FREE && !qp->request)
            refuse(qp, DOCA_ERROR_DRIVER, "the link went down, and did not come back");
        else if (qp->state != SLOT_FREE) // the other requests fail with the link
            out_of_reach(qp, SLOT_PEER_GONE);
    }
}

void qpair_failed_there(struct peer *peer, uint64_t id_there)
{
    struct qpair *qp;
    list_for_each (qp, &peer->qpairs, peer_link) {
        if (qp->id_there == id_there) {
            if (qp->rc && renew_later(qp, "it was ended there")) {
                rc_client_suspend(qp->rc);
                return;
            }
            log_limited(LOG_LEVEL_WARNING,
                        "queue pair %" PRIu64 " (pid %d): ended by node %s, whose log says why",
                        qp->id.id, (int)qp->session->pid, peer->name);
            peer_qpair_destroy(peer, id_there);
            out_of_reach(qp, qp->rc ? SLOT_PEER_GONE : SLOT_REVOKED);
            return;
        }
    }
}
