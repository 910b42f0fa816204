// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel.h"

#include "cleanup.h"
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
    s->takes_ring = m->takes_ring;
    s->max_clients = m->max_clients;
    s->accept_fd = fd_list_take(&item->fds, 0);
    channel_service_enter(s, item->record->id, NULL, NULL);
    object_take(&s->object, item);
}

static void end_service(struct object *object, unsigned *steps)
{
    (void)steps;
    channel_service_end_one(container_of(object, struct channel_service, object));
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
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    c->peer_pid = (pid_t)m->peer_pid;
    copy_text(c->peer_node, m->peer_node);
    copy_text(c->on, m->function);
    channel_enter(c, item->record->id, service, NULL, NULL);
    object_use(&c->object);
    if (peer)
        channel_share(c, peer, m->shared_id, NULL);
    object_take(&c->object, item);
    struct channel *other = OBJECT_GET(node, CHANNEL, m->other, struct channel);
    if (other && other != c &&
        !other->other) { // when the second one is restored, it finds the first
        c->other = other;
        other->other = c;
    }
}

// The channel was made, but docad died before it was passed on.
static bool is_unrelayed(const struct channel *channel)
{
    return channel->peer->no_descriptors && !channel->relay;
}

static bool is_lost(const struct channel *channel)
{
    return !channel->other && (!channel->peer || is_unrelayed(channel));
}

// Ends channels that have no other part on this node with which they would end.
static void settle(struct node *node)
{
    struct channel *channel, *next;
    list_for_each_safe (channel, next, NODE_OBJECTS(node, CHANNEL), object.in_node)
        if (is_lost(channel))
            channel_free(channel);
}

static void end(struct object *object, unsigned *steps)
{
    (void)steps;
    channel_free(container_of(object, struct channel, object));
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct channel *channel;
    to->channels = from->channels;
    idmap_init(&from->channels);
    idmap_for_each (channel, &to->channels, shared)
        channel->peer = to;
}

static bool name(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps)
{
    const struct channel *channel;
    idmap_for_each_after (channel, &peer->channels, *after, shared) {
        if (!kind_step(steps))
            return false;
        *after = channel->shared.id;
        if (!channel->relay)
            peer_names_add(names, NAMES_CHANNELS, *after);
    }
    return true;
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_channels; i++) {
        uint64_t id = named->channels[i];
        struct channel *channel = idmap_get(&peer->channels, id, struct channel, shared);
        if (channel && !channel->relay)
            peer_named_again(peer, NAMED_CHANNELS, &channel->named);
        else
            channel_release_remote(peer, id);
    }
}

// Ends a channel whose end the node has already.
static void end_here(struct channel *channel)
{
    channel_unshare(channel);
    channel_free(channel);
}

// The node need not name those that are passed on: the relays say what is known of them.
static bool sweep(struct peer *peer, unsigned *steps)
{
    struct idmap_node *missing;
    while ((missing = peer_named_missing(peer, NAMED_CHANNELS))) {
        struct channel *channel = container_of(missing, struct channel, named);
        if (!kind_step(steps))
            return false;
        if (channel->relay)
            peer_named_again(peer, NAMED_CHANNELS, &channel->named);
        else
            end_here(channel);
    }
    return true;
}

// Channels whose ends were passed on continue without docad's knowledge.
static bool gone(struct peer *peer, unsigned *steps)
{
    struct idmap_node *first;
    while ((first = idmap_first(&peer->channels))) {
        if (!kind_step(steps))
            return false;
        end_here(container_of(first, struct channel, shared));
    }
    return true;
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
                                         .name = name,
                                         .confirm = confirm,
                                         .sweep = sweep,
                                         .gone = gone};
