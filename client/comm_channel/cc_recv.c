// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Receiving. The peer whose message came last is polled first, without polling the others, but not
// forever.

#include "comm_channel.h"

#include "bytes_only.h"
#include "core/refused.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define CHECKS_MAX 2048 // checks of descriptors without a message, in one call

#define failed(code, why) report_why("doca_comm_channel_ep_recvfrom", code, why)

// MSG_PEEK leaves the packet's descriptors, if there are any, where they are.
static bool has_bytes_only(const struct doca_comm_channel_addr_t *a, int flags)
{
    return __builtin_expect(a->bytes_only, 1) || (flags & MSG_PEEK);
}

// Reads one packet, or only its length. Returns 0 if the other side has closed the channel; -1:
// errno.
static ssize_t take_packet(const struct doca_comm_channel_addr_t *a, void *msg, size_t len,
                           int flags)
{
    flags |= MSG_DONTWAIT | MSG_TRUNC;
    ssize_t n;
    // If a peer ended without reading everything, the kernel reports that once, before it returns
    // the messages that the peer had sent.
    do {
        n = has_bytes_only(a, flags) ? recv(a->sock, msg, len, flags)
                                     : bytes_recv(a->sock, msg, len, flags);
    } while (n < 0 && (errno == EINTR || errno == ECONNRESET));
    return n;
}

bool cc_reports_nothing(struct doca_comm_channel_addr_t *a)
{
    if (a->ring.open && cc_ring_has_entries(&a->ring))
        return false;
    if (a->came > a->got || !a->came_count || a->ep->watched)
        return false;
    // Acquire: pairs with the sender's count, which may come a moment after the packet.
    a->came = atomic_load_explicit(a->came_count, memory_order_acquire);
    return a->came == a->got;
}

static void count(struct doca_comm_channel_addr_t *a, size_t len)
{
    a->now.recv_messages++;
    a->now.recv_bytes += len;
    // Our count is visible before we check whether the sender sleeps (see struct
    // channel_side). Both are sequentially consistent: a relaxed read may come before the store.
    atomic_store(&a->mine->received, a->now.recv_messages);
    if (__builtin_expect(atomic_load(&a->theirs->wants_room), 0)) {
        atomic_store(&a->theirs->wants_room, 0);
        cc_wake(a);
    }
}

static doca_error_t too_long(void)
{
    return failed(DOCA_ERROR_INVALID_VALUE,
                  "the message is longer than the buffer; receive it with a larger buffer");
}

static doca_error_t take_record(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    doca_error_t e = cc_ring_take(a, msg, len);

    if (__builtin_expect(e == DOCA_SUCCESS, 1))
        count(a, *len);
    else if (e == DOCA_ERROR_CONNECTION_RESET)
        cc_address_gone(a);
    return e == DOCA_ERROR_INVALID_VALUE ? too_long() : e;
}

static doca_error_t take_from_socket(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    ssize_t n;

    // A sender respects our maximum, so only a smaller buffer needs a check of the length
    // first.
    if (__builtin_expect(*len < a->ep->max_message, 0)) {
        n = take_packet(a, NULL, 0, MSG_PEEK);
        if (n > (ssize_t)*len && n <= a->ep->max_message)
            return too_long();
        // Its record may be too long as well. Then both stay.
        if (n == CHANNEL_WAKE_SIZE && a->ring.in && cc_ring_is_next(a))
            return take_record(a, msg, len);
    }
    n = take_packet(a, msg, *len, 0);
    a->got += n > 0;
    if (__builtin_expect(n == CC_PACKET_SIZE && a->ep->takes_packets, 0)) {
        *len = CC_PACKET_SIZE;
        return DOCA_SUCCESS;
    }
    if (__builtin_expect(n == CHANNEL_WAKE_SIZE && a->ring.in, 0))
        return cc_ring_is_next(a) ? take_record(a, msg, len) : DOCA_ERROR_AGAIN;
    if (n > 0 && (size_t)n <= *len) {
        count(a, (size_t)n);
        *len = (size_t)n;
        cc_ring_poll(a);
        return DOCA_SUCCESS;
    }
    if (n < 0 && errno != EBADMSG)
        return errno == EAGAIN ? DOCA_ERROR_AGAIN : failed(DOCA_ERROR_UNKNOWN, strerror(errno));
    // It has ended, or sends packets or descriptors that no library would send.
    cc_address_gone(a);
    return DOCA_ERROR_CONNECTION_RESET;
}

