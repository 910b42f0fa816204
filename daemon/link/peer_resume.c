// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_resume.h"

#include "channel_relay.h"
#include "cleanup.h"
#include "clock.h"
#include "connection.h"
#include "grant.h"
#include "import.h"
#include "kept.h"
#include "link_queue.h"
#include "log.h"
#include "node.h"
#include "peer_link.h"
#include "peer_request.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "representor.h"

#include <event2/event.h>
#include <string.h>

#define IDS_MAX 1024 // of one kind in one message

// ---- waiting --------------------------------------------------------------------------

void peer_wait_for_return(struct peer *peer)
{
    struct timeval grace = ms_to_timeval(peer->node->config->peer_grace_ms);
    peer->away = true;
    peer->was_apart = peer->no_descriptors;
    event_add(peer->grace, &grace);
}

void peer_on_grace(int fd, short what, void *arg)
{
    struct peer *peer = arg;
    (void)fd;
    (void)what;

    if (!peer->away)
        return;
    log_peer_limited(LOG_LEVEL_INFO, peer,
                     "node %s did not come back within %llu ms (peer_grace_ms): what was imported "
                     "from it, and its channels, have ended",
                     peer->name, (unsigned long long)peer->node->config->peer_grace_ms);
    peer_forget(peer, "it did not come back");
    if (!peer->config && !peer->connection)
        peer_free(peer);
}

static struct peer *find_away(struct peer *like)
{
    struct peer *peer;
    list_for_each (peer, &like->node->peers, link) {
        if (peer->away && memcmp(peer->id_there, like->id_there, NODE_ID_SIZE) == 0)
            return peer;
    }
    return NULL;
}

static void adopt_imports(struct peer *to, struct peer *from)
{
    struct import *import;
    list_for_each (import, &to->node->imports, link) {
        if (import->peer != from)
            continue;
        uint64_t grant = import->grant_id.id;
        idmap_remove(&from->imports_by_grant, &import->grant_id);
        import->peer = to;
        idmap_add(&to->imports_by_grant, &import->grant_id, grant);
    }
    imports_forget_teller(from); // what it waits for it will say again
}

// All that hangs on the one hangs on the other.
static void adopt(struct peer *to, struct peer *from)
{
    struct node *node = to->node;
    struct rdma_endpoint *endpoint;
    struct representor *representor;
    struct channel *channel;
    struct qpair *qp, *next_qp;

    adopt_imports(to, from);
    channel_relays_adopt(to, from);
    link_queues_adopt(to, from);
    importers_adopt(to, from);
    list_for_each_safe (qp, next_qp, &from->qpairs, peer_link) {
        qp->peer = to;
        list_remove(&qp->peer_link);
        list_append(&to->qpairs, &qp->peer_link);
    }
    list_for_each (endpoint, &node->rdma_endpoints, link) {
        if (endpoint->other.peer == from)
            endpoint->other.peer = to;
    }
    list_for_each (channel, &node->channels, link) {
        if (channel->peer == from)
            channel->peer = to;
    }
    list_for_each (representor, &node->representors, link) {
        if (representor->peer == from)
            representor->peer = to;
    }
    publications_adopt(to, from);
    peer_requests_adopt(to, from);
    to->kept = from->kept;
    from->kept = (struct kept){0};
}

// What the node must name, or it has ended. Other nodes' objects may be waiting for theirs.
static void mark(struct peer *peer)
{
    struct importer *importer;
    struct rdma_endpoint *endpoint;
    struct channel *channel;
    struct grant *grant;
    struct qpair *qp;

    list_for_each (importer, &peer->importers, link) {
        list_for_each (grant, &importer->grants, importer_link)
            grant->stale = true;
        list_for_each (qp, &importer->qpairs, importer_link)
            qp->stale = true;
    }
    list_for_each (endpoint, &peer->node->rdma_endpoints, link) {
        if (endpoint->other.peer == peer)
            endpoint->stale = !endpoint->request;
    }
    list_for_each (channel, &peer->node->channels, link) {
        if (channel->peer == peer)
            channel->stale = !channel->relay;
    }
    channel_relays_mark(peer);
    publications_mark(peer->node, peer);
}

void peer_returned(struct peer *peer, const uint8_t run[NODE_RUN_SIZE])
{
    struct peer *away = find_away(peer);
    bool same = away && memcmp(away->run, run, NODE_RUN_SIZE) == 0 &&
                away->was_apart == peer->no_descriptors;

    if (away) {
        event_del(away->grace);
        away->away = false;
        if (!same)
            peer_forget(away, "another docad runs there now");
        else if (away != peer)
            adopt(peer, away);
        if (away != peer && !away->config)
            peer_free(away);
    }
    memcpy(peer->run, run, NODE_RUN_SIZE);
    if (same)
        mark(peer);
}

// ---- what goes on ---------------------------------------------------------------------

struct ids {
    uint64_t grants[IDS_MAX], qpairs[IDS_MAX], endpoints[IDS_MAX], theirs[IDS_MAX],
        channels[IDS_MAX];
    Docad__PeerResume body;
};

static void flush(struct peer *peer, struct ids *ids, bool more)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__PeerResume *m = &ids->body;

    m->grants = ids->grants;
    m->queue_pairs = ids->qpairs;
    m->endpoints = ids->endpoints;
    m->endpoints_there = ids->theirs;
    m->channels = ids->channels;
    m->more = more;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_RESUME;
    message.peer_resume = m;
    peer_send(peer, &message);
    docad__peer_resume__init(m);
}

static void add(struct peer *peer, struct ids *ids, uint64_t *list, size_t *n, uint64_t id)
{
    if (*n == IDS_MAX)
        flush(peer, ids, true);
    list[(*n)++] = id;
}

