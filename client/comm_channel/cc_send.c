// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sending: a record in the ring of a peer that polls, or one system call for a message.

#include "comm_channel.h"

#include "core/refused.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define failed(code, why) report_why("doca_comm_channel_ep_sendto", code, why)

static doca_error_t no_room(struct doca_comm_channel_addr_t *a, uint64_t taken)
{
    a->blocked = true;
    a->taken = taken;
    idle_poll(&a->ep->sending, CC_CALL_NS);
    return DOCA_ERROR_AGAIN; // programs expect this: no log
}

static bool is_full(const struct doca_comm_channel_addr_t *a, uint64_t taken)
{
    // A count above the number sent is wrong and lets the sender run into the kernel's limit.
    return a->now.send_messages - taken >= a->window && taken <= a->now.send_messages;
}

static uint64_t read_taken(struct doca_comm_channel_addr_t *a)
{
    // Acquire: pairs with the receiver's count.
    uint64_t taken = atomic_load_explicit(&a->theirs->received, memory_order_acquire);
    if (taken <= a->now.send_messages)
        a->seen = taken;
    return taken;
}

static ssize_t put_packet(struct doca_comm_channel_addr_t *a, const void *msg, size_t len)
{
    ssize_t n;
    do {
        n = send(a->sock, msg, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    // Release: a peer that sees the count finds the packet in the socket.
    if (__builtin_expect(n >= 0, 1))
        atomic_store_explicit(a->put_count, ++a->put, memory_order_release);
    return n;
}

static doca_error_t peer_ended(const char **why)
{
    *why = "the peer has ended";
    return DOCA_ERROR_CONNECTION_RESET;
}

// Records for a peer that has ended are never taken. So the sender asks the kernel whether the peer
// is alive as often as a receiver does. After that there are only packets, each of which fails.
static bool is_there(struct doca_comm_channel_addr_t *a)
{
    if (atomic_load_explicit(&a->theirs->state, memory_order_relaxed) == CHANNEL_CLOSED)
        return false;
    if (!cc_tick(&a->ring.asked_ms) || !cc_address_hung_up(a))
        return true;
    a->ring.out = NULL;
    return false;
}

// Wakes a peer that does not poll its ring any more. If the kernel has no memory for that, the next
// packet does.
static void send_wake_up(struct doca_comm_channel_addr_t *a)
{
    static const uint8_t bytes[CHANNEL_WAKE_SIZE];
    put_packet(a, bytes, sizeof(bytes));
}

// Returns false: a packet may go.
static bool put_record(struct doca_comm_channel_addr_t *a, const void *msg, size_t len)
{
    if (!cc_ring_is_polled(&a->ring) || !is_there(a))
        return false;
    enum cc_ring_put put = cc_ring_put(a, msg, len);
    if (__builtin_expect(put == CC_RING_UNSEEN, 0))
        send_wake_up(a);
    return put != CC_RING_FULL;
}

doca_error_t cc_put_receiving(struct doca_comm_channel_addr_t *a, const void *msg, size_t len,
                              const char **why)
{
    // The receiver writes its count for each message: we read it once a window.
    uint64_t taken = a->seen;
    if (is_full(a, taken)) {
        taken = read_taken(a);
        if (is_full(a, taken))
            return no_room(a, taken);
    }
    ssize_t n = put_record(a, msg, len) ? (ssize_t)len : put_packet(a, msg, len);
    if (n < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
        // Arming compares with the count from before the failed try, and no older one.
        taken = read_taken(a);
        n = put_packet(a, msg, len);
    }
    if (__builtin_expect(n >= 0, 1)) {
        a->blocked = false;
        a->now.send_messages++;
        a->now.send_bytes += len;
        idle_reset(&a->ep->sending);
        return DOCA_SUCCESS;
    }
    switch (errno) {
    case EAGAIN:
    case ENOBUFS:
        return no_room(a, taken);
    case ECONNRESET:
    case EPIPE:
        return peer_ended(why);
    default:
        *why = strerror(errno);
        return DOCA_ERROR_UNKNOWN;
    }
}

doca_error_t cc_put(struct doca_comm_channel_addr_t *a, const void *msg, size_t len,
                    const char **why)
{
    doca_error_t e = cc_put_receiving(a, msg, len, why);
    // The count of a peer that has ended is not continued.
    if (e == DOCA_ERROR_AGAIN && is_full(a, a->seen) && cc_address_hung_up(a))
        return peer_ended(why);
    return e;
}

bool cc_put_packet(struct doca_comm_channel_addr_t *a, const uint8_t packet[CC_PACKET_SIZE])
{
    return put_packet(a, packet, CC_PACKET_SIZE) >= 0;
}

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr)
{
    const char *why = "";

    if (!local_ep || !msg)
        return REFUSED_NULL(local_ep, msg);
    if (!peer_addr)
        return failed(DOCA_ERROR_NOT_CONNECTED, "the peer's address is NULL");
    if (peer_addr->ep != local_ep)
        return failed(DOCA_ERROR_NOT_CONNECTED,
                      "the address does not belong to a peer of this endpoint");
    if (flags != DOCA_CC_MSG_FLAG_NONE)
        return failed(DOCA_ERROR_INVALID_VALUE, "unknown flags are set");
    if (len == 0 || len > local_ep->max_message)
        return failed(DOCA_ERROR_INVALID_VALUE, "the length must be 1 to the endpoint's maximum");
    if (len > peer_addr->peer_max_message)
        return failed(DOCA_ERROR_INVALID_VALUE,
                      "the message is longer than the maximum that the peer has set");
    if (peer_addr->gone)
        return failed(DOCA_ERROR_CONNECTION_RESET, "the peer has ended");
    if (__builtin_expect(!peer_addr->open, 0) && !cc_address_open(peer_addr)) {
        if (cc_address_hung_up(peer_addr))
            return failed(DOCA_ERROR_CONNECTION_RESET, "the service has ended");
        return no_room(peer_addr, 0);
    }
    doca_error_t e = cc_put(peer_addr, msg, len, &why);
    return __builtin_expect(e == DOCA_SUCCESS || e == DOCA_ERROR_AGAIN, 1) ? e : failed(e, why);
}
