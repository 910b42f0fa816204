// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Moves messages through a relay: from the process to the link, from the other process to this
// one, and the progress of both.

#include "channel_relay_private.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "user.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <sys/socket.h>

#define BATCH 16 // messages of one process in a turn of its user

// ---- messages to the other daemon ------------------------------------------------------

static void send_data(struct channel_relay *relay, struct relay_slot *slot)
{
    Docad__PeerChannelData m = DOCAD__PEER_CHANNEL_DATA__INIT;
    m.channel_id = relay->id.id;
    m.message = (ProtobufCBinaryData){slot->size, slot->data};
    peer_send(relay->peer, message_of(PEER_CHANNEL_DATA, peer_channel_data, &m));
}

static void send_progress(struct channel_relay *relay)
{
    Docad__PeerChannelProgress m = DOCAD__PEER_CHANNEL_PROGRESS__INIT;
    m.channel_id = relay->id.id;
    m.delivered = relay->reported_delivered = relay->store->delivered;
    m.received = relay->received;
    m.open = relay->reported_open = relay->open;
    peer_send(relay->peer, message_of(PEER_CHANNEL_PROGRESS, peer_channel_progress, &m));
}

static void send_left(struct channel_relay *relay, bool orderly)
{
    Docad__PeerChannelLeft m = DOCAD__PEER_CHANNEL_LEFT__INIT;
    m.channel_id = relay->id.id;
    m.orderly = orderly;
    peer_send(relay->peer, message_of(PEER_CHANNEL_LEFT, peer_channel_left, &m));
}

// An older docad takes it for the end: what is on its way is lost, as between two of those.
static void send_done(struct channel_relay *relay)
{
    Docad__PeerChannelLeft m = DOCAD__PEER_CHANNEL_LEFT__INIT;
    m.channel_id = relay->id.id;
    m.reads_on = true;
    peer_send(relay->peer, message_of(PEER_CHANNEL_LEFT, peer_channel_left, &m));
}

void channel_relay_fail(struct channel_relay *relay, const char *why)
{
    log_peer_limited(LOG_LEVEL_WARNING, relay->peer, "channel %" PRIu64 " to node %s: ended: %s",
                     relay->id.id, relay->peer->name, why);
    send_left(relay, false);
    channel_relay_finish(relay);
}

// ---- from the process to the link -------------------------------------------------------

// Leaves a share of the link to the bytes of queue pairs.
static uint64_t link_max(const struct peer *peer)
{
    return list_empty(&peer->link_ready) ? RELAY_LINK_MAX : RELAY_SHARED_MAX;
}

// Returns whether the link is full, or not usable yet. Then the relay continues later.
static bool must_wait(struct channel_relay *relay)
{
    struct peer *peer = relay->peer;
    if (relay->paused || peer_named_is_missing(peer, &relay->named) || peer->state != PEER_LINKED)
        return true;
    if (connection_queued(peer->connection) <= link_max(peer))
        return false;
    if (list_empty(&relay->in_waiting))
        list_append(&peer->relays_waiting, &relay->in_waiting);
    return true;
}

// Sends the messages that were taken. Returns false if the link does not accept all of them.
static bool forward_taken(struct channel_relay *relay)
{
    while (relay->forwarded < relay->store->sent) {
        if (must_wait(relay))
            return false;
        send_data(relay, relay_store_sent(relay->store, relay->forwarded++));
    }
    return !must_wait(relay);
}

static bool may_take(struct channel_relay *relay)
{
    if (forward_taken(relay) && !relay_store_is_full(relay->store))
        return true;
    event_del(relay->readable); // until progress is reported, or the link has room
    return false;
}

// The relay is kept until the other daemon has the end of the process.
static void process_left(struct channel_relay *relay)
{
    struct relay_store *store = relay->store;

    store->orderly = atomic_load(&relay->process->state) == CHANNEL_CLOSED;
    store->left = store->deaf = true;
    send_left(relay, store->orderly);
    if (!peer_may_return(relay->peer)) {
        channel_relay_finish(relay);
        return;
    }
    event_del(relay->readable);
    event_del(relay->writable);
    event_del(relay->woken);
    channel_relay_end_record(relay);
}

