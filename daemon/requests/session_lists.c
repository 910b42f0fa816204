// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lists for tools, in pages. Users other than root and docad's uid only see their own objects.

#include "channel.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "known_nodes.h"
#include "ended_names.h"
#include "node.h"
#include "peer.h"
#include "publication.h"
#include "publication_listed.h"
#include "rdma_listener.h"
#include "region.h"
#include "representor.h"
#include "list_page.h"
#include "session_requests.h"
#include "session_stats.h"
#include "user.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

// ---- items ---------------------------------------------------------------------------------

static void add_quota(const struct node *node, struct list_item *item, size_t i, enum limit limit,
                      uint64_t used)
{
    Docad__QuotaInfo *q = &item->quotas[i];
    docad__quota_info__init(q);
    q->name = (char *)limit_option(limit);
    q->used = used;
    q->limit = node_limits(node)->value[limit];
    item->quota_list[i] = q;
}

// Adds how much of each limit is used, by the session or by all sessions of its user.
static void add_quotas(const struct session *s, struct list_item *item)
{
    const struct user *u = s->user;
    const uint64_t used[LIMIT_PEER_FIRST] = {
        [LIMIT_SESSIONS] = u->sessions,
        [LIMIT_REGIONS] = s->n_regions,
        [LIMIT_EXPORTS] = s->n_exports,
        [LIMIT_IMPORTS] = s->n_imports,
        [LIMIT_QUEUE_PAIRS] = s->n_qpairs,
        [LIMIT_PUBLICATIONS] = u->publications,
        [LIMIT_LOOKUPS] = s->n_lookups,
        [LIMIT_QUEUED_OUTPUT] = connection_queued(s->connection),
        [LIMIT_REGION_BYTES] = u->region_bytes,
        [LIMIT_DESCRIPTORS] = u->descriptors,
        [LIMIT_STATE_SLOTS] = u->slots,
        [LIMIT_CHANNELS] = s->n_channels,
        [LIMIT_PINNED_BYTES] = u->pinned_bytes,
        [LIMIT_METADATA] = u->metadata,
        [LIMIT_MONITORS] = u->n_monitors,
        [LIMIT_LISTENERS] = u->n_listeners,
    };
    Docad__SessionInfo *m = &item->session;

    m->quotas = item->quota_list;
    for (; m->n_quotas < LIMIT_PEER_FIRST; m->n_quotas++)
        add_quota(s->node, item, m->n_quotas, (enum limit)m->n_quotas, used[m->n_quotas]);
}

static void add_peer_quotas(const struct peer *p, struct list_item *item)
{
    const struct {
        enum limit limit;
        uint64_t used;
    } quotas[] = {
        {LIMIT_PEER_IMPORTERS, p->held.importers},
        {LIMIT_PEER_GRANTS, p->held.grants},
        {LIMIT_PEER_QUEUE_PAIRS, p->held.qpairs},
        {LIMIT_PEER_DESCRIPTORS, p->held.descriptors},
        {LIMIT_PEER_PUBLICATIONS, p->names ? p->names->count : 0},
    };
    Docad__PeerInfo *m = &item->peer;

    m->quotas = item->quota_list;
    for (; m->n_quotas < ARRAY_SIZE(quotas); m->n_quotas++)
        add_quota(p->node, item, m->n_quotas, quotas[m->n_quotas].limit, quotas[m->n_quotas].used);
}

static void add_work(const struct session *s, Docad__SessionInfo *m)
{
    struct session_work work = {0};
    session_work_add(s, &work);
    for (size_t i = 0; i < WORK_LIBRARIES; i++) {
        m->jobs += work.of[i].jobs;
        m->mapped_bytes += work.of[i].mapped_bytes;
        m->engine_bytes += work.of[i].engine_bytes;
    }
    for (size_t i = 0; i < WORK_STATS_ERRORS; i++)
        m->failed_jobs += work.errors[i];
}

