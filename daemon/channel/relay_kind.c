// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Restores relays when their link comes back, or when docad has restarted.

#include "channel_relay_private.h"

#include "node.h"
#include "peer.h"
#include "user.h"

#include <event2/event.h>

// ---- after this docad was restarted -------------------------------------------------------

// Finds the channel's record if its process still exists. Otherwise the messages that it has
// sent are passed on, and then its end.
static void find_record(struct channel_relay *relay, uint64_t id)
{
    struct channel *channel = OBJECT_GET(relay->peer->node, CHANNEL, id, struct channel);
    if (!channel || channel->relay || channel->peer != relay->peer ||
        channel->shared.id != relay->id.id)
        return;
    channel_relay_attach(relay, channel);
}

#define NO_UID ((uid_t)-1)

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__RelayRecord *m = item->record->relay;
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    struct user *user = user_get(&node->users, m->uid);
    // The record does not have the client's user.
    struct user *client = m->side == CHANNEL_CLIENT ? user ? user_ref(user) : NULL
                          : peer                    ? user_get(&peer->users, NO_UID)
                                                    : NULL;
    struct channel_relay *relay;
    struct relay_store *store;

    if (!peer || !user || !client || item->fds.count != CHANNEL_FDS + 1 ||
        relay_store_open(&store, item->fds.fds[CHANNEL_FDS]) < 0) {
        user_unref(client);
        user_unref(user);
        return;
    }
    if (channel_relay_make(&relay, peer, m->shared_id,
                           m->side == CHANNEL_CLIENT ? CHANNEL_CLIENT : CHANNEL_SERVICE, user,
                           client, item->fds.fds, NULL) == DOCA_SUCCESS) {
        fd_list_take(&item->fds, 0);
        fd_list_take(&item->fds, 1);
        channel_relay_charge_restored(relay);
        relay->store = store;
        relay->paused = true;
        find_record(relay, m->channel);
        fdstore_take(item, &relay->stored, relay->user);
        if (!store->left)
            event_add(relay->woken, NULL);
    } else {
        relay_store_close(store);
    }
    user_unref(client);
    user_unref(user);
}

// ---- when the link is back ----------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct channel_relay *relay;
    to->relays = from->relays;
    idmap_init(&from->relays);
    relays_for_each (relay, to) {
        list_remove(&relay->in_waiting);
        relay->peer = to;
    }
}

static void send_resume(struct channel_relay *relay)
{
    Docad__PeerChannelResume m = DOCAD__PEER_CHANNEL_RESUME__INIT;

    channel_relay_update(relay);
    m.channel_id = relay->id.id;
    m.arrived = relay->store->arrived;
    m.delivered = relay->reported_delivered = relay->store->delivered;
    m.received = relay->received;
    m.open = relay->reported_open = relay->open;
    peer_send(relay->peer, message_of(PEER_CHANNEL_RESUME, peer_channel_resume, &m));
}

static bool name(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps)
{
    struct channel_relay *relay;
    (void)names; // each relay is a message of its own
    idmap_for_each_after (relay, &peer->relays, *after, id) {
        if (!kind_step(steps))
            return false;
        *after = relay->id.id;
        send_resume(relay);
    }
    return true;
}

void channel_peer_resume(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerChannelResume *m = message->peer_channel_resume;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);

    if (!relay) {
        channel_release_remote(peer, m->channel_id);
        return;
    }
    relay->paused = true;
    peer_named_again(peer, NAMED_RELAYS, &relay->named);
    if (m->arrived < m->delivered || m->arrived > relay->store->sent ||
        !channel_relay_progress(relay, m->delivered, m->received, m->open)) {
        channel_relay_fail(relay, "the linked node's message counts are wrong");
        return;
    }
    relay->paused = false;
    relay->forwarded = m->arrived;
    channel_relay_go_on(relay);
}

static bool sweep(struct peer *peer, unsigned *steps)
{
    struct idmap_node *missing;
    while ((missing = peer_named_missing(peer, NAMED_RELAYS))) {
        if (!kind_step(steps))
            return false;
        channel_relay_finish(container_of(missing, struct channel_relay, named));
    }
    return true;
}

// The processes find that their channels are broken.
static bool gone(struct peer *peer, unsigned *steps)
{
    struct idmap_node *first;
    while ((first = idmap_first(&peer->relays))) {
        if (!kind_step(steps))
            return false;
        channel_relay_finish(container_of(first, struct channel_relay, id));
    }
    return true;
}

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA, channel_peer_data},
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS, channel_peer_progress},
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_LEFT, channel_peer_left},
    {DOCAD__MESSAGE__BODY_PEER_CHANNEL_RESUME, channel_peer_resume},
    {0},
};

const struct object_kind relay_kind = {.messages = messages,
                                       .record = DOCAD__RECORD__WHAT_RELAY,
                                       .restore = restore,
                                       .adopt = adopt,
                                       .name = name,
                                       .sweep = sweep,
                                       .gone = gone};