// Its other socket shows when it leaves.
static void process_done(struct channel_relay *relay)
{
    relay->store->done = true;
    send_done(relay);
    event_del(relay->readable);
    event_add(relay->woken, NULL);
}

// A process that has shut down one direction waits for the messages of the other side. If that has
// done so, too, nothing more can come.
static void process_ended(struct channel_relay *relay)
{
    const struct relay_store *store = relay->store;

    if (store->done)
        event_del(relay->readable);
    else if (atomic_load(&relay->process->state) == CHANNEL_SENT && !store->done_there)
        process_done(relay);
    else
        process_left(relay);
}

// Returns true if there may be more.
static bool take_some(struct channel_relay *relay)
{
    for (int i = 0; i < BATCH && may_take(relay); i++) {
        ssize_t n = relay_store_take(relay->store, relay->sock);
        if (n == -EAGAIN) {
            event_add(relay->readable, NULL);
            return false;
        }
        if (n == -ECONNRESET) // reported once, before the data that can be read
            continue;
        if (n < 0) {
            channel_relay_fail(relay, n == -EMSGSIZE
                                          ? "its process sends messages that are too long"
                                          : "its process sends something that is not a message");
            return false;
        }
        if (n == 0) {
            process_ended(relay);
            return false;
        }
    }
    return may_take(relay); // sends the last one
}

// A user with many channels only uses its own turns.
static bool take_turn(struct sched_item *turn)
{
    struct channel_relay *relay = container_of(turn, struct channel_relay, turn);

    if (!relay->goes_on)
        return take_some(relay);
    relay->goes_on = false;
    channel_relay_go_on(relay);
    return false;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct channel_relay *relay = arg;
    (void)fd;
    (void)what;
    if (list_linked(&relay->turn.in_user))
        event_del(relay->readable); // until its turn
    else
        sched_queue(&relay->turn);
}

// ---- from the link to the process -------------------------------------------------------

// Reads how many messages the process has received, as far as that is plausible.
void channel_relay_update(struct channel_relay *relay)
{
    uint64_t received = atomic_load(&relay->process->received);
    if (received > relay->received && received <= relay->store->delivered)
        relay->received = received;
    if (atomic_load(&relay->process->state) != CHANNEL_PENDING)
        relay->open = true;
}

// Checks the process's progress, arms a wake-up for further progress, and sends the other side the
// new positions.
static void note_progress(struct channel_relay *relay)
{
    uint64_t before = relay->received, delivered = relay->store->delivered;

    channel_relay_update(relay);
    if (relay->received < delivered) {
        // The flag must be visible before we check once more (see struct channel_side).
        atomic_store(&relay->other->wants_room, 1);
        channel_relay_update(relay);
    }
    if (relay->received != before || relay->open != relay->reported_open ||
        delivered - relay->reported_delivered >= RELAY_WINDOW / 2)
        send_progress(relay);
}

static void on_woken(evutil_socket_t fd, short what, void *arg)
{
    struct channel_relay *relay = arg;
    char bytes[256];
    (void)what;

    ssize_t n = packet_recv_plain(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n == PACKET_BRINGS_FDS) {
        channel_relay_fail(relay, "its process sends file descriptors");
        return;
    }
    if (n <= 0 && n != -EAGAIN)
        event_del(relay->woken); // its other socket will show its end
    if (n <= 0 && n != -EAGAIN && relay->store->done)
        process_left(relay);
    else
        note_progress(relay);
}

// The other side has sent its last message, and our process has it.
static void finish_left(struct channel_relay *relay)
{
    if (relay->store->orderly_there)
        atomic_store(&relay->other->state, CHANNEL_CLOSED);
    channel_release_remote(relay->peer, relay->id.id); // the peer may drop the channel
    channel_relay_finish(relay);
}

// Delivers arrived messages, as far as the process accepts them.
static void deliver(struct channel_relay *relay)
{
    if (!relay_store_deliver(relay->store, relay->sock)) {
        event_add(relay->writable, NULL);
        return;
    }
    event_del(relay->writable);
    if (relay->store->left_there)
        finish_left(relay);
    else
        note_progress(relay);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    deliver(arg);
}

