// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel.h"

#include "cleanup.h"
#include "connection.h"
#include "node.h"
#include "peer.h"
#include "peer_names.h"

#include <string.h>

// ---- services -------------------------------------------------------------------------

static void restore_service(struct node *node, struct stored_item *item)
{
    const Docad__ServiceRecord *m = item->record->service;
    struct session *session = node_session(node, item->record->session);
    struct channel_service *s = session && item->fds.count == 1 && m->node.len == NODE_ID_SIZE
                                    ? channel_service_make(session)
                                    : NULL;
    if (!s)
        return;
    memcpy(s->node_id, m->node.data, NODE_ID_SIZE);
    copy_text(s->vuid, m->vuid);
    copy_text(s->pci, m->pci_address);
    copy_text(s->representor, m->representor);
    copy_text(s->name, m->name);
    s->sizes = (struct channel_sizes){m->max_message, m->send_queue, m->recv_queue};
    s->takes_packets = m->takes_packets;
    s->accept_fd = fd_list_take(&item->fds, 0);
    channel_service_enter(s, item->record->id, NULL, NULL);
    object_take(&s->object, item);
}

static void end_service(struct object *object)
{
    channel_service_free(container_of(object, struct channel_service, object));
}

static const struct kind_request service_requests[] = {
    {DOCAD__MESSAGE__BODY_CHANNEL_LISTEN, "ChannelListen", on_channel_listen},
    {0},
};

const struct object_kind service_kind = {.requests = service_requests,
                                         .record = DOCAD__RECORD__WHAT_SERVICE,
                                         .restore = restore_service,
                                         .end = end_service};

// ---- channels -------------------------------------------------------------------------

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__ChannelRecord *m = item->record->channel;
    struct session *session = node_session(node, item->record->session);
    struct channel_service *service = OBJECT_GET(node, SERVICE, m->service, struct channel_service);
    enum channel_side_index side = m->side == CHANNEL_CLIENT ? CHANNEL_CLIENT : CHANNEL_SERVICE;
    struct channel *c =
        session && (service || !m->service) ? channel_make(session, side, m->name) : NULL;
    if (!c)
        return;
    c->shared_id = m->shared_id;
    c->peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    c->peer_pid = (pid_t)m->peer_pid;
    copy_text(c->peer_node, m->peer_node);
    channel_enter(c, item->record->id, service, NULL, NULL);
    object_take(&c->object, item);
    struct channel *other = OBJECT_GET(node, CHANNEL, m->other, struct channel);
    if (other && other != c &&
        !other->other) { // the one that is restored later finds the earlier one
        c->other = other;
        other->other = c;
    }
}

// The channel was made, but docad died before it was passed on.
static bool is_unrelayed(const struct channel *channel)
{
    return channel->peer->no_descriptors && !channel->relay;
}

static bool is_lost(const struct channel *channel, const struct peer *peer)
{
    (void)peer;
    return !channel->other && (!channel->peer || is_unrelayed(channel));
}

// Ending one channel may also end others.
static void end_all(struct node *node, bool (*is_one)(const struct channel *, const struct peer *),
                    const struct peer *peer)
{
    struct channel *channel, *found;
    do {
        found = NULL;
        list_for_each (channel, NODE_OBJECTS(node, CHANNEL), object.in_node)
            if (is_one(channel, peer))
                found = channel;
        if (found && peer)
            found->peer = NULL; // it knows
        channel_free(found);
    } while (found);
}

static void settle(struct node *node)
{
    end_all(node, is_lost, NULL);
}

static void end(struct object *object)
{
    channel_free(container_of(object, struct channel, object));
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct channel *channel;
    list_for_each (channel, NODE_OBJECTS(to->node, CHANNEL), object.in_node)
        if (channel->peer == from)
            channel->peer = to;
}

static void mark(struct peer *peer)
{
    struct channel *channel;
    list_for_each (channel, NODE_OBJECTS(peer->node, CHANNEL), object.in_node)
        if (channel->peer == peer)
            channel->stale = !channel->relay;
}

static void name(struct peer *peer, struct peer_names *names)
{
    const struct channel *channel;
    list_for_each (channel, NODE_OBJECTS(peer->node, CHANNEL), object.in_node)
        if (channel->peer == peer && !channel->relay)
            peer_names_add(names, NAMES_CHANNELS, channel->shared_id);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// There may be many of both, so the ids are sorted, and the channels are scanned once.
static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    struct channel *channel;
    size_t n = named->n_channels;

    if (n == 0)
        return;
    cleanup_free bool *found = calloc(n, sizeof(*found));
    if (!found) {
        connection_drop(peer->connection, "out of memory");
        return;
    }
    qsort(named->channels, n, sizeof(*named->channels), compare_ids);
    list_for_each (channel, NODE_OBJECTS(peer->node, CHANNEL), object.in_node) {
        if (channel->peer != peer || channel->relay)
            continue;
        const uint64_t *id =
            bsearch(&channel->shared_id, named->channels, n, sizeof(*named->channels), compare_ids);
        if (id) {
            channel->stale = false;
            found[id - named->channels] = true;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!found[i])
            channel_give_back(peer, named->channels[i]);
}

static bool is_unnamed(const struct channel *channel, const struct peer *peer)
{
    return channel->peer == peer && channel->stale;
}

static void sweep(struct peer *peer)
{
    end_all(peer->node, is_unnamed, peer);
}

// Channels whose ends were passed on continue without docad's knowledge.
static void gone(struct peer *peer)
{
    struct channel *channel, *next;
    list_for_each_safe (channel, next, NODE_OBJECTS(peer->node, CHANNEL), object.in_node) {
        if (channel->peer != peer)
            continue;
        channel->peer = NULL;
        channel_free(channel);
    }
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, "ChannelConnect", on_channel_connect},
    {DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, "ChannelClose", on_channel_close},
    {0},
};

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT, channel_peer_connect},
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED, channel_peer_ended},
    {0},
};

const struct object_kind channel_kind = {.requests = requests,
                                         .messages = messages,
                                         .record = DOCAD__RECORD__WHAT_CHANNEL,
                                         .restore = restore,
                                         .settle = settle,
                                         .end = end,
                                         .adopt = adopt,
                                         .mark = mark,
                                         .name = name,
                                         .confirm = confirm,
                                         .sweep = sweep,
                                         .gone = gone};
