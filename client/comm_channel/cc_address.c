// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Addresses of peers, from docad's introduction to their end.

#include "comm_channel.h"

#include "bytes_only.h"
#include "core/closing.h"
#include "core/refused.h"
#include "memfd.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static doca_error_t nonsense(struct errtext *err, const char *what)
{
    return errtext_set(err, DOCA_ERROR_DRIVER, "docad passed a channel that cannot be used: %s",
                       what);
}

static doca_error_t map_page(struct doca_comm_channel_addr_t *a, int fd, struct errtext *err)
{
    bool rings = memfd_check(fd, CHANNEL_FILE_SIZE, 1) == 0;
    int r = rings ? 0 : memfd_check(fd, CHANNEL_PAGE_SIZE, 1);
    if (r < 0)
        return nonsense(err, strerror(-r));
    a->mapped = rings ? CHANNEL_FILE_SIZE : CHANNEL_PAGE_SIZE;
    void *page = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot map the channel's page: %s",
                           strerror(errno));
    a->page = page;
    a->severed = (struct severed){.pages = page, .length = a->mapped, .fds = {&a->sock, &a->wake}};
    severed_add(&a->severed);
    if (rings)
        cc_ring_open(a, page);
    bool service = a->ep->role == CC_SERVICE;
    a->mine = &a->page->side[service ? CHANNEL_SERVICE : CHANNEL_CLIENT];
    a->theirs = &a->page->side[service ? CHANNEL_CLIENT : CHANNEL_SERVICE];
    a->put_count = &a->page->sent[service ? CHANNEL_SERVICE : CHANNEL_CLIENT].packets;
    a->came_count = &a->page->sent[service ? CHANNEL_CLIENT : CHANNEL_SERVICE].packets;
    a->put = a->got = 1;
    atomic_store_explicit(a->put_count, a->put, memory_order_release);
    // Before the peer sees that the connection is open.
    atomic_store_explicit(&a->mine->takes_packets, a->ep->takes_packets, memory_order_release);
    if (a->page->magic != CHANNEL_PAGE_MAGIC || a->page->version != CHANNEL_PAGE_VERSION)
        return nonsense(err, "its page is of another version");
    return DOCA_SUCCESS;
}

static doca_error_t fill(struct doca_comm_channel_addr_t *a,
                         const struct cc_introduction *introduction, struct fd_list *fds,
                         struct errtext *err)
{
    cleanup_fd int page = -1;

    a->sock = fd_list_take(fds, 0);
    a->wake = fd_list_take(fds, 1);
    page = fd_list_take(fds, 2);
    if (a->sock < 0 || a->wake < 0 || page < 0)
        return nonsense(err, "a descriptor is missing");
    if (introduction->max_message == 0 || introduction->recv_queue == 0 ||
        introduction->recv_queue > CHANNEL_QUEUE_MAX ||
        (introduction->key.len && introduction->key.len != CHANNEL_KEY_SIZE))
        return nonsense(err, "its message size, queue size or key is not valid");
    a->bytes_only = bytes_only(a->sock) && bytes_only(a->wake);
    a->id = introduction->id;
    a->relayed = introduction->relayed;
    a->keyed = introduction->key.len;
    if (a->keyed)
        memcpy(a->key, introduction->key.data, CHANNEL_KEY_SIZE);
    a->peer_max_message = introduction->max_message;
    a->window = (uint64_t)a->ep->send_queue + introduction->recv_queue;
    doca_error_t e = map_page(a, page, err);
    if (e == DOCA_SUCCESS && cc_events_add(a) < 0)
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot wait for the channel: %s",
                        strerror(errno));
    return e;
}

static void release(struct doca_comm_channel_addr_t *a)
{
    cc_events_remove(a);
    cc_ring_close(a);
    severed_remove(&a->severed);
    closing_socket(&a->sock);
    closing_socket(&a->wake);
    if (a->page)
        munmap(a->page, a->mapped);
    a->page = NULL;
    a->mine = a->theirs = NULL;
    a->put_count = NULL;
    a->came_count = NULL;
}

doca_error_t cc_address_new(struct doca_comm_channel_addr_t **out,
                            struct doca_comm_channel_ep_t *ep, struct list *list,
                            const struct cc_introduction *introduction, struct fd_list *fds,
                            struct errtext *err)
{
    struct doca_comm_channel_addr_t *a = calloc(1, sizeof(*a));
    if (!a)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    a->ep = ep;
    a->sock = a->wake = -1;
    doca_error_t e = fill(a, introduction, fds, err);
    if (e != DOCA_SUCCESS) {
        release(a);
        free(a);
        return e;
    }
    list_append(list, &a->link);
    *out = a;
    return DOCA_SUCCESS;
}

bool cc_address_move(struct doca_comm_channel_addr_t *a, struct doca_comm_channel_ep_t *to)
{
    cc_events_remove(a);
    list_remove(&a->link);
    to->session = session_ref(a->ep->session);
    to->role = CC_CLIENT; // it has one channel, and notifies docad of its end
    a->ep = to;
    list_append(&to->peers, &a->link);
    return cc_events_add(a) == 0;
}

