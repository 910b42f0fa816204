// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_relay_private.h"

#include "cleanup.h"
#include "closer.h"
#include "connection.h"
#include "kept.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "session.h"
#include "user.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define BATCH 16 // messages of one process before the others' turn

// ---- what the other daemon is told ------------------------------------------------------

static void tell_data(struct channel_relay *relay, struct relay_slot *slot)
{
    Docad__PeerChannelData m = DOCAD__PEER_CHANNEL_DATA__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    m.channel_id = relay->id.id;
    m.message = (ProtobufCBinaryData){slot->size, slot->data};
    message.body_case = DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA;
    message.peer_channel_data = &m;
    peer_send(relay->peer, &message);
}

static void tell_progress(struct channel_relay *relay)
{
    Docad__PeerChannelProgress m = DOCAD__PEER_CHANNEL_PROGRESS__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    m.channel_id = relay->id.id;
    m.delivered = relay->told_delivered = relay->store->delivered;
    m.received = relay->received;
    m.open = relay->told_open = relay->open;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS;
    message.peer_channel_progress = &m;
    peer_send(relay->peer, &message);
}

static void tell_left(struct channel_relay *relay, bool orderly)
{
    Docad__PeerChannelLeft m = DOCAD__PEER_CHANNEL_LEFT__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    m.channel_id = relay->id.id;
    m.orderly = orderly;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_CHANNEL_LEFT;
    message.peer_channel_left = &m;
    peer_send(relay->peer, &message);
}

// ---- life -------------------------------------------------------------------------------

// A linked node that asks for a service of ours pays for what stands for it; the service's
// user has not asked.
static struct charge charge_of(struct peer *peer, enum channel_side_index side, struct user *user)
{
    if (side == CHANNEL_SERVICE)
        return (struct charge){LIMIT_PEER_DESCRIPTORS, &peer->held.descriptors, RELAY_FDS};
    return (struct charge){LIMIT_DESCRIPTORS, &user->descriptors, RELAY_FDS};
}

void channel_relay_charge_restored(struct channel_relay *relay)
{
    struct charge charge = charge_of(relay->peer, relay->side, relay->user);
    limit_restore_all(&charge, 1);
}

struct channel_relay *channel_relay_destroy(struct channel_relay *relay)
{
    struct event *const events[] = {relay->readable, relay->writable, relay->woken};

    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    if (relay->page)
        munmap(relay->page, CHANNEL_PAGE_SIZE);
    relay_store_close(relay->store);
    keep_drop(&relay->kept);
    if (relay->user) {
        closer_end(relay->sock, relay->user->uid);
        closer_end(relay->wake, relay->user->uid);
        struct charge charge = charge_of(relay->peer, relay->side, relay->user);
        limit_give_all(&charge, 1);
        user_unref(relay->user);
    }
    free(relay);
    return NULL;
}

static void end_record(struct channel_relay *relay)
{
    struct channel *channel = relay->channel;
    relay->channel = NULL;
    if (!channel)
        return;
    channel->relay = NULL;
    channel->peer = NULL;
    channel_free(channel);
}

void channel_relay_finish(struct channel_relay *relay)
{
    idmap_remove(&relay->peer->relays, &relay->id);
    list_remove(&relay->link);
    end_record(relay);
    channel_relay_destroy(relay);
}

void channel_relay_fail(struct channel_relay *relay, const char *why)
{
    log_peer_limited(LOG_LEVEL_WARNING, relay->peer, "channel %" PRIu64 " to node %s: ended: %s",
                     relay->id.id, relay->peer->name, why);
    tell_left(relay, false);
    channel_relay_finish(relay);
}

// The other side has said its last word, and our process has it.
static void finish_left(struct channel_relay *relay)
{
    if (relay->store->orderly_there)
        atomic_store(&relay->other->state, CHANNEL_CLOSED);
    channel_give_back(relay->peer, relay->id.id); // it may forget the channel
    channel_relay_finish(relay);
}

void channel_relay_let_go(struct channel_relay *relay)
{
    relay->channel = NULL;
    // What it has sent can still be read, and then the end.
    shutdown(relay->sock, SHUT_RD);
}

void channel_relays_peer_gone(struct peer *peer)
{
    for (size_t i = 0; i < peer->relays.n_buckets; i++) {
        struct idmap_node *const *buckets =
            peer->relays.buckets ? peer->relays.buckets : peer->relays.first;
        while (buckets[i])
            channel_relay_finish(container_of(buckets[i], struct channel_relay, id));
    }
}

bool channel_relay_ended_there(struct peer *peer, uint64_t shared_id)
{
    struct channel_relay *relay = idmap_get(&peer->relays, shared_id, struct channel_relay, id);
    if (relay)
        channel_relay_finish(relay);
    return relay != NULL;
}

// ---- from the process to the link -------------------------------------------------------

