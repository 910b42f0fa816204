// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The rings of a channel: messages between two processes that poll, without the kernel.
//
// A receiver that polls sets a flag in the page, and its peer puts messages into the ring; one that
// waits for its descriptors clears the flag and gets packets, which wake it. So a channel has both,
// in one order: a record names the packets before it, and when a packet arrives, the records before
// it are in the ring.

#ifndef CLIENT_COMM_CHANNEL_CC_RING_H
#define CLIENT_COMM_CHANNEL_CC_RING_H

#include "channel_page.h"

#include <doca_error.h>
#include <stdbool.h>

struct doca_comm_channel_addr_t;
struct doca_comm_channel_ep_t;

// The ring state of one peer. All 0: the channel has no rings.
struct cc_ring {
    struct channel_ring *out, *in; // out is NULL, too, when the peer has ended
    uint8_t *out_bytes;
    const uint8_t *in_bytes;
    uint64_t put, free_until; // bytes: that we have published; that may be published by the last
                              // read of the count
    uint64_t taken, came;     // that we have taken; that had come by the last read
    uint64_t asked_ms;        // when the kernel was last asked whether the peer is alive
    unsigned packets;         // messages that came by the socket since its ring is not polled
    bool used;                // a record came since the last search for a ring that is idle
    bool polled;              // the page says that we poll
    bool open;                // we poll it, or it may have records from the time when we did
};

// Peers of an endpoint whose rings are read in each poll. The messages of the others are packets; a
// peer that sends this many of them replaces one that sends nothing.
#define CC_POLLED_MAX          8u
#define CC_PACKETS_FOR_A_PLACE 16u
// Messages out of rings in a row, until the sockets are polled.
#define CC_RING_TURNS 8u

struct cc_polled {
    struct doca_comm_channel_addr_t *of[CC_POLLED_MAX];
    unsigned n, next, turns;
};

// `file` is the channel's, mapped in full.
void cc_ring_open(struct doca_comm_channel_addr_t *address, uint8_t *file);
// Accepts one without rings as well.
void cc_ring_close(struct doca_comm_channel_addr_t *address);

// ---- the sender's side --------------------------------------------------------------------------

// Returns whether the peer polls: it takes records.
static inline bool cc_ring_is_polled(const struct cc_ring *ring)
{
    return ring->out && atomic_load_explicit(&ring->out->polled, memory_order_relaxed);
}

enum cc_ring_put {
    CC_RING_PUT,
    CC_RING_UNSEEN, // put, but the peer has ceased to poll: it is to be woken
    CC_RING_FULL,   // not put
};

enum cc_ring_put cc_ring_put(struct doca_comm_channel_addr_t *address, const void *msg, size_t len);

// ---- the receiver's side ------------------------------------------------------------------------

// From now on each poll reads this peer's ring, if it has one and the set has a free slot.
void cc_ring_poll(struct doca_comm_channel_addr_t *address);

// Called when the program is going to wait: clears the poll flag for all peers. What is in their
// rings makes the endpoint readable until it is taken.
void cc_ring_poll_none(struct doca_comm_channel_ep_t *ep);

// Returns a peer that may be the reason for that, NULL if there is none. It stops being the reason
// when cc_take() finds nothing.
struct doca_comm_channel_addr_t *cc_ring_left(const struct doca_comm_channel_ep_t *ep);

// Returns whether records wait to be taken, perhaps after packets.
static inline bool cc_ring_has_entries(struct cc_ring *ring)
{
    // Acquires the records. Sequentially consistent for cc_ring_poll_none().
    if (ring->came == ring->taken)
        ring->came = atomic_load(&ring->in->put);
    return ring->came != ring->taken;
}

// Returns whether the first record comes before the next packet.
bool cc_ring_is_next(struct doca_comm_channel_addr_t *address);

// Takes the first record, which is next. INVALID_VALUE: it is longer than *len, and stays.
// CONNECTION_RESET: the record is invalid.
doca_error_t cc_ring_take(struct doca_comm_channel_addr_t *address, void *msg, size_t *len);

// Ring and socket are empty: if we stop polling, the next record comes with a wake-up packet.
void cc_ring_emptied(struct doca_comm_channel_addr_t *address);

// Returns a peer whose ring has a record, round robin. NULL: none, or it is the turn of the
// sockets.
struct doca_comm_channel_addr_t *cc_ring_next(struct doca_comm_channel_ep_t *ep);

#endif