void peer_send_resume(struct peer *peer)
{
    struct ids *ids = calloc(1, sizeof(*ids));
    const struct rdma_endpoint *endpoint;
    const struct channel *channel;
    const struct import *import;
    const struct qpair *qp;

    if (!ids) {
        connection_drop(peer->connection, "out of memory");
        return;
    }
    Docad__PeerResume *m = &ids->body;
    docad__peer_resume__init(m);
    list_for_each (import, &peer->node->imports, link) {
        if (import->peer == peer)
            add(peer, ids, ids->grants, &m->n_grants, import->grant_id.id);
    }
    list_for_each (qp, &peer->qpairs, peer_link) {
        if (qpair_is_served_there(qp))
            add(peer, ids, ids->qpairs, &m->n_queue_pairs, qp->id_there);
    }
    list_for_each (endpoint, &peer->node->rdma_endpoints, link) {
        if (endpoint->other.peer != peer || endpoint->request)
            continue;
        add(peer, ids, ids->endpoints, &m->n_endpoints, endpoint->id.id);
        ids->theirs[m->n_endpoints_there++] = endpoint->other.id;
    }
    channel_relays_send_resume(peer);
    list_for_each (channel, &peer->node->channels, link) {
        if (channel->peer == peer && !channel->relay)
            add(peer, ids, ids->channels, &m->n_channels, channel->shared_id);
    }
    flush(peer, ids, false);
    free(ids);
}

// ---- what the other side goes on with -------------------------------------------------

static void confirm_grants(struct peer *peer, const Docad__PeerResume *m)
{
    for (size_t i = 0; i < m->n_grants; i++) {
        struct grant *grant = idmap_get(&peer->node->grants_by_id, m->grants[i], struct grant, id);
        if (grant && grant->importer->peer == peer)
            grant->stale = false;
        else
            peer_tell_no_grant(peer, m->grants[i]);
    }
    for (size_t i = 0; i < m->n_queue_pairs; i++) {
        struct qpair *qp =
            idmap_get(&peer->node->qpairs_by_id, m->queue_pairs[i], struct qpair, id);
        if (qp && qp->importer && qp->importer->peer == peer)
            qp->stale = false;
        else
            peer_qpair_failed(peer, m->queue_pairs[i]);
    }
}

static void confirm_endpoints(struct peer *peer, const Docad__PeerResume *m)
{
    for (size_t i = 0; i < m->n_endpoints && i < m->n_endpoints_there; i++) {
        struct rdma_endpoint *own =
            idmap_get(&peer->node->rdma_by_id, m->endpoints_there[i], struct rdma_endpoint, id);
        if (own && own->other.peer == peer && own->other.id == m->endpoints[i] && !own->request)
            own->stale = false;
        else
            rdma_tell_ended(peer, m->endpoints[i], m->endpoints_there[i]);
    }
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Both may be many: the ids are put in order, and the channels looked through once.
static void confirm_channels(struct peer *peer, const Docad__PeerResume *m)
{
    struct channel *channel;
    size_t n = m->n_channels;

    if (n == 0)
        return;
    cleanup_free bool *found = calloc(n, sizeof(*found));
    if (!found) {
        connection_drop(peer->connection, "out of memory");
        return;
    }
    qsort(m->channels, n, sizeof(*m->channels), compare_ids);
    list_for_each (channel, &peer->node->channels, link) {
        if (channel->peer != peer || channel->relay)
            continue;
        const uint64_t *id =
            bsearch(&channel->shared_id, m->channels, n, sizeof(*m->channels), compare_ids);
        if (id) {
            channel->stale = false;
            found[id - m->channels] = true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!found[i])
            channel_give_back(peer, m->channels[i]);
    }
}

static void sweep_importer(struct importer *importer)
{
    struct grant *grant, *next_grant;
    struct qpair *qp, *next_qp;
    size_t left = 0;

    list_for_each (grant, &importer->grants, importer_link)
        left += !grant->stale;
    list_for_each (qp, &importer->qpairs, importer_link)
        left += !qp->stale;
    if (left == 0) {
        importer_free(importer);
        return;
    }
    list_for_each_safe (qp, next_qp, &importer->qpairs, importer_link) {
        if (qp->stale)
            qpair_free(qp);
    }
    list_for_each_safe (grant, next_grant, &importer->grants, importer_link) {
        if (grant->stale)
            grant_release(grant);
    }
}

static void sweep_channels(struct peer *peer)
{
    struct channel *channel, *found;
    do {
        found = NULL;
        list_for_each (channel, &peer->node->channels, link) {
            if (channel->peer == peer && channel->stale)
                found = channel;
        }
        if (found)
            found->peer = NULL; // it knows
        channel_free(found);
    } while (found);
}

void peer_resume(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerResume *m = message->peer_resume;
    struct importer *importer, *next;
    struct rdma_endpoint *endpoint;
    (void)fds;

    if (peer->has_resumed) {
        connection_drop(peer->connection, "it said twice what it goes on with");
        return;
    }
    confirm_grants(peer, m);
    confirm_endpoints(peer, m);
    confirm_channels(peer, m);
    if (m->more)
        return;
    peer->has_resumed = true;
    list_for_each_safe (importer, next, &peer->importers, link)
        sweep_importer(importer);
    list_for_each (endpoint, &peer->node->rdma_endpoints, link) {
        if (endpoint->other.peer == peer && endpoint->stale)
            rdma_endpoint_end(endpoint, SLOT_OWNER_GONE);
    }
    sweep_channels(peer);
    channel_relays_sweep(peer);
    publications_sweep(peer->node, peer);
}
