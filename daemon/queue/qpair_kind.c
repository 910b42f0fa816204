// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "qpair.h"

#include "engine.h"
#include "node.h"
#include "peer.h"
#include "peer_names.h"
#include "rc_client.h"
#include "session.h"

#include <stdio.h>

void qpair_keep(struct qpair *qp, const int *client_fds)
{
    Docad__KeptQueuePair what = DOCAD__KEPT_QUEUE_PAIR__INIT;
    Docad__KeptImporter importer;
    Docad__Kept record;
    int fds[RC_CLIENT_KEPT_FDS];
    size_t n = 0;

    if (!keep_is_on())
        return;
    what.has_slot = qp->slot != STATE_SLOT_NONE;
    what.slot = qp->slot;
    what.engine_name = qp->engine_name;
    if (qp->engine) {
        importer_record(qp->importer, &importer);
        what.importer = &importer;
        fds[n++] = client_fds[0];
        fds[n++] = client_fds[1];
        fds[n++] = engine_queue_pair_channel(qp->engine);
    } else if (qp->peer) {
        what.node = keep_bytes(qp->peer->id_there, NODE_ID_SIZE);
        what.id_there = qp->id_there;
        if (qp->rc) {
            rc_client_kept_fds(qp->rc, fds);
            n = RC_CLIENT_KEPT_FDS;
        }
    }
    keep_record_init(&record, qp->id.id, qp->session ? qp->session->id : 0, &qp->kept);
    record.what_case = DOCAD__KEPT__WHAT_QUEUE_PAIR;
    record.queue_pair = &what;
    keep_put(&qp->kept, &record, fds, n);
}

// Takes up who serves it.
static void restore_engine(struct qpair *qp, const Docad__KeptQueuePair *m,
                           struct importer *importer, struct fd_list *fds)
{
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(qp->node, m->node.data) : NULL;
    bool live = qp->state == SLOT_LIVE;

    if (importer && !(live && qpair_restore_served(qp, importer, fds))) {
        importer_free_if_idle(importer);
        qpair_end(qp, live ? SLOT_REVOKED : qp->state);
    }
    if (peer && live && (!peer->no_descriptors || qpair_restore_remote(qp, fds))) {
        qp->peer = peer;
        qp->id_there = m->id_there;
        list_append(&peer->qpairs, &qp->peer_link);
    } else if (!importer && live) {
        qpair_end(qp, SLOT_PEER_GONE);
    }
}

static void restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptQueuePair *m = item->record->queue_pair;
    struct session *session = node_session(node, item->record->session);
    struct importer *importer = m->importer ? importer_of_record(node, m->importer) : NULL;
    enum slot_state state = SLOT_LIVE;

    if ((item->record->session && !session) || (m->importer && !importer) ||
        (m->has_slot &&
         (!session || !session_claim_slot(session, m->slot, item->record->id, &state))))
        return;
    struct qpair *qp = qpair_make(node, session);
    if (!qp) {
        if (m->has_slot)
            session_give_slot(session, m->slot);
        return;
    }
    qp->state = state;
    snprintf(qp->engine_name, sizeof(qp->engine_name), "%s", m->engine_name);
    if (m->has_slot)
        qp->slot = m->slot;
    qpair_enter(qp, item->record->id, NULL, NULL);
    keep_take(item, &qp->kept);
    restore_engine(qp, m, importer, &item->fds);
    if (!qp->session && !qp->importer)
        qpair_free(qp); // a linked node's: it asks for another one
}

static void end_of(struct session *session, uint64_t serial)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &session->qpairs, session_link)
        if (!serial || qp->kept.serial == serial)
            qpair_free(qp);
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct qpair *qp, *next;
    list_for_each_safe (qp, next, &from->qpairs, peer_link) {
        qp->peer = to;
        list_remove(&qp->peer_link);
        list_append(&to->qpairs, &qp->peer_link);
    }
}

static void name(struct peer *peer, struct peer_names *names)
{
    const struct qpair *qp;
    list_for_each (qp, &peer->qpairs, peer_link)
        if (qpair_is_served_there(qp))
            peer_names_add(names, NAMES_QUEUE_PAIRS, qp->id_there);
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_queue_pairs; i++) {
        struct qpair *qp =
            idmap_get(&peer->node->qpairs_by_id, named->queue_pairs[i], struct qpair, id);
        if (qp && qp->importer && qp->importer->peer == peer)
            qp->item.stale = false;
        else
            peer_qpair_failed(peer, named->queue_pairs[i]);
    }
}

const struct object_kind qpair_kind = {.record = DOCAD__KEPT__WHAT_QUEUE_PAIR,
                                       .restore = restore,
                                       .end_of = end_of,
                                       .adopt = adopt,
                                       .name = name,
                                       .confirm = confirm,
                                       .gone = qpairs_peer_gone};