static void list_sessions(struct list_page *page)
{
    const struct session *s;
    for (s = list_page_session(page, page->after); s && !list_page_ends(page, s->id);
         s = list_page_session(page, s->id)) {
        struct list_item *item = s->charged && !s->ending ? list_page_next(page, s->id, s) : NULL;
        if (!item)
            continue;
        Docad__SessionInfo *m = &item->session;
        docad__session_info__init(m);
        m->id = s->id;
        m->pid = (uint32_t)s->pid;
        m->uid = s->credentials.uid;
        m->program = (char *)s->program;
        m->tool = s->tool;
        for (size_t i = 0; i < FUNCTIONS_MAX; i++)
            m->functions_open += s->open[i] > 0;
        m->regions = (uint32_t)s->n_regions;
        m->region_bytes = s->region_bytes;
        m->exports = (uint32_t)s->n_exports;
        m->imports = (uint32_t)s->n_imports;
        m->queue_pairs = (uint32_t)s->n_qpairs;
        m->connected_ms = clock_ms() - s->since_ms;
        add_quotas(s, item);
        add_work(s, m);
        list_page_added(page, m);
    }
}

static void describe(const struct importer *i, Docad__ImporterInfo *info)
{
    docad__importer_info__init(info);
    info->node = (char *)(i->peer ? i->peer->name : i->node->config->name);
    info->session_id = i->session_id;
    info->pid = (uint32_t)i->pid;
    info->uid = i->credentials.uid;
}

static void add_importers(const struct export *export, struct list_item *item, size_t *n)
{
    const struct grant *grant;

    list_for_each (grant, &export->grants, in_export) {
        if (*n == LIST_IMPORTERS_MAX)
            break;
        Docad__ImporterInfo *info = &item->importers[*n];
        describe(grant->importer, info);
        item->importer_list[(*n)++] = info;
    }
}

static void list_regions(struct list_page *page)
{
    const struct region *r;
    list_page_for_each (page, r, REGION, USER_REGIONS) {
        struct list_item *item = list_page_next(page, r->object.id, r->object.session);
        if (!item)
            continue;
        Docad__RegionInfo *m = &item->region;
        const struct export *export;
        unsigned looks = 0;
        docad__region_info__init(m);
        m->id = r->object.id;
        m->session_id = r->object.session->id;
        m->pid = (uint32_t)r->object.session->pid;
        m->uid = r->object.session->credentials.uid;
        m->address = r->address;
        m->length = r->length;
        m->mapped_bytes = r->segments.mapped_bytes;
        m->brokered_bytes = r->segments.brokered_bytes;
        m->rdma_bytes = rc_memory_bytes(&r->rc);
        m->access = r->access;
        m->program = (char *)r->object.session->program;
        m->importer_list = item->importer_list;
        m->exports = r->n_exports;
        list_for_each (export, &r->exports, in_region) {
            if (looks++ == LIST_IMPORTERS_MAX || m->n_importer_list == LIST_IMPORTERS_MAX)
                break;
            add_importers(export, item, &m->n_importer_list);
        }
        m->importers = r->n_grants;
        m->functions = item->functions;
        for (; m->n_functions < r->n_functions; m->n_functions++)
            item->functions[m->n_functions] = (char *)r->functions[m->n_functions]->name;
        list_page_added(page, m);
    }
}

// Writes the name under which the session would look it up.
static char *name_for(struct list_page *page, const struct publication *p)
{
    uid_t uid = page->session->credentials.uid;
    char *text = page->names + page->names_used;
    if (p->uid == uid)
        return (char *)p->name;
    owned_name_write(text, OWNED_NAME_SIZE, p->name, p->uid, uid);
    page->names_used += strlen(text) + 1;
    return text;
}

