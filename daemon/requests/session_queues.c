// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The list of queues for tools: queue pairs that engines serve, contexts of work queues with the
// counts of their programs, and RDMA endpoints.

#include "channel.h"
#include "config.h"
#include "engine.h"
#include "function.h"
#include "grant.h"
#include "list_page.h"
#include "peer.h"
#include "qpair.h"
#include "queue_pair.h"
#include "rdma_endpoint.h"
#include "session_stats.h"
#include "user.h"

#include <inttypes.h>
#include <stdio.h>

static Docad__QueuePairInfo *begin(struct list_item *item, const char *kind)
{
    Docad__QueuePairInfo *m = &item->qpair;
    docad__queue_pair_info__init(m);
    m->kind = (char *)kind;
    return m;
}

static void set_owner(Docad__QueuePairInfo *m, const struct session *session)
{
    m->session_id = session->id;
    m->pid = (uint32_t)session->pid;
    m->uid = session->credentials.uid;
    m->program = (char *)session->program;
    m->client_node = (char *)session->node->config->name;
}

// Users of another node are different from those of this one, even if their uids are the same.
static bool may_see(const struct list_page *page, const struct qpair *qp)
{
    return qp->object.session ? session_may_see(page->session, qp->object.session)
                              : session_is_privileged(page->session);
}

void list_qpairs(struct list_page *page)
{
    const struct node *node = page->session->node;
    const struct qpair *qp;
    list_page_for_each (page, qp, QUEUE_PAIR, USER_QUEUE_PAIRS) {
        struct list_item *item = qp->state != SLOT_FREE && may_see(page, qp)
                                     ? list_page_next(page, qp->object.id, NULL)
                                     : NULL;
        if (!item)
            continue;
        struct engine_stats stats = {0};
        Docad__QueuePairInfo *m = begin(item, "engine");
        if (qp->engine)
            engine_queue_pair_stats(qp->engine, &stats);
        if (qp->object.session) {
            set_owner(m, qp->object.session);
        } else {
            m->session_id = qp->importer->session_id;
            m->pid = (uint32_t)qp->importer->pid;
            m->uid = qp->importer->credentials.uid;
            m->client_node = (char *)qp->importer->peer->name;
        }
        m->id = qp->object.id;
        m->depth = QP_ENTRIES;
        m->in_flight = stats.in_flight;
        m->requests = stats.requests;
        m->bytes = stats.bytes;
        m->rdma_bytes = stats.held_bytes;
        m->engine_bytes = stats.bytes - stats.held_bytes;
        m->errors = stats.errors;
        m->path = (char *)(!m->rdma_bytes ? "engine" : m->engine_bytes ? "both" : "rdma");
        m->state = (char *)slot_state_name(qp->state);
        m->engine_node = (char *)(qp->importer ? node->config->name : qp->engine_name);
        list_page_added(page, m);
    }
}

static void fill_work(Docad__QueuePairInfo *m, const struct work_counts *c)
{
    m->library = (char *)work_library_name(c->library);
    m->depth = c->depth;
    m->in_flight = c->in_flight;
    m->requests = c->jobs;
    m->mapped_bytes = c->mapped_bytes;
    m->engine_bytes = c->engine_bytes;
    m->bytes = c->mapped_bytes + c->engine_bytes;
    m->errors = c->errors;
    m->path = (char *)(c->mapped_bytes && c->engine_bytes ? "both"
                       : c->engine_bytes                  ? "engine"
                                                          : "mapped");
    m->state = (char *)slot_state_name(SLOT_LIVE);
}

#define WORK_IDS 256 // ids for the contexts of one session

void list_work_queues(struct list_page *page)
{
    const struct session *s;
    uint64_t at = page->after / WORK_IDS; // the page before may have ended within this session
    for (s = list_page_session(page, at ? at - 1 : 0); s; s = list_page_session(page, s->id)) {
        if (list_page_ends(page, s->id * WORK_IDS + WORK_IDS - 1))
            return;
        size_t n = session_work_places(s);
        for (size_t i = 0; i < n; i++) {
            struct work_counts counts;
            if (!session_work_read(s, i, &counts) || !counts.in_use)
                continue;
            struct list_item *item = list_page_next(page, s->id * WORK_IDS + i, s);
            if (!item)
                continue;
            Docad__QueuePairInfo *m = begin(item, "work");
            set_owner(m, s);
            m->id = s->id * WORK_IDS + i;
            fill_work(m, &counts);
            list_page_added(page, m);
        }
    }
}

// Finds the channel of an end of Comch's fast path whose bytes docad relays; NULL: docad does not
// relay them.
static const struct channel *relayed_channel(const struct rdma_endpoint *e)
{
    const struct channel *channel =
        e->comch.what == COMCH_NONE
            ? NULL
            : OBJECT_GET(e->object.node, CHANNEL, e->comch.channel, struct channel);
    return channel && channel->object.session == e->object.session && channel->relay ? channel
                                                                                     : NULL;
}

static void fill_endpoint(Docad__QueuePairInfo *m, const struct rdma_endpoint *e)
{
    const struct channel *relayed = relayed_channel(e);
    bool waits = !e->connected && !relayed && e->state == SLOT_LIVE;

    m->id = e->object.id;
    m->channel_id = e->comch.channel;
    m->consumer = e->comch.id;
    m->path = (char *)(relayed                                         ? "relayed"
                       : e->function->backing == DOCAD__BACKING__VERBS ? "verbs"
                                                                       : "mapped");
    m->state = (char *)(waits ? "waiting" : slot_state_name(e->state));
    if (relayed)
        m->peer = (char *)relayed->peer_node;
}

void list_rdma_endpoints(struct list_page *page)
{
    static const char *const kinds[] = {
        [COMCH_NONE] = "rdma", [COMCH_CONSUMER] = "consumer", [COMCH_PRODUCERS] = "producers"};
    const struct node *node = page->session->node;
    const struct rdma_endpoint *e;
    list_page_for_each (page, e, RDMA, USER_ENDPOINTS) {
        struct list_item *item = list_page_next(page, e->object.id, e->object.session);
        if (!item)
            continue;
        Docad__QueuePairInfo *m = begin(item, kinds[e->comch.what]);
        char unknown[NODE_ID_TEXT_SIZE];
        set_owner(m, e->object.session);
        fill_endpoint(m, e);
        if (e->paired) {
            snprintf(item->text, sizeof(item->text), "%.63s %" PRIu64,
                     list_node_name(node, e->other.node, unknown), e->other.id);
            m->peer = item->text;
        }
        list_page_added(page, m);
    }
}
