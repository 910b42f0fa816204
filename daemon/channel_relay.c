// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_relay.h"

#include "cleanup.h"
#include "closer.h"
#include "connection.h"
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

#define BATCH     16 // messages of one process before the others' turn
#define RELAY_FDS 2  // kept open

// A message for which the process's socket has no room.
struct waiting {
    struct list link;
    size_t size;
    uint8_t data[];
};

struct channel_relay {
    struct idmap_node id; // peer->relays, by the id that both nodes use
    struct list link;     // peer->relays_waiting, while the link is full
    struct peer *peer;
    struct channel *channel; // NULL once the record has gone
    struct user *user;       // charged
    uint32_t max_message;

    int sock, wake;
    struct channel_page *page;
    struct channel_side *process, *other; // whose end we face, and whom we stand for
    struct event *readable, *writable, *woken;

    uint64_t sent, sent_delivered, sent_received; // from the process to the link
    uint64_t arrived, delivered, received;        // from the link to the process
    uint64_t told_delivered;
    bool open, told_open; // the process has taken the connection
    struct list queue;    // of struct waiting
    bool left_there;      // ends once the queue is empty
    bool left_orderly;    // and so has it said
    bool deaf;            // the process has gone: what comes for it is dropped
};

// ---- what the other daemon is told ------------------------------------------------------

static void tell_data(struct channel_relay *relay, uint8_t *data, size_t size)
{
    Docad__PeerChannelData m = DOCAD__PEER_CHANNEL_DATA__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    m.channel_id = relay->id.id;
    m.message = (ProtobufCBinaryData){size, data};
    message.body_case = DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA;
    message.peer_channel_data = &m;
    relay->sent++;
    peer_send(relay->peer, &message);
}

static void tell_progress(struct channel_relay *relay)
{
    Docad__PeerChannelProgress m = DOCAD__PEER_CHANNEL_PROGRESS__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    m.channel_id = relay->id.id;
    m.delivered = relay->told_delivered = relay->delivered;
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

static struct channel_relay *destroy(struct channel_relay *relay)
{
    struct event *const events[] = {relay->readable, relay->writable, relay->woken};
    struct waiting *w, *next;

    list_for_each_safe (w, next, &relay->queue, link)
        free(w);
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    if (relay->page)
        munmap(relay->page, CHANNEL_PAGE_SIZE);
    // Our own: nobody can make their closing wait.
    close_fdp(&relay->sock);
    close_fdp(&relay->wake);
    if (relay->user) {
        limit_give(&relay->user->descriptors, RELAY_FDS);
        user_unref(relay->user);
    }
    free(relay);
    return NULL;
}

// The record, if it is still there, goes with it.
static void finish(struct channel_relay *relay)
{
    struct channel *channel = relay->channel;

    idmap_remove(&relay->peer->relays, &relay->id);
    list_remove(&relay->link);
    destroy(relay);
    if (channel) {
        channel->relay = NULL;
        channel->peer = NULL;
        channel_free(channel);
    }
}

// Ends it on both sides; what is on its way is lost.
static void fail(struct channel_relay *relay, const char *why)
{
    log_limited(LOG_LEVEL_WARNING, "channel %" PRIu64 " to node %s: ended: %s", relay->id.id,
                relay->peer->name, why);
    tell_left(relay, false);
    finish(relay);
}

// The other side has said its last word, and our process has it.
static void finish_left(struct channel_relay *relay)
{
    if (relay->left_orderly)
        atomic_store(&relay->other->state, CHANNEL_CLOSED);
    finish(relay);
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
            finish(container_of(buckets[i], struct channel_relay, id));
    }
}

bool channel_relay_ended_there(struct peer *peer, uint64_t shared_id)
{
    struct channel_relay *relay = idmap_get(&peer->relays, shared_id, struct channel_relay, id);
    if (relay)
        finish(relay);
    return relay != NULL;
}

// ---- from the process to the link -------------------------------------------------------

static uid_t sender; // of the message being received

static void close_received(int fd)
{
    closer_take(fd, sender);
}

static void begin_receiving(const struct channel_relay *relay)
{
    sender = relay->user->uid;
    fd_list_close_one = close_received;
}