static void add_names(struct list_page *page, const struct export *export, struct list_item *item)
{
    const struct node *node = page->session->node;
    const struct publication *p;
    Docad__ExportInfo *m = &item->export;

    m->published = item->names;
    for (p = publication_of_export(node, node->id, export->object.id, NULL);
         p && m->n_published < LIST_NAMES_MAX;
         p = publication_of_export(node, node->id, export->object.id, p))
        item->names[m->n_published++] = name_for(page, p);
}

static void list_exports(struct list_page *page)
{
    const struct export *e;
    list_page_for_each (page, e, EXPORT, USER_EXPORTS) {
        const struct session *s = e->region->object.session;
        struct list_item *item = list_page_next(page, e->object.id, s);
        if (!item)
            continue;
        Docad__ExportInfo *m = &item->export;
        docad__export_info__init(m);
        m->id = e->object.id;
        m->region_id = e->region->object.id;
        m->session_id = s->id;
        m->pid = (uint32_t)s->pid;
        m->uid = s->credentials.uid;
        m->program = (char *)s->program;
        m->address = e->region->address;
        m->length = e->region->length;
        m->access = e->access;
        m->target = (Docad__ExportTarget)e->target;
        m->function = (char *)e->function->name;
        m->pci_address = (char *)e->function->pci;
        add_names(page, e, item);
        if (e->origin) {
            describe(e->origin->importer, &item->handed_on_by);
            m->handed_on_by = &item->handed_on_by;
        }
        m->importers = item->importer_list;
        add_importers(e, item, &m->n_importers);
        list_page_added(page, m);
    }
}

static const char *state_of(const struct peer *peer)
{
    if (peer->state == PEER_LINKED)
        return "linked";
    return peer->refused ? "refused" : "connecting";
}

static void add_way(Docad__PeerInfo *m, const struct peer *peer)
{
    const char *without_device;

    m->bytes = (char *)peer_way(peer, &without_device);
    if (without_device)
        m->without_device = (char *)without_device;
}

static void add_certificate(Docad__PeerInfo *m, const struct peer *peer)
{
    int64_t expires_s;

    if (!peer_certificate_expires(peer, &expires_s))
        return;
    int64_t left_s = expires_s - (int64_t)(clock_wall_us() / 1000000);
    m->has_certificate = true;
    m->certificate_valid_ms = left_s > 0 ? (uint64_t)left_s * 1000 : 0;
}

static void list_peers(struct list_page *page)
{
    const struct peer *p;
    list_for_each (p, &page->session->node->peers, in_node) {
        struct list_item *item =
            p->state != PEER_STANDBY ? list_page_next(page, p->id, NULL) : NULL;
        if (!item)
            continue;
        Docad__PeerInfo *m = &item->peer;
        docad__peer_info__init(m);
        m->id = p->id;
        m->name = (char *)p->name;
        m->address = (char *)(p->config ? config_peer_where(p->config) : peer_came_from(p));
        m->state = (char *)state_of(p);
        m->last_error = (char *)p->last_error;
        if (p->known) {
            node_id_format(p->id_there, item->peer_node);
            m->node = item->peer_node;
            m->role = (char *)role_name(p->role);
        }
        if (p->state == PEER_LINKED) {
            m->functions = (uint32_t)p->n_functions;
            add_way(m, p);
        }
        add_certificate(m, p);
        add_peer_quotas(p, item);
        list_page_added(page, m);
    }
}

static void list_representors(struct list_page *page)
{
    const struct representor *r;
    list_for_each (r, &page->session->node->representors, in_node) {
        struct list_item *item = list_page_next(page, r->id, NULL);
        if (!item)
            continue;
        representor_to_message(r, &item->representor);
        list_page_added(page, &item->representor);
    }
}

const char *list_node_name(const struct node *node, const uint8_t id[NODE_ID_SIZE],
                           char text[NODE_ID_TEXT_SIZE])
{
    const struct known_node *known = known_node_find(node, id);
    if (memcmp(id, node->id, NODE_ID_SIZE) == 0)
        return node->config->name;
    if (known)
        return known->name;
    node_id_format(id, text);
    return text;
}

