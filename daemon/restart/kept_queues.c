// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeping queue pairs and RDMA endpoints.

#include "kept.h"

#include "engine.h"
#include "grant.h"
#include "node.h"
#include "peer.h"
#include "qpair.h"
#include "rc_client.h"
#include "rdma_endpoint.h"
#include "session.h"
#include "user.h"

#include <string.h>

static ProtobufCBinaryData bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)data};
}

// ---- queue pairs ----------------------------------------------------------------------

void kept_qpair(struct qpair *qp, const int *client_fds)
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
        kept_importer(qp->importer, &importer);
        what.importer = &importer;
        fds[n++] = client_fds[0];
        fds[n++] = client_fds[1];
        fds[n++] = engine_queue_pair_channel(qp->engine);
    } else if (qp->peer) {
        what.node = bytes(qp->peer->id_there, NODE_ID_SIZE);
        what.id_there = qp->id_there;
        if (qp->rc) {
            rc_client_kept_fds(qp->rc, fds);
            n = RC_CLIENT_KEPT_FDS;
        }
    }
    kept_init(&record, qp->id.id, qp->session, &qp->kept);
    record.what_case = DOCAD__KEPT__WHAT_QUEUE_PAIR;
    record.queue_pair = &what;
    keep_put(&qp->kept, &record, fds, n);
}

void kept_qpair_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptQueuePair *m = item->record->queue_pair;
    struct session *session = kept_session_of(node, item);
    struct importer *importer = m->importer ? kept_importer_find(node, m->importer) : NULL;
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    enum slot_state state = SLOT_LIVE;

    if ((item->record->session && !session) || (m->importer && !importer) ||
        (m->has_slot && !state_slot_claim(&node->slots, m->slot, item->record->id, &state)))
        return;
    struct qpair *qp = qpair_restore(node, item->record->id);
    if (!qp)
        return;
    qp->state = state;
    snprintf(qp->engine_name, sizeof(qp->engine_name), "%s", m->engine_name);
    if (session) {
        qp->session = session;
        session->n_qpairs++;
        list_append(&session->qpairs, &qp->session_link);
    }
    if (m->has_slot) {
        qp->slot = m->slot;
        session->user->slots++;
    }
    keep_take(item, &qp->kept);
    if (importer && !(state == SLOT_LIVE && qpair_restore_served(qp, importer, &item->fds))) {
        importer_free_if_idle(importer);
        qpair_end(qp, state == SLOT_LIVE ? SLOT_REVOKED : state);
    }
    if (peer && state == SLOT_LIVE &&
        (!peer->no_descriptors || qpair_restore_remote(qp, &item->fds))) {
        qp->peer = peer;
        qp->id_there = m->id_there;
        list_append(&peer->qpairs, &qp->peer_link);
    } else if (!importer && state == SLOT_LIVE) {
        qpair_end(qp, SLOT_PEER_GONE);
    }
    if (!qp->session && !qp->importer)
        qpair_free(qp); // a linked node's: it asks for another one
}

// ---- RDMA endpoints -------------------------------------------------------------------

void kept_rdma(struct rdma_endpoint *e)
{
    Docad__KeptRdma what = DOCAD__KEPT_RDMA__INIT;
    Docad__Kept record;
    int fds[3];
    size_t n = 0;

    if (!keep_is_on())
        return;
    what.function = e->function->id;
    what.permissions = e->permissions;
    what.slot = e->slot;
    what.token = bytes(e->token, sizeof(e->token));
    what.paired = e->paired;
    what.connected = e->connected;
    what.other_node = bytes(e->other.node, sizeof(e->other.node));
    what.other_id = e->other.id;
    what.other_token = bytes(e->other.token, sizeof(e->other.token));
    what.other_permissions = e->other.permissions;
    what.other_uid = e->other.uid;
    what.side = e->side;
    what.has_lifeline = e->lifeline >= 0;
    what.has_part = e->memfd >= 0;
    if (what.has_lifeline)
        fds[n++] = e->lifeline;
    if (what.has_part) {
        fds[n++] = e->memfd;
        fds[n++] = e->channel;
    }
    kept_init(&record, e->id.id, e->session, &e->kept);
    record.what_case = DOCAD__KEPT__WHAT_RDMA;
    record.rdma = &what;
    keep_put(&e->kept, &record, fds, n);
}

static void restore_other(struct node *node, struct rdma_endpoint *e, const Docad__KeptRdma *m)
{
    bool here = memcmp(m->other_node.data, node->id, NODE_ID_SIZE) == 0;

    memcpy(e->other.node, m->other_node.data, NODE_ID_SIZE);
    memcpy(e->other.token, m->other_token.data, RDMA_TOKEN_SIZE);
    e->other.id = m->other_id;
    e->other.permissions = m->other_permissions;
    e->other.uid = m->other_uid;
    if (here) {
        // The later of the two finds the earlier one.
        struct rdma_endpoint *other =
            idmap_get(&node->rdma_by_id, m->other_id, struct rdma_endpoint, id);
        if (other && other->paired && other->other.id == e->id.id) {
            e->other.here = other;
            other->other.here = e;
        }
    } else {
        e->other.peer = peer_find(node, m->other_node.data);
    }
}

void kept_rdma_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptRdma *m = item->record->rdma;
    struct session *session = kept_session_of(node, item);
    enum slot_state state;
    size_t n = 0;

    if (!session || m->function - 1 >= node->n_functions || m->token.len != RDMA_TOKEN_SIZE ||
        m->other_node.len != NODE_ID_SIZE || m->other_token.len != RDMA_TOKEN_SIZE ||
        item->fds.count != (size_t)m->has_lifeline + 2 * (size_t)m->has_part ||
        !state_slot_claim(&node->slots, m->slot, item->record->id, &state))
        return;
    struct rdma_endpoint *e = rdma_endpoint_restore(session, item->record->id, m->slot);
    if (!e)
        return;
    e->function = &node->functions[m->function - 1];
    e->permissions = m->permissions;
    e->state = state;
    memcpy(e->token, m->token.data, RDMA_TOKEN_SIZE);
    keep_take(item, &e->kept);
    if (m->has_lifeline)
        e->lifeline = fd_list_take(&item->fds, n++);
    if (m->has_part) {
        e->memfd = fd_list_take(&item->fds, n);
        e->channel = fd_list_take(&item->fds, n + 1);
    }
    e->side = m->side;
    e->connected = m->connected;
    e->paired = m->paired;
    if (m->paired && state == SLOT_LIVE)
        restore_other(node, e, m);
}

// An endpoint whose other side was not taken up, or was in the middle of being connected.
void kept_rdma_settle(struct node *node)
{
    struct rdma_endpoint *e;
    list_for_each (e, &node->rdma_endpoints, link) {
        if (e->paired && e->state == SLOT_LIVE && !e->other.here && !e->other.peer)
            rdma_endpoint_end(e, SLOT_OWNER_GONE);
    }
}