static bool may_send(struct channel_relay *relay)
{
    if (relay->sent - relay->sent_delivered >= RELAY_WINDOW) {
        event_del(relay->readable); // until progress is told
        return false;
    }
    if (connection_queued(relay->peer->connection) > RELAY_LINK_MAX) {
        event_del(relay->readable);
        if (list_empty(&relay->link))
            list_append(&relay->peer->relays_waiting, &relay->link);
        return false;
    }
    return true;
}

static void process_left(struct channel_relay *relay)
{
    tell_left(relay, atomic_load(&relay->process->state) == CHANNEL_CLOSED);
    finish(relay);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct channel_relay *relay = arg;
    (void)what;

    begin_receiving(relay);
    for (int i = 0; i < BATCH && may_send(relay); i++) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        uint8_t data[CHANNEL_MESSAGE_MAX];
        ssize_t n = packet_recv(fd, data, relay->max_message, &fds, MSG_DONTWAIT);
        if (n == -EAGAIN)
            return;
        if (n == -ECONNRESET) // said once, before what there is to read
            continue;
        if (n == 0) {
            process_left(relay);
            return;
        }
        if (n < 0 || fds.count > 0) {
            fail(relay, n == -EMSGSIZE ? "its process sends longer messages than it may"
                                       : "its process sends what is no message");
            return;
        }
        tell_data(relay, data, (size_t)n);
    }
}

static void go_on(struct channel_relay *relay)
{
    list_remove(&relay->link);
    if (!relay->left_there)
        event_add(relay->readable, NULL);
}

void channel_relays_go_on(struct peer *peer)
{
    while (!list_empty(&peer->relays_waiting))
        go_on(list_entry(peer->relays_waiting.next, struct channel_relay, link));
}

// ---- from the link to the process -------------------------------------------------------

// What the process has taken, as far as it can be true.
static void look(struct channel_relay *relay)
{
    uint64_t received = atomic_load(&relay->process->received);
    if (received > relay->received && received <= relay->delivered)
        relay->received = received;
    if (atomic_load(&relay->process->state) != CHANNEL_PENDING)
        relay->open = true;
}

// Looks how far the process is and has itself woken when it gets further; tells the other
// side what that has to know.
static void note_progress(struct channel_relay *relay)
{
    uint64_t before = relay->received;

    look(relay);
    if (relay->received < relay->delivered) {
        // Our wish is visible before we look once more (see struct channel_side).
        atomic_store(&relay->other->wants_room, 1);
        look(relay);
    }
    if (relay->received != before || relay->open != relay->told_open ||
        relay->delivered - relay->told_delivered >= RELAY_WINDOW / 2)
        tell_progress(relay);
}

static void on_woken(evutil_socket_t fd, short what, void *arg)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct channel_relay *relay = arg;
    char bytes[256];
    (void)what;

    begin_receiving(relay);
    ssize_t n = packet_recv(fd, bytes, sizeof(bytes), &fds, MSG_DONTWAIT);
    if (n <= 0 && n != -EAGAIN)
        event_del(relay->woken); // its other socket tells of its end
    note_progress(relay);
}

// False: there is no room.
static bool deliver(struct channel_relay *relay, const uint8_t *data, size_t size)
{
    ssize_t n = -1;
    while (!relay->deaf) {
        n = send(relay->sock, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0 || errno != EINTR)
            break;
    }
    if (n < 0 && !relay->deaf && (errno == EAGAIN || errno == ENOBUFS))
        return false;
    if (n < 0)
        relay->deaf = true; // what it had said before is still to be read
    relay->delivered++;
    return true;
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct channel_relay *relay = arg;
    (void)fd;
    (void)what;

    while (!list_empty(&relay->queue)) {
        struct waiting *w = list_entry(relay->queue.next, struct waiting, link);
        if (!deliver(relay, w->data, w->size))
            return;
        list_remove(&w->link);
        free(w);
    }
    event_del(relay->writable);
    if (relay->left_there)
        finish_left(relay);
    else
        note_progress(relay);
}

static bool keep(struct channel_relay *relay, const ProtobufCBinaryData *message)
{
    struct waiting *w = malloc(sizeof(*w) + message->len);
    if (!w)
        return false;
    w->size = message->len;
    memcpy(w->data, message->data, message->len);
    list_append(&relay->queue, &w->link);
    event_add(relay->writable, NULL);
    return true;
}

// ---- what the other daemon says ---------------------------------------------------------