static void list_publications(struct list_page *page)
{
    const struct node *node = page->session->node;
    const struct publication *p;
    for (p = publication_listed_after(page->session, page->after);
         p && !list_page_ends(page, p->id.id);
         p = publication_listed_after(page->session, p->id.id)) {
        struct list_item *item =
            publication_is_offered(p, page->session) ? list_page_next(page, p->id.id, NULL) : NULL;
        if (!item)
            continue;
        const struct peer *origin = publication_origin(p);
        Docad__PublicationInfo *m = &item->publication;
        docad__publication_info__init(m);
        m->id = p->id.id;
        m->name = (char *)p->name;
        m->node = (char *)(origin ? origin->name : node->config->name);
        m->export_id = p->desc.export_id;
        m->owner_node = (char *)list_node_name(node, p->desc.node, item->owner_node);
        m->uid = p->uid;
        item->to = audience_message(&p->to);
        m->to = &item->to;
        list_page_added(page, m);
    }
}

static void list_imports(struct list_page *page)
{
    const struct import *i;
    list_page_for_each (page, i, IMPORT, USER_IMPORTS) {
        struct list_item *item =
            i->state != SLOT_FREE ? list_page_next(page, i->object.id, i->object.session) : NULL;
        if (!item)
            continue;
        Docad__ImportInfo *m = &item->import;
        docad__import_info__init(m);
        m->id = i->object.id;
        m->session_id = i->object.session->id;
        m->pid = (uint32_t)i->object.session->pid;
        m->uid = i->object.session->credentials.uid;
        m->owner_node = (char *)i->owner_name;
        m->export_id = i->desc.export_id;
        m->address = i->address;
        m->length = i->length;
        m->access = i->access;
        m->state = (char *)slot_state_name(i->state);
        list_page_added(page, m);
    }
}

// ---- the answer ------------------------------------------------------------------------------

static void list_services(struct list_page *page)
{
    const struct channel_service *s;
    list_page_for_each (page, s, SERVICE, USER_SERVICES) {
        struct list_item *item = list_page_next(page, s->object.id, s->object.session);
        if (!item)
            continue;
        Docad__ServiceInfo *m = &item->service;
        docad__service_info__init(m);
        m->id = s->object.id;
        m->session_id = s->object.session->id;
        m->pid = (uint32_t)s->object.session->pid;
        m->uid = s->object.session->credentials.uid;
        m->program = (char *)s->object.session->program;
        m->name = (char *)s->name;
        m->pci_address = (char *)s->pci;
        m->representor = (char *)s->representor;
        m->channels = s->n_channels;
        list_page_added(page, m);
    }
}

static void list_channels(struct list_page *page)
{
    const struct channel *c;
    list_page_for_each (page, c, CHANNEL, USER_CHANNELS) {
        struct list_item *item = list_page_next(page, c->object.id, c->object.session);
        if (!item)
            continue;
        Docad__ChannelInfo *m = &item->channel;
        docad__channel_info__init(m);
        m->id = c->object.id;
        m->session_id = c->object.session->id;
        m->pid = (uint32_t)c->object.session->pid;
        m->uid = c->object.session->credentials.uid;
        m->side = (char *)(c->side == CHANNEL_SERVICE ? "service" : "client");
        m->name = (char *)c->name;
        m->peer_node = (char *)c->peer_node;
        m->peer_pid = (uint32_t)c->peer_pid;
        m->relayed = c->relay != NULL;
        m->function = (char *)c->on;
        m->state = (char *)(channel_is_waiting(c) ? "waiting" : "connected");
        m->waiting_ms = channel_is_waiting(c) ? channel_waiting_ms(c) : 0;
        list_page_added(page, m);
    }
}