// So that bytes of queue pairs have a share of the link.
static uint64_t link_max(const struct peer *peer)
{
    return list_empty(&peer->link_turns) ? RELAY_LINK_MAX : RELAY_SHARED_MAX;
}

// Is the link full, or not to be used yet? Then the relay goes on later.
static bool must_wait(struct channel_relay *relay)
{
    struct peer *peer = relay->peer;
    if (relay->paused || peer->state != PEER_LINKED)
        return true;
    if (connection_queued(peer->connection) <= link_max(peer))
        return false;
    if (list_empty(&relay->link))
        list_append(&peer->relays_waiting, &relay->link);
    return true;
}

// Tells what was taken. False if the link does not take all of it.
static bool tell_taken(struct channel_relay *relay)
{
    while (relay->told < relay->store->sent) {
        if (must_wait(relay))
            return false;
        tell_data(relay, relay_store_sent(relay->store, relay->told++));
    }
    return !must_wait(relay);
}

static bool may_take(struct channel_relay *relay)
{
    if (tell_taken(relay) && !relay_store_is_full(relay->store))
        return true;
    event_del(relay->readable); // until progress is told, or the link has room
    return false;
}

// Kept until the other daemon knows.
static void process_left(struct channel_relay *relay)
{
    struct relay_store *store = relay->store;

    store->orderly = atomic_load(&relay->process->state) == CHANNEL_CLOSED;
    store->left = store->deaf = true;
    tell_left(relay, store->orderly);
    if (!peer_may_return(relay->peer)) {
        channel_relay_finish(relay);
        return;
    }
    event_del(relay->readable);
    event_del(relay->writable);
    event_del(relay->woken);
    end_record(relay);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct channel_relay *relay = arg;
    (void)what;

    closer_receive_from(relay->user->uid);
    for (int i = 0; i < BATCH && may_take(relay); i++) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        ssize_t n = relay_store_take(relay->store, fd, &fds);
        if (n == -EAGAIN)
            return;
        if (n == -ECONNRESET) // said once, before what there is to read
            continue;
        if (n < 0 || fds.count > 0) {
            channel_relay_fail(relay, n == -EMSGSIZE
                                          ? "its process sends longer messages than it may"
                                          : "its process sends what is no message");
            return;
        }
        if (n == 0) {
            process_left(relay);
            return;
        }
    }
    may_take(relay); // tells the last one
}

// ---- from the link to the process -------------------------------------------------------

// What the process has taken, as far as it can be true.
void channel_relay_look(struct channel_relay *relay)
{
    uint64_t received = atomic_load(&relay->process->received);
    if (received > relay->received && received <= relay->store->delivered)
        relay->received = received;
    if (atomic_load(&relay->process->state) != CHANNEL_PENDING)
        relay->open = true;
}

// Looks how far the process is and has itself woken when it gets further; tells the other
// side what that has to know.
static void note_progress(struct channel_relay *relay)
{
    uint64_t before = relay->received, delivered = relay->store->delivered;

    channel_relay_look(relay);
    if (relay->received < delivered) {
        // Our wish is visible before we look once more (see struct channel_side).
        atomic_store(&relay->other->wants_room, 1);
        channel_relay_look(relay);
    }
    if (relay->received != before || relay->open != relay->told_open ||
        delivered - relay->told_delivered >= RELAY_WINDOW / 2)
        tell_progress(relay);
}

static void on_woken(evutil_socket_t fd, short what, void *arg)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct channel_relay *relay = arg;
    char bytes[256];
    (void)what;

    closer_receive_from(relay->user->uid);
    ssize_t n = packet_recv(fd, bytes, sizeof(bytes), &fds, MSG_DONTWAIT);
    if (n <= 0 && n != -EAGAIN)
        event_del(relay->woken); // its other socket tells of its end
    note_progress(relay);
}

// What has arrived, as far as the process takes it.
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

// ---- going on ---------------------------------------------------------------------------

void channel_relay_go_on(struct channel_relay *relay)
{
    struct relay_store *store = relay->store;
    bool last = store->left_there;

    deliver(relay);
    if (last || !tell_taken(relay)) // the last delivery ends it
        return;
    if (store->left)
        tell_left(relay, store->orderly);
    else if (!store->left_there && !relay_store_is_full(store))
        event_add(relay->readable, NULL);
}

void channel_relays_go_on(struct peer *peer)
{
    if (connection_queued(peer->connection) > link_max(peer) / 2)
        return; // a little later, and then with more at once
    while (!list_empty(&peer->relays_waiting) &&
           connection_queued(peer->connection) <= link_max(peer)) {
        struct channel_relay *relay =
            list_entry(peer->relays_waiting.next, struct channel_relay, link);
        list_remove(&relay->link);
        channel_relay_go_on(relay);
    }
}

// ---- what the other daemon says ---------------------------------------------------------