// The first record comes after packets, which have arrived: it was published after they had been
// sent.
static doca_error_t take_packet_before(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    uint64_t got = a->got;
    doca_error_t e = take_from_socket(a, msg, len);

    if (e != DOCA_ERROR_AGAIN || a->got != got)
        return e;
    cc_address_gone(a); // its position is wrong: do not wait for what will not come
    return DOCA_ERROR_CONNECTION_RESET;
}

// Messages of the ring and packets, in the order in which they were sent.
static doca_error_t take_in_order(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    // Polls once: a record that comes after it may come before a packet.
    if (cc_ring_has_entries(&a->ring))
        return cc_ring_is_next(a) ? take_record(a, msg, len) : take_packet_before(a, msg, len);
    // When the packet is visible, so are the records that were published before it.
    if (take_packet(a, NULL, 0, MSG_PEEK) < 0 && errno == EAGAIN) {
        cc_ring_emptied(a);
        return DOCA_ERROR_AGAIN;
    }
    return cc_ring_is_next(a) ? take_record(a, msg, len) : take_from_socket(a, msg, len);
}

static doca_error_t take_next(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    bool rings = a->ring.in && (a->ring.open || cc_ring_has_entries(&a->ring));
    return rings ? take_in_order(a, msg, len) : take_from_socket(a, msg, len);
}

doca_error_t cc_take(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    uint64_t got = a->got;
    doca_error_t e = take_next(a, msg, len);

    // Behind a wake-up packet there may be a message.
    if (__builtin_expect(e == DOCA_ERROR_AGAIN && a->got != got, 0))
        e = take_next(a, msg, len);
    return e;
}

// ---- clients --------------------------------------------------------------------------

static doca_error_t client_recv(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
                                struct doca_comm_channel_addr_t **peer_addr)
{
    if (list_empty(&ep->peers))
        return failed(DOCA_ERROR_NOT_CONNECTED, "the endpoint has no connection");
    struct doca_comm_channel_addr_t *a =
        list_entry(ep->peers.next, struct doca_comm_channel_addr_t, link);
    cc_address_open(a);
    if (cc_is_quiet(a))
        return DOCA_ERROR_AGAIN;
    doca_error_t e = a->gone ? DOCA_ERROR_CONNECTION_RESET : cc_take(a, msg, len);
    if (e == DOCA_SUCCESS)
        *peer_addr = a;
    else if (e == DOCA_ERROR_CONNECTION_RESET)
        failed(e, "the service has ended, or has closed the connection");
    return e;
}

// ---- services -------------------------------------------------------------------------

static void accept_pending(struct doca_comm_channel_ep_t *ep)
{
    while (!list_empty(&ep->pending))
        cc_service_accept(list_entry(ep->pending.next, struct doca_comm_channel_addr_t, link));
    if (!ep->watched || !ep->polled.n) // else it reports that there are records left
        cc_event_reset(ep->recv_now);
}

// A client has ended: AGAIN if it disconnected, or if this was reported already.
static doca_error_t client_left(struct doca_comm_channel_addr_t *a,
                                struct doca_comm_channel_addr_t **peer_addr)
{
    if (!a->lost)
        return DOCA_ERROR_AGAIN;
    a->lost = false;
    *peer_addr = a;
    return failed(DOCA_ERROR_CONNECTION_RESET, "a client has ended without disconnecting");
}

void cc_note_turn(struct doca_comm_channel_addr_t *a)
{
    struct doca_comm_channel_ep_t *ep = a->ep;

    if (a != ep->current) {
        cc_events_join(ep); // if that fails, it is polled when the others have nothing
        ep->current = a;
    } else if (ep->streak >= CC_STREAK_MAX) {
        cc_events_apart(a);
    }
    ep->streak = 0;
}

// Handles a ready descriptor: AGAIN if there was no message for the program.
static doca_error_t serve(struct doca_comm_channel_ep_t *ep, void *ready, void *msg, size_t *len,
                          struct doca_comm_channel_addr_t **peer_addr)
{
    struct errtext err;

    if (!ready && list_empty(&ep->pending))
        ready = cc_ring_left(ep);
    if (!ready || ready == ep) {
        doca_error_t e = ready ? cc_service_next(ep, &err) : DOCA_SUCCESS;
        accept_pending(ep);
        // If a connection could not be accepted, the log has the reason, and the client gets an
        // error, too. If docad has ended, the caller gets an error, unless there are still clients
        // to communicate with.
        bool caller_notified = e == DOCA_ERROR_CONNECTION_RESET && list_empty(&ep->peers);
        if (e != DOCA_SUCCESS && e != DOCA_ERROR_NOT_FOUND && !caller_notified)
            report("doca_comm_channel_ep_recvfrom", e, &err);
        return DOCA_ERROR_AGAIN;
    }
    struct doca_comm_channel_addr_t *a = ready;
    doca_error_t e = cc_take(a, msg, len);
    if (e == DOCA_SUCCESS) {
        cc_note_turn(a);
        *peer_addr = a;
    }
    return e == DOCA_ERROR_CONNECTION_RESET ? client_left(a, peer_addr) : e;
}

