// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "qpair_private.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "engine.h"
#include "import.h"
#include "importer.h"
#include "log.h"
#include "node.h"
#include "queue_pair.h"
#include "peer.h"
#include "peer_request.h"
#include "remote_client.h"
#include "remote_engine.h"
#include "session.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>

#define ENGINE_FDS 2 // descriptors that the engine keeps for each

// Closes descriptors that no other process has.
static void close_fds(int fds[QPAIR_FDS])
{
    for (int i = 0; i < QPAIR_FDS; i++)
        close_fdp(&fds[i]);
}

// ---- lifetime -----------------------------------------------------------------------------

static void drop_item(struct importer_item *item)
{
    qpair_free(container_of(item, struct qpair, item));
}

static bool end_item(struct importer_item *item, unsigned *steps)
{
    struct importer *importer = container_of(item, struct qpair, item)->importer;
    (void)steps;
    drop_item(item);
    importer_free_if_idle(importer);
    return true;
}

static void set_deadline(struct importer_item *item)
{
    struct qpair *qp = container_of(item, struct qpair, item);
    if (qp->remote_engine)
        remote_engine_set_deadline(qp->remote_engine);
}

static const struct importer_item_ops item_ops = {
    .end = end_item, .drop = drop_item, .set_deadline = set_deadline};

struct qpair *qpair_make(struct node *node, struct session *session)
{
    struct qpair *qp = calloc(1, sizeof(*qp));
    if (!qp)
        return NULL;
    object_init(&qp->object, DOCAD__RECORD__WHAT_QUEUE_PAIR, node, session);
    qp->item.ops = &item_ops;
    list_init(&qp->in_peer);
    list_init(&qp->item.in_importer);
    return qp;
}

// A session of a linked node is charged by attach().
doca_error_t qpair_enter(struct qpair *qp, uint64_t id, const struct limits *limits,
                         struct errtext *err)
{
    struct session *session = qp->object.session;
    if (!session)
        return object_enter(&qp->object, id, NULL, 0, limits, err);
    const struct charge charges[] = {
        {LIMIT_QUEUE_PAIRS, &session->n_qpairs, 1},
        {LIMIT_METADATA, &session->user->metadata, sizeof(*qp) + sizeof(struct qp_shared)}};
    return object_enter(&qp->object, id, charges, ARRAY_SIZE(charges), limits, err);
}

