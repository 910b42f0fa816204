// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages by the rings of a channel. What the other side writes is read once and checked; a lie
// ends this channel or costs its own messages.

#include "comm_channel.h"

#include "core/refused.h"

#include <poll.h>
#include <string.h>

#define RING CHANNEL_RING_SIZE

_Static_assert((RING & (RING - 1)) == 0, "offsets are counts of bytes, cut off");

static size_t record_size(uint32_t length)
{
    size_t each = sizeof(struct channel_record);
    return each + (length + each - 1) / each * each;
}

// ---- the two rings of a channel -----------------------------------------------------------------

void cc_ring_open(struct doca_comm_channel_addr_t *a, uint8_t *file)
{
    unsigned mine = a->ep->role == CC_SERVICE ? CHANNEL_SERVICE : CHANNEL_CLIENT;
    uint8_t *bytes = file + CHANNEL_PAGE_SIZE;

    a->ring = (struct cc_ring){
        .out = &a->page->ring[mine],
        .in = &a->page->ring[!mine],
        .out_bytes = bytes + mine * RING,
        .in_bytes = bytes + !mine * RING,
        .free_until = RING,
    };
}

static void leave_polled(struct doca_comm_channel_addr_t *a)
{
    struct cc_polled *polled = &a->ep->polled;

    if (!a->ring.open)
        return;
    for (unsigned i = 0; i < polled->n; i++)
        if (polled->of[i] == a)
            polled->of[i] = polled->of[--polled->n];
    polled->next = 0;
    a->ring.open = false;
    // No records are left. Whether a connection waits may be reported, too.
    if (a->ep->watched && !polled->n && list_empty(&a->ep->pending))
        cc_event_reset(a->ep->recv_now);
}

void cc_ring_close(struct doca_comm_channel_addr_t *a)
{
    leave_polled(a);
    a->ring = (struct cc_ring){0};
}

// ---- the sender's side --------------------------------------------------------------------------

static bool see_room(struct cc_ring *r, uint64_t end)
{
    // Acquire: pairs with the receiver's count, which is stored after its last read of the bytes.
    uint64_t taken = atomic_load_explicit(&r->out->taken, memory_order_acquire);

    r->free_until = taken + RING; // a peer with wrong values loses its own messages
    return end <= r->free_until;
}

static void write_record(struct cc_ring *r, uint32_t length, uint32_t after)
{
    struct channel_record record = {length, after};
    memcpy(r->out_bytes + r->put % RING, &record, sizeof(record));
}

enum cc_ring_put cc_ring_put(struct doca_comm_channel_addr_t *a, const void *msg, size_t len)
{
    struct cc_ring *r = &a->ring;

    size_t size = record_size((uint32_t)len), rest = RING - r->put % RING;
    uint64_t skip = rest < size ? rest : 0, end = r->put + skip + size;
    if (end > r->free_until && !see_room(r, end))
        return CC_RING_FULL;
    if (skip) {
        write_record(r, CHANNEL_RECORD_SKIP, (uint32_t)a->put);
        r->put += skip;
    }
    write_record(r, (uint32_t)len, (uint32_t)a->put);
    memcpy(r->out_bytes + r->put % RING + sizeof(struct channel_record), msg, len);
    r->put = end;
    // Both are sequentially consistent, see struct channel_ring.
    atomic_store(&r->out->put, end);
    return __builtin_expect(atomic_load(&r->out->polled) != 0, 1) ? CC_RING_PUT : CC_RING_UNSEEN;
}

// ---- polled peers
// ------------------------------------------------------------------------------