// Returns a client that needs no check of the set.
static doca_error_t receive_from(struct doca_comm_channel_addr_t *a, void *msg, size_t *len,
                                 struct doca_comm_channel_addr_t **peer_addr)
{
    doca_error_t e = cc_is_quiet(a) ? DOCA_ERROR_AGAIN : cc_take(a, msg, len);
    if (e == DOCA_SUCCESS)
        *peer_addr = a;
    return e == DOCA_ERROR_CONNECTION_RESET ? client_left(a, peer_addr) : e;
}

// A peer with a record in its ring is the current one.
static doca_error_t ask_rings(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
                              struct doca_comm_channel_addr_t **peer_addr)
{
    struct doca_comm_channel_addr_t *a = cc_ring_next(ep);

    if (!a)
        return DOCA_ERROR_AGAIN;
    doca_error_t e = receive_from(a, msg, len, peer_addr);
    if (e == DOCA_SUCCESS) {
        ep->current = a;
        ep->streak = 0;
    }
    return e;
}

static doca_error_t service_recv(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
                                 struct doca_comm_channel_addr_t **peer_addr)
{
    struct epoll_event event;

    if (!list_empty(&ep->pending)) // a snapshot has taken it already
        accept_pending(ep);
    bool asked = ep->current && ++ep->streak < CC_STREAK_MAX;
    if (asked) {
        doca_error_t e = receive_from(ep->current, msg, len, peer_addr);
        if (e != DOCA_ERROR_AGAIN)
            return e;
    }
    doca_error_t r = ask_rings(ep, msg, len, peer_addr);
    if (r != DOCA_ERROR_AGAIN)
        return r;
    // One at a time: the kernel returns ready descriptors round robin.
    for (unsigned checks = 0; checks < CHECKS_MAX; checks++) {
        if (epoll_wait(ep->recv_epoll, &event, 1, 0) != 1)
            break;
        doca_error_t e = serve(ep, event.data.ptr, msg, len, peer_addr);
        if (e != DOCA_ERROR_AGAIN)
            return e;
    }
    // The others have nothing: continues with the one that is not in the set.
    if (ep->apart && !(asked && ep->apart == ep->current)) {
        ep->streak = 0;
        doca_error_t e = receive_from(ep->apart, msg, len, peer_addr);
        if (e != DOCA_ERROR_AGAIN)
            return e;
    }
    r = ask_rings(ep, msg, len, peer_addr); // it was the turn of the sockets
    if (r != DOCA_ERROR_AGAIN)
        return r;
    if (ep->accept_sock < 0 && list_empty(&ep->peers))
        return failed(DOCA_ERROR_CONNECTION_RESET,
                      "docad has ended: no client can connect to the service any more");
    return DOCA_ERROR_AGAIN;
}

// The duration of a poll like the last one, which found nothing.
static uint32_t poll_ns(const struct doca_comm_channel_ep_t *ep)
{
    if (ep->role != CC_CLIENT || ep->watched || list_empty(&ep->peers))
        return CC_CALL_NS;
    const struct doca_comm_channel_addr_t *a =
        list_entry(ep->peers.next, struct doca_comm_channel_addr_t, link);
    return a->came == a->got ? CC_POLL_NS : CC_CALL_NS;
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr)
{
    if (!local_ep || !msg || !len || !peer_addr)
        return REFUSED_NULL(local_ep, msg, len, peer_addr);
    if (flags != DOCA_CC_MSG_FLAG_NONE)
        return failed(DOCA_ERROR_INVALID_VALUE, "unknown flags are set");
    if (*len == 0)
        return failed(DOCA_ERROR_INVALID_VALUE, "the buffer has no room");
    if (__builtin_expect(local_ep->role == CC_NONE, 0))
        return failed(DOCA_ERROR_NOT_CONNECTED, "the endpoint neither listens nor was connected");
    doca_error_t e = local_ep->role == CC_CLIENT ? client_recv(local_ep, msg, len, peer_addr)
                                                 : service_recv(local_ep, msg, len, peer_addr);
    if (e == DOCA_ERROR_AGAIN)
        idle_poll(&local_ep->receiving, poll_ns(local_ep));
    else
        idle_reset(&local_ep->receiving);
    return e;
}