static const char *address_text(const struct function *function, char *text, size_t size)
{
    if (function && function->has_ipv4)
        return inet_ntop(AF_INET, function->ipv4, text, (socklen_t)size);
    return function && function->has_ipv6
               ? inet_ntop(AF_INET6, function->ipv6, text, (socklen_t)size)
               : "";
}

static void list_rdma_listeners(struct list_page *page)
{
    const struct rdma_listener *l;
    list_page_for_each (page, l, LISTENER, USER_LISTENERS) {
        struct list_item *item = list_page_next(page, l->object.id, l->object.session);
        if (!item)
            continue;
        Docad__RdmaListenerInfo *m = &item->listener;
        docad__rdma_listener_info__init(m);
        m->id = l->object.id;
        m->session_id = l->object.session->id;
        m->pid = (uint32_t)l->object.session->pid;
        m->uid = l->object.session->credentials.uid;
        m->program = (char *)l->object.session->program;
        m->function = (char *)(l->function ? l->function->name : "gone");
        m->address = (char *)address_text(l->function, item->text, sizeof(item->text));
        m->port = l->port;
        m->calls = l->calls;
        list_page_added(page, m);
    }
}

#define FIELD(member)                                                                              \
    {                                                                                              \
        offsetof(Docad__ListReply, member), offsetof(Docad__ListReply, n_##member)                 \
    }

// The place of each kind of list in the answer.
static const struct {
    void (*fill)(struct list_page *page);
    struct {
        size_t list, count;
    } field;
} kinds[] = {
    [DOCAD__LIST__KIND__SESSIONS] = {list_sessions, FIELD(sessions)},
    [DOCAD__LIST__KIND__REGIONS] = {list_regions, FIELD(regions)},
    [DOCAD__LIST__KIND__EXPORTS] = {list_exports, FIELD(exports)},
    [DOCAD__LIST__KIND__PEERS] = {list_peers, FIELD(peers)},
    [DOCAD__LIST__KIND__REPRESENTORS] = {list_representors, FIELD(representors)},
    [DOCAD__LIST__KIND__PUBLICATIONS] = {list_publications, FIELD(publications)},
    [DOCAD__LIST__KIND__QUEUE_PAIRS] = {list_qpairs, FIELD(queue_pairs)},
    [DOCAD__LIST__KIND__IMPORTS] = {list_imports, FIELD(imports)},
    [DOCAD__LIST__KIND__SERVICES] = {list_services, FIELD(services)},
    [DOCAD__LIST__KIND__CHANNELS] = {list_channels, FIELD(channels)},
    [DOCAD__LIST__KIND__WORK_QUEUES] = {list_work_queues, FIELD(queue_pairs)},
    [DOCAD__LIST__KIND__RDMA_ENDPOINTS] = {list_rdma_endpoints, FIELD(queue_pairs)},
    [DOCAD__LIST__KIND__RDMA_LISTENERS] = {list_rdma_listeners, FIELD(listeners)},
};

doca_error_t on_list(struct request *request)
{
    const Docad__List *m = request->message->list;
    Docad__ListReply reply = DOCAD__LIST_REPLY__INIT;

    if ((size_t)m->kind >= ARRAY_SIZE(kinds))
        return errtext_set(request->err, DOCA_ERROR_NOT_SUPPORTED,
                           "list of kind %d: this docad (%s) does not know it; upgrade it",
                           (int)m->kind, DOCAD_VERSION);
    struct list_page *page = calloc(1, sizeof(*page));
    if (!page)
        return errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    page->session = request->session;
    page->after = m->after;
    page->last = m->after;
    kinds[m->kind].fill(page);
    void *list = page->list;
    memcpy((char *)&reply + kinds[m->kind].field.list, &list, sizeof(list));
    memcpy((char *)&reply + kinds[m->kind].field.count, &page->n, sizeof(page->n));
    reply.more = page->more;
    reply.last = page->last;
    request_reply(request, message_of(LIST_REPLY, list_reply, &reply));
    free(page);
    return DOCA_SUCCESS;
}
