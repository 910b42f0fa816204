// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_relay_private.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "node.h"
#include "peer.h"
#include "session.h"
#include "user.h"

#include <event2/event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

// ---- ends -------------------------------------------------------------------------------

// A linked node that connects to one of our services is charged for the relay, because the
// service's user has not requested it. The charge is on the client's user, here or there.
static struct charge charge_of(struct peer *peer, enum channel_side_index side, struct user *client)
{
    if (side == CHANNEL_SERVICE)
        return (struct charge){LIMIT_PEER_DESCRIPTORS, &client->descriptors, RELAY_FDS,
                               &peer->held.descriptors};
    return (struct charge){LIMIT_DESCRIPTORS, &client->descriptors, RELAY_FDS};
}

void channel_relay_charge_restored(struct channel_relay *relay)
{
    struct charge charge = charge_of(relay->peer, relay->side, relay->client);
    limit_take_all(NULL, &charge, 1, NULL);
}

struct channel_relay *channel_relay_destroy(struct channel_relay *relay)
{
    struct event *const events[] = {relay->readable, relay->writable, relay->woken};

    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    sched_dequeue(&relay->turn);
    if (relay->page)
        munmap(relay->page, CHANNEL_PAGE_SIZE);
    relay_store_close(relay->store);
    fdstore_drop(&relay->stored);
    if (relay->user) {
        fd_reaper_close_socket(relay->sock, relay->user->uid);
        fd_reaper_close_socket(relay->wake, relay->user->uid);
        struct charge charge = charge_of(relay->peer, relay->side, relay->client);
        limit_give_all(&charge, 1);
        user_unref(relay->client);
        user_unref(relay->user);
    }
    free(relay);
    return NULL;
}

void channel_relay_end_record(struct channel_relay *relay)
{
    struct channel *channel = relay->channel;
    relay->channel = NULL;
    if (!channel)
        return;
    channel->relay = NULL;
    channel_unshare(channel);
    channel_free(channel);
}

void channel_relay_finish(struct channel_relay *relay)
{
    idmap_remove(&relay->peer->relays, &relay->id);
    peer_named_remove(relay->peer, NAMED_RELAYS, &relay->named);
    list_remove(&relay->in_waiting);
    channel_relay_end_record(relay);
    channel_relay_destroy(relay);
}

// The record ends: messages that its process has sent are still passed on, but no more are
// taken.
static void release_relay(struct channel_relay *relay)
{
    relay->channel = NULL;
    // Messages that it has sent can still be read, and then the end of file.
    shutdown(relay->sock, SHUT_RD);
}

void channel_relay_attach(struct channel_relay *relay, struct channel *channel)
{
    relay->channel = channel;
    channel->relay = relay;
    channel->release_relay = release_relay;
}

bool channel_relay_ended_there(struct peer *peer, uint64_t shared_id)
{
    struct channel_relay *relay = idmap_get(&peer->relays, shared_id, struct channel_relay, id);
    if (relay)
        channel_relay_finish(relay);
    return relay != NULL;
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

doca_error_t channel_relay_make(struct channel_relay **out, struct peer *peer, uint64_t shared_id,
                                enum channel_side_index side, struct user *user,
                                struct user *client, const int fds[CHANNEL_FDS],
                                struct errtext *err)
{
    if (idmap_find(&peer->relays, shared_id))
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s uses one id for two channels",
                           peer->name);
    struct channel_relay *relay = calloc(1, sizeof(*relay));
    if (!relay)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    relay->sock = relay->wake = -1;
    relay->peer = peer;
    relay->side = side;
    list_init(&relay->in_waiting);
    if (!open_page(relay, fds[2]) || !channel_relay_make_events(relay, fds[0], fds[1])) {
        channel_relay_destroy(relay);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    relay->user = user_ref(user);
    relay->client = user_ref(client);
    channel_relay_make_turn(relay);
    relay->sock = fds[0];
    relay->wake = fds[1];
    idmap_add(&peer->relays, &relay->id, shared_id);
    peer_named_add(peer, NAMED_RELAYS, &relay->named);
    *out = relay;
    return DOCA_SUCCESS;
}

// Stores the record for the next docad.
static doca_error_t keep(struct channel_relay *relay, int page, int store, struct errtext *err)
{
    Docad__RelayRecord what = DOCAD__RELAY_RECORD__INIT;
    Docad__Record record;
    int fds[] = {relay->sock, relay->wake, page, store};

    if (!fdstore_is_on() || !peer_may_return(relay->peer))
        return DOCA_SUCCESS;
    what.node = (ProtobufCBinaryData){NODE_ID_SIZE, relay->peer->id_there};
    what.shared_id = relay->id.id;
    what.side = relay->side;
    what.uid = relay->user->uid;
    what.channel = relay->channel->object.id;
    record_init(&record, node_next_id(relay->peer->node), 0, &relay->stored);
    record.what_case = DOCAD__RECORD__WHAT_RELAY;
    record.relay = &what;
    return fdstore_put(&relay->stored, &record, relay->user, fds, ARRAY_SIZE(fds), err);
}

doca_error_t channel_relay_new(struct channel *channel, struct peer *peer, uint32_t max_message,
                               bool packets, int fds[CHANNEL_FDS], struct errtext *err)
{
    struct user *user = channel->object.session->user;
    struct channel_relay *relay;
    struct relay_store *store;
    cleanup_fd int file = -1;

    struct user *client = channel->side == CHANNEL_SERVICE ? channel->client : user;
    struct charge charge = charge_of(peer, channel->side, client);
    doca_error_t r = limit_take_all(node_limits(peer->node), &charge, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    int e = relay_store_new(&store, &file, packets ? CHANNEL_PACKET_SIZE : max_message);
    r = e < 0 ? channel_not_made(&channel->options, e, err)
              : channel_relay_make(&relay, peer, channel->shared.id, channel->side, user, client,
                                   fds, err);
    if (r != DOCA_SUCCESS) {
        if (e == 0)
            relay_store_close(store);
        limit_give_all(&charge, 1);
        return r;
    }
    relay->store = store;
    atomic_store(&relay->other->takes_packets, packets); // its process has not got the page yet
    atomic_store(&relay->other->half_closes, true);
    channel_relay_attach(relay, channel);
    struct errtext failed;
    fdstore_note(keep(relay, fds[2], file, &failed), &failed);
    fds[0] = fds[1] = -1;
    close_fdp(&fds[2]);
    event_add(relay->readable, NULL);
    event_add(relay->woken, NULL);
    return DOCA_SUCCESS;
}
