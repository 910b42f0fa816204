// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_endpoint.h"

#include "node.h"
#include "peer.h"
#include "peer_names.h"
#include "user.h"

#include <string.h>
#include <sys/socket.h>

static void restore_other(struct node *node, struct rdma_endpoint *e, const Docad__RdmaRecord *m)
{
    bool here = memcmp(m->other_node.data, node->id, NODE_ID_SIZE) == 0;

    memcpy(e->other.node, m->other_node.data, NODE_ID_SIZE);
    memcpy(e->other.token, m->other_token.data, RDMA_TOKEN_SIZE);
    e->other.id = m->other_id;
    e->other.permissions = m->other_permissions;
    e->other.uid = m->other_uid;
    if (here) {
        // The endpoint that is restored later finds the earlier one.
        struct rdma_endpoint *other = OBJECT_GET(node, RDMA, m->other_id, struct rdma_endpoint);
        if (other && other != e && other->paired && !other->other.here &&
            other->other.id == e->object.id) {
            e->other.here = other;
            other->other.here = e;
        }
    } else {
        struct peer *peer = peer_find(node, m->other_node.data);
        if (peer)
            rdma_endpoint_set_peer(e, peer);
    }
}

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__RdmaRecord *m = item->record->rdma;
    struct session *session = node_session(node, item->record->session);
    enum slot_state state;
    size_t n = 0;

    if (!session || m->function - 1 >= node->n_functions || m->token.len != RDMA_TOKEN_SIZE ||
        m->other_node.len != NODE_ID_SIZE || m->other_token.len != RDMA_TOKEN_SIZE ||
        item->fds.count != (size_t)m->has_lifeline + 2 * (size_t)m->has_part ||
        !session_claim_slot(session, m->slot, item->record->id, &state))
        return;
    struct rdma_endpoint *e =
        rdma_endpoint_make(session, &node->functions[m->function - 1], m->permissions);
    if (!e) {
        session_give_slot(session, m->slot);
        return;
    }
    e->object.slot = m->slot;
    e->state = state;
    memcpy(e->token, m->token.data, RDMA_TOKEN_SIZE);
    rdma_endpoint_enter(e, item->record->id, NULL, NULL);
    object_take(&e->object, item);
    if (m->has_lifeline)
        e->lifeline = fd_list_take(&item->fds, n++);
    if (m->has_part) {
        e->memfd = fd_list_take(&item->fds, n);
        e->channel = fd_list_take(&item->fds, n + 1);
    }
    rdma_endpoint_set_comch(e, m->comch);
    e->side = m->side;
    e->connected = m->connected;
    e->paired = m->paired;
    if (m->paired && state == SLOT_LIVE)
        restore_other(node, e, m);
}

// Ends endpoints whose other side was not restored, or which were just being connected.
static void settle(struct node *node)
{
    struct rdma_endpoint *e;
    list_for_each (e, NODE_OBJECTS(node, RDMA), object.in_node)
        if (e->paired && e->state == SLOT_LIVE && !e->other.here && !e->other.peer)
            rdma_endpoint_end(e, SLOT_OWNER_GONE);
}

static void end(struct object *object, unsigned *steps)
{
    (void)steps;
    rdma_endpoint_free(container_of(object, struct rdma_endpoint, object));
}

// The other sides on this node see the reason before any memory of the session shows its end.
static bool owner_gone(struct session *session, unsigned *steps)
{
    struct object *first;
    while ((first = session_first_unshown(session, DOCAD__RECORD__WHAT_RDMA))) {
        const struct rdma_endpoint *e = container_of(first, struct rdma_endpoint, object);
        if (!kind_step(steps))
            return false;
        if (e->other.here && e->other.here->connected)
            object_show(&e->other.here->object, SLOT_OWNER_GONE);
        object_shown(first);
    }
    return true;
}

// Jobs on ibverbs devices may be under way, and the device may not report it, so sleeping
// clients are woken to check.
static void wake(const struct rdma_endpoint *e)
{
    if (e->lifeline < 0 || !e->function || e->function->backing != DOCAD__BACKING__VERBS)
        return;
    ssize_t n = send(e->lifeline, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)n; // a full socket is readable already
}

#define WAKE_PIECE 16 // endpoints

// Those that were woken are the last ones.
static bool take_wake(struct sched_item *turn)
{
    struct session *session = container_of(turn, struct session, waking);
    struct list *list = SESSION_OBJECTS(session, RDMA);

    for (int i = 0; i < WAKE_PIECE && session->to_wake && !list_empty(list); i++) {
        struct list *first = list->next;
        list_remove(first);
        list_append(list, first);
        wake(list_entry(first, struct rdma_endpoint, object.in_session));
        session->to_wake--;
    }
    return session->to_wake && !list_empty(list);
}