bool channel_relay_make_events(struct channel_relay *relay, int sock, int wake)
{
    struct event_base *base = relay->peer->node->base;
    relay->readable = event_new(base, sock, EV_READ | EV_PERSIST, on_readable, relay);
    relay->writable = event_new(base, sock, EV_WRITE | EV_PERSIST, on_writable, relay);
    relay->woken = event_new(base, wake, EV_READ | EV_PERSIST, on_woken, relay);
    return relay->readable && relay->writable && relay->woken;
}

void channel_relay_make_turn(struct channel_relay *relay)
{
    relay->turn = (struct sched_item){
        .sched = relay->peer->node->sched, .user = &relay->user->sched, .take = take_turn};
    list_init(&relay->turn.in_user);
}

// ---- going on ---------------------------------------------------------------------------

void channel_relay_go_on(struct channel_relay *relay)
{
    struct relay_store *store = relay->store;
    bool last = store->left_there;

    deliver(relay);
    if (last || !forward_taken(relay)) // the last delivery ends it
        return;
    if (store->done_there && !store->left)
        shutdown(relay->sock, SHUT_RD);
    if (store->left)
        send_left(relay, store->orderly);
    else if (store->done)
        send_done(relay);
    else if (!store->left_there && !relay_store_is_full(store))
        event_add(relay->readable, NULL);
}

void channel_relays_go_on(struct peer *peer)
{
    if (connection_queued(peer->connection) > link_max(peer) / 2)
        return; // acknowledge a little later, with more messages in one acknowledgement
    while (!list_empty(&peer->relays_waiting) &&
           connection_queued(peer->connection) <= link_max(peer)) {
        struct channel_relay *relay =
            list_entry(peer->relays_waiting.next, struct channel_relay, in_waiting);
        list_remove(&relay->in_waiting);
        relay->goes_on = true;
        sched_queue(&relay->turn);
    }
}

// ---- messages of the other daemon ---------------------------------------------------------

void channel_peer_data(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerChannelData *m = message->peer_channel_data;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);

    if (!relay || relay->store->left_there)
        return; // the channel has ended here
    if (relay_store_arrive(relay->store, m->message.data, m->message.len))
        deliver(relay);
    else
        channel_relay_fail(relay, "the linked node does not keep to the channel's limits");
}

bool channel_relay_progress(struct channel_relay *relay, uint64_t delivered, uint64_t received,
                            bool open)
{
    struct relay_store *store = relay->store;

    if (delivered > store->sent || delivered < store->sent_delivered || received > delivered ||
        received < store->sent_received)
        return false;
    bool opened = open && atomic_load(&relay->other->state) == CHANNEL_PENDING;
    bool taken = received > store->sent_received;
    store->sent_delivered = delivered;
    store->sent_received = received;
    // Like a receiver: publish the count first, then check whether the sender sleeps.
    atomic_store(&relay->other->received, received);
    if (opened)
        atomic_store(&relay->other->state, CHANNEL_OPEN);
    if ((taken && atomic_exchange(&relay->process->wants_room, 0)) || opened)
        send(relay->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return true;
}

void channel_peer_progress(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerChannelProgress *m = message->peer_channel_progress;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);

    if (!relay || relay->store->left_there)
        return;
    if (!channel_relay_progress(relay, m->delivered, m->received, m->open))
        channel_relay_fail(relay, "the linked node's message counts are wrong");
    else if (!relay->store->left && !relay->store->done && !relay_store_is_full(relay->store) &&
             !must_wait(relay))
        event_add(relay->readable, NULL);
}

// Our process cannot send any more. Its earlier messages are read to the end, and then its end is
// sent.
static void done_there(struct channel_relay *relay)
{
    relay->store->done_there = true;
    if (!relay->store->left)
        shutdown(relay->sock, SHUT_RD);
}

void channel_peer_left(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerChannelLeft *m = message->peer_channel_left;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);

    if (!relay || relay->store->left_there)
        return;
    if (m->reads_on && !relay->store->done) {
        done_there(relay);
        return;
    }
    relay->store->orderly_there = m->orderly;
    relay->store->left_there = true;
    event_del(relay->readable);
    sched_dequeue(&relay->turn);
    deliver(relay);
}
