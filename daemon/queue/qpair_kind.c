// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "link_queue.h"
#include "peer_qpair.h"
#include "qpair.h"

#include "node.h"
#include "peer.h"
#include "peer_names.h"
#include "session.h"

#include <stdio.h>

// Restores the engine or the linked node that serves it.
static void restore_engine(struct qpair *qp, const Docad__QueuePairRecord *m,
                           struct importer *importer, struct fd_list *fds)
{
    struct peer *peer =
        m->node.len == NODE_ID_SIZE ? peer_find(qp->object.node, m->node.data) : NULL;
    bool live = qp->state == SLOT_LIVE;

    if (importer && !(live && qpair_restore_served(qp, importer, fds))) {
        importer_free_if_idle(importer);
        qpair_end(qp, live ? SLOT_REVOKED : qp->state);
    }
    if (peer && live && (!peer->no_descriptors || qpair_restore_remote(qp, fds))) {
        qp->peer = peer;
        qpair_set_there(qp, m->id_there);
        list_append(&peer->qpairs, &qp->in_peer);
    } else if (!importer && live) {
        qpair_end(qp, SLOT_PEER_GONE);
    }
}

// A queue pair of a session has a slot. It is served either here or elsewhere, and one without a
// session can only be served here, for a linked node.
static bool makes_sense(const Docad__Record *record, const struct session *session)
{
    const Docad__QueuePairRecord *m = record->queue_pair;
    return (record->session != 0) == (session != NULL) && m->has_slot == (session != NULL) &&
           (session || m->importer) && !(m->importer && m->node.len);
}

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__QueuePairRecord *m = item->record->queue_pair;
    struct session *session = node_session(node, item->record->session);
    struct importer *importer = m->importer ? importer_of_record(node, m->importer) : NULL;
    enum slot_state state = SLOT_LIVE;

    if (!makes_sense(item->record, session) || (m->importer && !importer) ||
        (m->has_slot && !session_claim_slot(session, m->slot, item->record->id, &state))) {
        if (importer)
            importer_free_if_idle(importer);
        return;
    }
    struct qpair *qp = qpair_make(node, session);
    if (!qp) {
        if (m->has_slot)
            session_give_slot(session, m->slot);
        return;
    }
    qpair_set_state(qp, state);
    copy_text(qp->engine_name, m->engine_name);
    if (m->has_slot)
        qp->object.slot = m->slot;
    qpair_enter(qp, item->record->id, NULL, NULL);
    if (session)
        object_take(&qp->object, item);
    restore_engine(qp, m, importer, &item->fds);
    if (session)
        return;
    if (qp->importer)
        fdstore_take(item, &qp->object.stored, qp->importer->user);
    else
        qpair_free(qp); // it belongs to a linked node, which will request another one
}

static void end(struct object *object, unsigned *steps)
{
    (void)steps;
    qpair_free(container_of(object, struct qpair, object));
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct qpair *qp;
    list_append_all(&to->qpairs, &from->qpairs);
    to->qpairs_there = from->qpairs_there;
    idmap_init(&from->qpairs_there);
    list_for_each (qp, &to->qpairs, in_peer)
        qp->peer = to;
}

static bool name(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps)
{
    const struct qpair *qp;
    idmap_for_each_after (qp, &peer->qpairs_there, *after, there) {
        if (!kind_step(steps))
            return false;
        *after = qp->id_there;
        if (qpair_is_served_there(qp))
            peer_names_add(names, NAMES_QUEUE_PAIRS, *after);
    }
    return true;
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_queue_pairs; i++) {
        struct qpair *qp = OBJECT_GET(peer->node, QUEUE_PAIR, named->queue_pairs[i], struct qpair);
        if (qp && qp->importer && qp->importer->peer == peer)
            peer_named_again(peer, NAMED_QUEUE_PAIRS, &qp->item.named);
        else
            peer_qpair_failed(peer, named->queue_pairs[i]);
    }
}

// ---- requests -------------------------------------------------------------------------

static doca_error_t on_queue_pair_create(struct request *request)
{
    return qpair_begin(request->session, request->message->serial,
                       request->message->queue_pair_create, request->err);
}

static doca_error_t on_queue_pair_destroy(struct request *request)
{
    uint64_t id = request->message->queue_pair_destroy->queue_pair_id;
    struct qpair *qp = OBJECT_GET(request->session->node, QUEUE_PAIR, id, struct qpair);

    if (!qp || qp->object.session != request->session || qp->state == SLOT_FREE)
        return session_has_no("queue pair", id, request->err);
    qpair_free(qp);
    return request_reply_ok(request);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, "QueuePairCreate", on_queue_pair_create},
    {DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, "QueuePairDestroy", on_queue_pair_destroy},
    {0},
};

// ---- messages -------------------------------------------------------------------------

static void on_queue_pair_failed(struct peer *peer, const Docad__Message *message)
{
    qpair_failed_there(peer, message->peer_queue_pair_failed->queue_pair_id);
}

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, peer_qpair_create},
    {DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY, peer_qpair_end},
    {DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED, on_queue_pair_failed},
    {DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA, link_queue_message},
    {0},
};

const struct object_kind qpair_kind = {.requests = requests,
                                       .messages = messages,
                                       .record = DOCAD__RECORD__WHAT_QUEUE_PAIR,
                                       .restore = restore,
                                       .end = end,
                                       .adopt = adopt,
                                       .name = name,
                                       .confirm = confirm,
                                       .gone = qpairs_peer_gone};