void channel_peer_data(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelData *m = message->peer_channel_data;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->store->left_there)
        return; // it has ended here meanwhile
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
    // As a receiver does: the count, then a look whether the sender sleeps.
    atomic_store(&relay->other->received, received);
    if (opened)
        atomic_store(&relay->other->state, CHANNEL_OPEN);
    if ((taken && atomic_exchange(&relay->process->wants_room, 0)) || opened)
        send(relay->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return true;
}

void channel_peer_progress(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelProgress *m = message->peer_channel_progress;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->store->left_there)
        return;
    if (!channel_relay_progress(relay, m->delivered, m->received, m->open))
        channel_relay_fail(relay, "the linked node counts wrongly");
    else if (!relay->store->left && !relay_store_is_full(relay->store) && !must_wait(relay))
        event_add(relay->readable, NULL);
}

void channel_peer_left(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelLeft *m = message->peer_channel_left;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->store->left_there)
        return;
    relay->store->orderly_there = m->orderly;
    relay->store->left_there = true;
    event_del(relay->readable);
    deliver(relay);
}

// ---- beginning --------------------------------------------------------------------------

static bool open_page(struct channel_relay *relay, int fd)
{
    bool client = relay->side == CHANNEL_CLIENT;
    void *page = mmap(NULL, CHANNEL_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return false;
    relay->page = page;
    relay->process = &relay->page->side[relay->side];
    relay->other = &relay->page->side[client ? CHANNEL_SERVICE : CHANNEL_CLIENT];
    return true;
}

static bool make_events(struct channel_relay *relay, int sock, int wake)
{
    struct event_base *base = relay->peer->node->base;
    relay->readable = event_new(base, sock, EV_READ | EV_PERSIST, on_readable, relay);
    relay->writable = event_new(base, sock, EV_WRITE | EV_PERSIST, on_writable, relay);
    relay->woken = event_new(base, wake, EV_READ | EV_PERSIST, on_woken, relay);
    return relay->readable && relay->writable && relay->woken;
}

doca_error_t channel_relay_make(struct channel_relay **out, struct peer *peer, uint64_t shared_id,
                                enum channel_side_index side, struct user *user,
                                const int fds[CHANNEL_FDS], struct errtext *err)
{
    if (idmap_find(&peer->relays, shared_id))
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s names two channels alike", peer->name);
    struct channel_relay *relay = calloc(1, sizeof(*relay));
    if (!relay)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    relay->sock = relay->wake = -1;
    relay->peer = peer;
    relay->side = side;
    list_init(&relay->link);
    if (!open_page(relay, fds[2]) || !make_events(relay, fds[0], fds[1])) {
        channel_relay_destroy(relay);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    relay->user = user_ref(user);
    relay->sock = fds[0];
    relay->wake = fds[1];
    idmap_add(&peer->relays, &relay->id, shared_id);
    *out = relay;
    return DOCA_SUCCESS;
}

// What the docad after this one needs.
static void keep(struct channel_relay *relay, int page, int store)
{
    Docad__KeptRelay what = DOCAD__KEPT_RELAY__INIT;
    Docad__Kept record;
    int fds[] = {relay->sock, relay->wake, page, store};

    if (!keep_is_on() || !peer_may_return(relay->peer))
        return;
    what.node = (ProtobufCBinaryData){NODE_ID_SIZE, relay->peer->id_there};
    what.shared_id = relay->id.id;
    what.side = relay->side;
    what.uid = relay->user->uid;
    what.channel = relay->channel->id.id;
    kept_init(&record, node_next_id(relay->peer->node), NULL, &relay->kept);
    record.what_case = DOCAD__KEPT__WHAT_RELAY;
    record.relay = &what;
    keep_put(&relay->kept, &record, fds, ARRAY_SIZE(fds));
}

doca_error_t channel_relay_new(struct channel *channel, struct peer *peer, uint32_t max_message,
                               int fds[CHANNEL_FDS], struct errtext *err)
{
    struct user *user = channel->session->user;
    struct channel_relay *relay;
    struct relay_store *store;
    cleanup_fd int file = -1;

    struct charge charge = charge_of(peer, channel->side, user);
    doca_error_t r = limit_take_all(node_limits(peer->node), &charge, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    int e = relay_store_new(&store, &file, max_message);
    r = e < 0 ? errtext_set(err, DOCA_ERROR_NO_MEMORY, "memory of a channel: %s", strerror(-e))
              : channel_relay_make(&relay, peer, channel->shared_id, channel->side, user, fds, err);
    if (r != DOCA_SUCCESS) {
        if (e == 0)
            relay_store_close(store);
        limit_give_all(&charge, 1);
        return r;
    }
    relay->store = store;
    relay->channel = channel;
    channel->relay = relay;
    keep(relay, fds[2], file);
    fds[0] = fds[1] = -1;
    close_fdp(&fds[2]);
    event_add(relay->readable, NULL);
    event_add(relay->woken, NULL);
    return DOCA_SUCCESS;
}