struct doca_comm_channel_addr_t *cc_address_free(struct doca_comm_channel_addr_t *a)
{
    if (!a)
        return NULL;
    struct doca_comm_channel_ep_t *ep = a->ep;
    if (ep->current == a)
        ep->current = NULL;
    if (ep->apart == a)
        ep->apart = NULL;
    if (a->mine) {
        // A service that rejects a client has never accepted it: the client may try again.
        if (ep->role != CC_SERVICE || a->open)
            atomic_store(&a->mine->state, CHANNEL_CLOSED);
        atomic_store_explicit(a->put_count, a->put + 1, memory_order_release);
    }
    release(a);
    list_remove(&a->link);
    free(a);
    return NULL;
}

void cc_address_disconnect(struct doca_comm_channel_addr_t *a)
{
    struct session *session = a->ep->session;
    uint64_t id = a->id;

    cc_address_free(a);
    cc_notify_closed(session, id);
}

void cc_address_gone(struct doca_comm_channel_addr_t *a)
{
    if (a->gone)
        return;
    a->gone = true;
    a->lost = atomic_load(&a->theirs->state) != CHANNEL_CLOSED;
    release(a);
    if (a->ep->current == a)
        a->ep->current = NULL;
    if (a->ep->apart == a)
        a->ep->apart = NULL;
}

bool cc_address_hung_up(const struct doca_comm_channel_addr_t *a)
{
    // A service that never accepted the connection leaves them closed one after the other.
    struct pollfd p[2] = {{.fd = a->wake, .events = POLLRDHUP},
                          {.fd = a->sock, .events = POLLRDHUP}};
    int n;
    if (a->gone)
        return true;
    do {
        n = poll(p, 2, 0);
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

bool cc_address_break(struct doca_comm_channel_addr_t *a)
{
    if (a->gone)
        return false;
    // Neither side has stored CHANNEL_CLOSED: both find that the peer has ended without
    // disconnecting. This side receives nothing more, so that what the program gets does not depend
    // on time, and the other one's next message fails.
    shutdown(a->sock, SHUT_RDWR);
    shutdown(a->wake, SHUT_RDWR);
    cc_ring_close(a);
    (void)bytes_drain(a->sock);
    return true;
}

bool cc_address_done(struct doca_comm_channel_addr_t *a)
{
    if (a->gone || !a->relayed ||
        !atomic_load_explicit(&a->theirs->half_closes, memory_order_relaxed))
        return false;
    a->blocked = false; // nothing waits for room
    atomic_store(&a->mine->state, CHANNEL_SENT);
    return shutdown(a->sock, SHUT_WR) == 0;
}

bool cc_peer_takes_packets(const struct doca_comm_channel_addr_t *a)
{
    return atomic_load_explicit(&a->theirs->takes_packets, memory_order_relaxed);
}

bool cc_address_open(struct doca_comm_channel_addr_t *a)
{
    if (!a->open && !a->gone)
        a->open = atomic_load_explicit(&a->theirs->state, memory_order_acquire) != CHANNEL_PENDING;
    return a->open;
}

// ---- the public interface -------------------------------------------------------------

static void take_snapshot(struct doca_comm_channel_addr_t *a)
{
    if (!a->gone) {
        uint64_t taken = atomic_load_explicit(&a->theirs->received, memory_order_acquire);
        // A count above the number sent is wrong; nothing depends on it.
        a->now.in_flight = taken < a->now.send_messages ? a->now.send_messages - taken : 0;
    }
    a->snapshot = a->now;
}

doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr)
{
    if (!peer_addr)
        return REFUSED_NULL(peer_addr);
    take_snapshot(peer_addr);
    // In this order: a service that accepts and then ends counts as having ended.
    bool open = cc_address_open(peer_addr);
    if (cc_address_hung_up(peer_addr))
        return DOCA_ERROR_CONNECTION_ABORTED;
    if (open) {
        idle_reset(&peer_addr->ep->connecting);
        return DOCA_SUCCESS;
    }
    idle_poll(&peer_addr->ep->connecting, CC_CALL_NS);
    return DOCA_ERROR_CONNECTION_INPROGRESS;
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t user_context)
{
    if (!peer_addr)
        return REFUSED_NULL(peer_addr);
    peer_addr->user_data = user_context;
    return DOCA_SUCCESS;
}

#define GETTER(name, type, field)                                                                  \
    doca_error_t doca_comm_channel_peer_addr_get_##name(type *peer_addr, uint64_t *name)           \
    {                                                                                              \
        if (!peer_addr || !name)                                                                   \
            return REFUSED_NULL(peer_addr, name);                                                  \
        *name = peer_addr->field;                                                                  \
        return DOCA_SUCCESS;                                                                       \
    }

GETTER(user_data, struct doca_comm_channel_addr_t, user_data)
GETTER(send_messages, const struct doca_comm_channel_addr_t, snapshot.send_messages)
GETTER(send_bytes, const struct doca_comm_channel_addr_t, snapshot.send_bytes)
GETTER(recv_messages, const struct doca_comm_channel_addr_t, snapshot.recv_messages)
GETTER(recv_bytes, const struct doca_comm_channel_addr_t, snapshot.recv_bytes)
GETTER(send_in_flight_messages, const struct doca_comm_channel_addr_t, snapshot.in_flight)