// The user who ends the memory does not wait for the endpoints of the session's user.
static void memory_gone(struct session *session)
{
    struct sched_item *turn = &session->waking;

    if (session->ending || list_empty(SESSION_OBJECTS(session, RDMA)))
        return;
    turn->sched = session->node->sched;
    turn->user = &session->user->sched;
    turn->take = take_wake;
    session->to_wake = session->n_qpairs; // at least as many
    if (turn->sched)
        sched_queue(turn);
    while (!turn->sched && take_wake(turn)) {
    }
}

static void function_gone(struct node *node, const struct function *function, enum slot_state state)
{
    struct rdma_endpoint *e;

    list_for_each (e, NODE_OBJECTS(node, RDMA), object.in_node) {
        if (e->function != function || e->state != SLOT_LIVE)
            continue;
        if (e->other.here && e->other.here->function != function)
            rdma_endpoint_end(e->other.here, SLOT_OWNER_GONE);
        if (e->other.peer)
            rdma_endpoint_notify_peer(e);
        // docad may not have its connection yet, but it ends nevertheless.
        e->connected = true;
        rdma_endpoint_end(e, state);
    }
}

// ---- links ----------------------------------------------------------------------------

static struct rdma_endpoint *of_named(struct idmap_node *named)
{
    return named ? container_of(named, struct rdma_endpoint, named) : NULL;
}

static void adopt(struct peer *to, struct peer *from)
{
    struct rdma_endpoint *e;
    (void)from;
    idmap_for_each (e, &to->named.kinds[NAMED_ENDPOINTS], named)
        e->other.peer = to;
}

static bool name(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps)
{
    const struct rdma_endpoint *e;
    idmap_for_each_after (e, &peer->named.kinds[NAMED_ENDPOINTS], *after, named) {
        if (!kind_step(steps))
            return false;
        *after = e->named.id;
        if (!e->request)
            peer_names_add_endpoint(names, e->object.id, e->other.id);
    }
    return true;
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_endpoints && i < named->n_endpoints_there; i++) {
        struct rdma_endpoint *own =
            OBJECT_GET(peer->node, RDMA, named->endpoints_there[i], struct rdma_endpoint);
        if (own && own->other.peer == peer && own->other.id == named->endpoints[i] && !own->request)
            peer_named_again(peer, NAMED_ENDPOINTS, &own->named);
        else
            rdma_notify_ended(peer, named->endpoints[i], named->endpoints_there[i]);
    }
}

// The node need not know those for which it is being asked.
static bool sweep(struct peer *peer, unsigned *steps)
{
    struct rdma_endpoint *e;
    while ((e = of_named(peer_named_missing(peer, NAMED_ENDPOINTS)))) {
        if (!kind_step(steps))
            return false;
        if (e->request)
            peer_named_again(peer, NAMED_ENDPOINTS, &e->named);
        else
            rdma_endpoint_end(e, SLOT_OWNER_GONE);
    }
    return true;
}

static bool gone(struct peer *peer, unsigned *steps)
{
    struct rdma_endpoint *e;
    while ((e = of_named(idmap_first(&peer->named.kinds[NAMED_ENDPOINTS])))) {
        if (!kind_step(steps))
            return false;
        rdma_endpoint_end(e, SLOT_PEER_GONE);
    }
    return true;
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, "RdmaEndpointCreate", on_rdma_endpoint_create},
    {DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_DESTROY, "RdmaEndpointDestroy", on_rdma_endpoint_destroy},
    {DOCAD__MESSAGE__BODY_RDMA_CONNECT, "RdmaConnect", on_rdma_connect},
    {0},
};

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT, .with_fds = rdma_peer_connect},
    {DOCAD__MESSAGE__BODY_PEER_RDMA_ENDED, rdma_peer_ended},
    {0},
};

const struct object_kind rdma_kind = {.requests = requests,
                                      .messages = messages,
                                      .record = DOCAD__RECORD__WHAT_RDMA,
                                      .restore = restore,
                                      .settle = settle,
                                      .end = end,
                                      .owner_gone = owner_gone,
                                      .memory_gone = memory_gone,
                                      .function_gone = function_gone,
                                      .adopt = adopt,
                                      .name = name,
                                      .confirm = confirm,
                                      .sweep = sweep,
                                      .gone = gone};