void channel_peer_data(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelData *m = message->peer_channel_data;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->left_there)
        return; // it has ended here meanwhile
    if (m->message.len == 0 || m->message.len > relay->max_message ||
        relay->arrived - relay->delivered >= RELAY_WINDOW) {
        fail(relay, "the linked node does not keep to the channel's limits");
        return;
    }
    relay->arrived++;
    if (list_empty(&relay->queue) && deliver(relay, m->message.data, m->message.len))
        note_progress(relay);
    else if (!keep(relay, &m->message))
        fail(relay, "docad is out of memory");
}

static bool is_progress(const struct channel_relay *relay, const Docad__PeerChannelProgress *m)
{
    return m->delivered <= relay->sent && m->delivered >= relay->sent_delivered &&
           m->received <= m->delivered && m->received >= relay->sent_received;
}

void channel_peer_progress(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelProgress *m = message->peer_channel_progress;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->left_there)
        return;
    if (!is_progress(relay, m)) {
        fail(relay, "the linked node counts wrongly");
        return;
    }
    bool opened = m->open && atomic_load(&relay->other->state) == CHANNEL_PENDING;
    bool taken = m->received > relay->sent_received;
    relay->sent_delivered = m->delivered;
    relay->sent_received = m->received;
    // As a receiver does: the count, then a look whether the sender sleeps.
    atomic_store(&relay->other->received, m->received);
    if (opened)
        atomic_store(&relay->other->state, CHANNEL_OPEN);
    if ((taken && atomic_exchange(&relay->process->wants_room, 0)) || opened)
        send(relay->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (relay->sent - relay->sent_delivered < RELAY_WINDOW && list_empty(&relay->link))
        event_add(relay->readable, NULL);
}

void channel_peer_left(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerChannelLeft *m = message->peer_channel_left;
    struct channel_relay *relay = idmap_get(&peer->relays, m->channel_id, struct channel_relay, id);
    (void)fds;

    if (!relay || relay->left_there)
        return;
    relay->left_there = true;
    relay->left_orderly = m->orderly;
    event_del(relay->readable);
    if (list_empty(&relay->queue))
        finish_left(relay);
}

// ---- beginning --------------------------------------------------------------------------

static bool open_page(struct channel_relay *relay, int fd, enum channel_side_index of)
{
    void *page = mmap(NULL, CHANNEL_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return false;
    relay->page = page;
    relay->process = &relay->page->side[of];
    relay->other = &relay->page->side[of == CHANNEL_CLIENT ? CHANNEL_SERVICE : CHANNEL_CLIENT];
    return true;
}

static bool open_events(struct channel_relay *relay, int sock, int wake)
{
    struct event_base *base = relay->peer->node->base;
    relay->readable = event_new(base, sock, EV_READ | EV_PERSIST, on_readable, relay);
    relay->writable = event_new(base, sock, EV_WRITE | EV_PERSIST, on_writable, relay);
    relay->woken = event_new(base, wake, EV_READ | EV_PERSIST, on_woken, relay);
    return relay->readable && relay->writable && relay->woken &&
           event_add(relay->readable, NULL) == 0 && event_add(relay->woken, NULL) == 0;
}

doca_error_t channel_relay_new(struct channel *channel, struct peer *peer, uint32_t max_message,
                               int fds[CHANNEL_FDS], struct errtext *err)
{
    struct user *user = channel->session->user;

    if (idmap_find(&peer->relays, channel->shared_id))
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s names two channels alike", peer->name);
    struct channel_relay *relay = calloc(1, sizeof(*relay));
    if (!relay)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    relay->sock = relay->wake = -1;
    relay->peer = peer;
    relay->max_message = max_message;
    list_init(&relay->queue);
    list_init(&relay->link);
    doca_error_t r =
        limit_take(node_limits(peer->node), LIMIT_DESCRIPTORS, &user->descriptors, RELAY_FDS, err);
    if (r == DOCA_SUCCESS)
        relay->user = user_ref(user);
    if (r == DOCA_SUCCESS &&
        (!open_page(relay, fds[2], channel->side) || !open_events(relay, fds[0], fds[1])))
        r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    if (r != DOCA_SUCCESS) {
        destroy(relay);
        return r;
    }
    relay->sock = steal_fd(&fds[0]);
    relay->wake = steal_fd(&fds[1]);
    close_fdp(&fds[2]);
    relay->channel = channel;
    channel->relay = relay;
    idmap_add(&peer->relays, &relay->id, channel->shared_id);
    return DOCA_SUCCESS;
}