// Asks the kernel: the peer's count may be wrong, and would keep its place forever.
static bool has_packets(const struct doca_comm_channel_addr_t *a)
{
    struct pollfd p = {.fd = a->sock, .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

// Returns false: there are records left, which are taken first; or packets, which may have filled
// the socket, so that a wake-up packet would find no room.
static bool stop_polling(struct doca_comm_channel_addr_t *a)
{
    a->ring.polled = false;
    atomic_store(&a->ring.in->polled, 0);
    if (cc_ring_has_entries(&a->ring) || has_packets(a))
        return false;
    leave_polled(a);
    return true;
}

static void start_polling(struct doca_comm_channel_addr_t *a)
{
    a->ring.polled = a->ring.open = true;
    atomic_store_explicit(&a->ring.in->polled, 1, memory_order_relaxed);
}

// Frees the place of a peer that has published nothing since a place was last searched for.
static bool free_a_place(struct cc_polled *polled)
{
    for (unsigned i = 0; i < CC_POLLED_MAX; i++) {
        struct doca_comm_channel_addr_t *a = polled->of[i];
        if (!a->ring.used && stop_polling(a))
            return true;
        if (!a->ring.used)
            start_polling(a);
        a->ring.used = false;
    }
    return false;
}

void cc_ring_poll(struct doca_comm_channel_addr_t *a)
{
    struct cc_polled *polled = &a->ep->polled;
    struct cc_ring *r = &a->ring;

    if (!r->in || r->polled || a->ep->watched)
        return;
    if (polled->n == CC_POLLED_MAX &&
        (++r->packets % CC_PACKETS_FOR_A_PLACE || !free_a_place(polled)))
        return;
    r->packets = 0;
    r->used = true;
    polled->of[polled->n++] = a;
    start_polling(a);
}

void cc_ring_emptied(struct doca_comm_channel_addr_t *a)
{
    if (!a->ring.polled)
        leave_polled(a);
}

void cc_ring_poll_none(struct doca_comm_channel_ep_t *ep)
{
    bool left = false;

    for (unsigned i = ep->polled.n; i > 0; i--)
        left = !stop_polling(ep->polled.of[i - 1]) || left;
    if (left)
        cc_event_set(ep->recv_now);
}

struct doca_comm_channel_addr_t *cc_ring_left(const struct doca_comm_channel_ep_t *ep)
{
    return ep->watched && ep->polled.n ? ep->polled.of[0] : NULL;
}

struct doca_comm_channel_addr_t *cc_ring_next(struct doca_comm_channel_ep_t *ep)
{
    struct cc_polled *polled = &ep->polled;

    for (unsigned i = 0; i < polled->n && polled->turns < CC_RING_TURNS; i++) {
        struct doca_comm_channel_addr_t *a = polled->of[polled->next];
        if (++polled->next >= polled->n)
            polled->next = 0;
        if (cc_ring_has_entries(&a->ring)) {
            polled->turns++;
            return a;
        }
    }
    polled->turns = 0;
    return NULL;
}

// ---- the receiver's side ------------------------------------------------------------------------

static struct channel_record read_record(const struct cc_ring *r)
{
    struct channel_record record;
    memcpy(&record, r->in_bytes + r->taken % RING, sizeof(record));
    // The bytes that are checked are those that are used, whatever the other side writes.
    __asm__ volatile("" : "+m"(record));
    return record;
}

bool cc_ring_is_next(struct doca_comm_channel_addr_t *a)
{
    struct cc_ring *r = &a->ring;

    if (!cc_ring_has_entries(r))
        return false;
    return (int32_t)(read_record(r).after - (uint32_t)a->got) <= 0;
}

doca_error_t cc_ring_take(struct doca_comm_channel_addr_t *a, void *msg, size_t *len)
{
    struct cc_ring *r = &a->ring;

    struct channel_record record = read_record(r);
    if (record.length == CHANNEL_RECORD_SKIP) {
        r->taken += RING - r->taken % RING;
        record = read_record(r); // they come together
    }
    if (record.length == 0 || record.length > CHANNEL_MESSAGE_MAX)
        return DOCA_ERROR_CONNECTION_RESET;
    uint64_t size = record_size(record.length), there = r->came - r->taken;
    if (size > there || there > RING || size > RING - r->taken % RING)
        return DOCA_ERROR_CONNECTION_RESET;
    if (record.length > *len)
        return record.length > a->ep->max_message ? DOCA_ERROR_CONNECTION_RESET
                                                  : DOCA_ERROR_INVALID_VALUE;
    memcpy(msg, r->in_bytes + r->taken % RING + sizeof(record), record.length);
    *len = record.length;
    r->taken += size;
    r->used = true;
    atomic_store_explicit(&r->in->taken, r->taken, memory_order_release);
    return DOCA_SUCCESS;
}