// Makes the importer's engine serve it, now or later.
static doca_error_t attach(struct qpair *qp, struct importer *importer, const struct limits *limits,
                           struct errtext *err)
{
    doca_error_t r = importer_take(importer, IMPORTER_QUEUE_PAIR, 1, limits, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = importer_take(importer, IMPORTER_FDS, ENGINE_FDS, limits, err);
    if (r != DOCA_SUCCESS) {
        importer_give(importer, IMPORTER_QUEUE_PAIR, 1);
        return r;
    }
    qp->importer = importer;
    qp->n_fds = ENGINE_FDS;
    list_append(&importer->qpairs, &qp->item.in_importer);
    if (importer->peer)
        peer_named_add(importer->peer, NAMED_QUEUE_PAIRS, &qp->item.named);
    return DOCA_SUCCESS;
}

static void give_fds(struct qpair *qp)
{
    importer_give(qp->importer, IMPORTER_FDS, qp->n_fds);
    qp->n_fds = 0;
}

static void detach(struct qpair *qp)
{
    if (!qp->importer)
        return;
    give_fds(qp);
    importer_give(qp->importer, IMPORTER_QUEUE_PAIR, 1);
    list_remove(&qp->item.in_importer);
    if (qp->importer->peer)
        peer_named_remove(qp->importer->peer, NAMED_QUEUE_PAIRS, &qp->item.named);
    qp->importer = NULL;
}

void qpair_set_there(struct qpair *qp, uint64_t id)
{
    if (qp->id_there)
        idmap_remove(&qp->peer->qpairs_there, &qp->there);
    qp->id_there = id;
    if (id)
        idmap_add(&qp->peer->qpairs_there, &qp->there, id);
}

static void qpair_leave(struct qpair *qp)
{
    detach(qp);
    qpair_set_there(qp, 0);
    list_remove(&qp->in_peer);
    object_leave(&qp->object);
}

static doca_error_t qpair_new(struct qpair **out, struct node *node, struct session *session,
                              struct errtext *err)
{
    struct qpair *qp = qpair_make(node, session);
    if (!qp)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = qpair_enter(qp, node_next_id(node), node_limits(node), err);
    if (r == DOCA_SUCCESS)
        *out = qp;
    else
        free(qp);
    return r;
}

static void stop_serving(struct qpair *qp)
{
    if (!qp->engine)
        return;
    qp->remote_engine = remote_engine_free(qp->remote_engine);
    engine_queue_pair_drop(qp->engine);
    qp->engine = NULL;
    give_fds(qp);
}

struct qpair *qpair_free(struct qpair *qp)
{
    if (!qp)
        return NULL;
    if (qp->request)
        peer_request_abandon(qp->request);
    if (qp->peer && qp->id_there)
        peer_qpair_destroy(qp->peer, qp->id_there);
    stop_serving(qp);
    qpair_stop_renewal(qp);
    remote_client_free(qp->remote);
    qpair_leave(qp);
    free(qp);
    return NULL;
}

void qpair_set_state(struct qpair *qp, enum slot_state state)
{
    qp->state = state;
    if (state != SLOT_FREE)
        object_use(&qp->object);
}

static void show_state(struct qpair *qp, enum slot_state state)
{
    qpair_set_state(qp, state);
    object_show(&qp->object, state);
}

// ---- served here -----------------------------------------------------------------------------

// The client has corrupted the ring: this queue pair ends, nothing else.
static void on_engine_failure(void *arg)
{
    struct qpair *qp = arg;
    struct importer *importer = qp->importer;

    log_limited(LOG_LEVEL_WARNING,
                "queue pair %" PRIu64 " (pid %d, uid %u): its ring is corrupted, so it was ended",
                qp->object.id, (int)importer->pid, (unsigned)importer->credentials.uid);
    stop_serving(qp);
    show_state(qp, SLOT_REVOKED);
    if (importer->peer)
        peer_qpair_failed(importer->peer, qp->object.id);
}

static doca_error_t serve(struct qpair *qp, struct importer *importer, int fds[QPAIR_FDS],
                          struct errtext *err)
{
    doca_error_t code = attach(qp, importer, node_limits(qp->object.node), err);
    if (code != DOCA_SUCCESS)
        return code;
    int r = engine_queue_pair_add(importer->engine, &qp->engine, fds);
    if (r < 0) {
        detach(qp);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    }
    engine_queue_pair_on_failure(qp->engine, on_engine_failure, qp);
    qpair_set_state(qp, SLOT_LIVE);
    code = qpair_keep(qp, fds, err);
    if (code != DOCA_SUCCESS)
        close_fds(fds);
    return code;
}

bool qpair_restore_served(struct qpair *qp, struct importer *importer, struct fd_list *fds)
{
    if (fds->count != QPAIR_FDS ||
        engine_queue_pair_restore(importer->engine, &qp->engine, fds->fds) < 0)
        return false;
    fds->count = 0;
    attach(qp, importer, NULL, NULL);
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
    struct qpair *qp;

    doca_error_t r = qpair_new(&qp, importer->node, NULL, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = serve(qp, importer, fds, err);
    if (r != DOCA_SUCCESS) {
        qpair_free(qp);
        return r;
    }
    *out = qp;
    return DOCA_SUCCESS;
}

// Called when the other side broke the protocol, or nothing arrives over the connection any more.
static void on_carrier_ended(void *arg, const char *why)
{
    struct qpair *qp = arg;
    struct peer *peer = qp->importer->peer;

    log_limited(LOG_LEVEL_WARNING, "queue pair %" PRIu64 " (of node %s): ended: %s", qp->object.id,
                peer->name, why);
    stop_serving(qp);
    show_state(qp, SLOT_PEER_GONE);
    peer_qpair_failed(peer, qp->object.id);
}

// The connection that carries its bytes to another machine keeps descriptors, too.
static doca_error_t charge_carrier(struct qpair *qp, unsigned n_fds, int fds[QPAIR_FDS],
                                   struct errtext *err)
{
    doca_error_t r =
        importer_take(qp->importer, IMPORTER_FDS, n_fds, node_limits(qp->object.node), err);
    if (r == DOCA_SUCCESS)
        qp->n_fds += n_fds;
    else
        close_fds(fds);
    return r;
}

static void notify_reached(struct qpair *qp, doca_error_t result, const char *why)
{
    qpair_reached_fn reached = qp->reached;
    struct errtext text;

    qp->reached = NULL;
    errtext_write(&text, "%s", why);
    reached(qp, result, &text);
}

static void on_remote_engine_connected(void *arg, const char *why)
{
    struct qpair *qp = arg;
    struct peer *peer = qp->importer->peer;

    if (!why) {
        notify_reached(qp, DOCA_SUCCESS, "");
        return;
    }
    remote_engine_avoid_device(qp->remote_engine, peer, why);
    notify_reached(qp, DOCA_ERROR_NOT_SUPPORTED, peer->no_rdma.s);
}

static void on_remote_engine_ended(void *arg, const char *why)
{
    struct qpair *qp = arg;

    if (qp->reached)
        notify_reached(qp, DOCA_ERROR_DRIVER, why); // the other node does not have it yet
    else
        on_carrier_ended(qp, why);
}

doca_error_t qpair_serve_remote(struct qpair *qp, int fds[QPAIR_FDS],
                                const struct remote_end *there, qpair_reached_fn reached,
                                struct errtext *err)
{
    static const struct remote_engine_owner owner = {.connected = on_remote_engine_connected,
                                                     .ended = on_remote_engine_ended};

    doca_error_t r = charge_carrier(qp, remote_engine_fds(there), fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    fdstore_drop(&qp->object.stored); // its connection ends with this docad
    qp->reached = reached;
    return remote_engine_new(&qp->remote_engine, qp->importer->peer, qp->engine,
                             qp->importer->credentials.account, fds, there, &owner, qp, err);
}

// ---- of a session here ------------------------------------------------------------------------

void qpair_answer(struct qpair *qp, const int fds[QPAIR_FDS])
{
    Docad__QueuePairCreateReply reply = DOCAD__QUEUE_PAIR_CREATE_REPLY__INIT;

    show_state(qp, SLOT_LIVE);
    reply.queue_pair_id = qp->object.id;
    reply.state_slot = qp->object.slot;
    session_reply(qp->object.session, qp->serial,
                  message_of(QUEUE_PAIR_CREATE_REPLY, queue_pair_create_reply, &reply), fds,
                  QPAIR_FDS);
}

static doca_error_t begin_own(struct qpair *qp, struct errtext *err)
{
    struct importer *importer;
    int fds[QPAIR_FDS];
    doca_error_t r = session_importer(qp->object.session, &importer, err);
    if (r == DOCA_SUCCESS)
        r = serve(qp, importer, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    qpair_answer(qp, fds);
    fd_reaper_close_all(fds, QPAIR_FDS, qp->object.session->user->uid);
    return DOCA_SUCCESS;
}

void qpair_refuse(struct qpair *qp, doca_error_t code, const char *text)
{
    struct session *session = qp->object.session;
    uint64_t serial = qp->serial;
    qpair_free(qp);
    session_reply_error(session, serial, code, text);
}

doca_error_t qpair_begin(struct session *session, uint64_t serial,
                         const Docad__QueuePairCreate *request, struct errtext *err)
{
    struct node *node = session->node;
    struct qpair *qp;
    struct peer *peer;

    if (request->node.len != NODE_ID_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "node id of %zu bytes; it must have %d",
                           request->node.len, NODE_ID_SIZE);
    doca_error_t r = import_find_owner(node, request->node.data, "queue pair", &peer, err);
    if (r == DOCA_SUCCESS)
        r = qpair_new(&qp, node, session, err);
    if (r != DOCA_SUCCESS)
        return r;
    qp->serial = qp->object.stored.serial = serial;
    r = object_take_slot(&qp->object, err);
    if (r == DOCA_SUCCESS)
        r = peer ? qpair_begin_remote(qp, peer, err) : begin_own(qp, err);
    if (r != DOCA_SUCCESS)
        qpair_free(qp);
    return r;
}

// ---- records --------------------------------------------------------------------------

doca_error_t qpair_keep(struct qpair *qp, const int *client_fds, struct errtext *err)
{
    Docad__QueuePairRecord what = DOCAD__QUEUE_PAIR_RECORD__INIT;
    Docad__Account account;
    Docad__ImporterRecord importer;
    Docad__Record record;
    int fds[REMOTE_CLIENT_STORED_FDS];
    size_t n = 0;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.has_slot = qp->object.slot != STATE_SLOT_NONE;
    what.slot = qp->object.slot;
    what.engine_name = qp->engine_name;
    if (qp->engine) {
        importer_record(qp->importer, &importer, &account);
        what.importer = &importer;
        fds[n++] = client_fds[0];
        fds[n++] = client_fds[1];
        fds[n++] = engine_queue_pair_channel(qp->engine);
    } else if (qp->peer) {
        what.node = record_bytes(qp->peer->id_there, NODE_ID_SIZE);
        what.id_there = qp->id_there;
        if (qp->remote) {
            remote_client_stored_fds(qp->remote, fds);
            n = REMOTE_CLIENT_STORED_FDS;
        }
    }
    object_record(&qp->object, &record);
    record.queue_pair = &what;
    struct user *user = qp->object.session ? qp->object.session->user : qp->importer->user;
    return fdstore_put(&qp->object.stored, &record, user, fds, n, err);
}
