// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Our direction, and waking the other side: room, entries, and how far this side has come.

#include "quick.h"

#include <sys/socket.h>
#include <time.h>

bool rdma_has_entry(struct rdma_end *rdma)
{
    if (rdma->entered - rdma->taken < RDMA_ENTRIES)
        return true;
    // Acquire: the other side has read the entries that it reports as taken.
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_acquire);
    return rdma->entered - taken < RDMA_ENTRIES;
}

bool rdma_has_chunk(struct rdma_end *rdma)
{
    if (rdma->filled - rdma->emptied < RDMA_CHUNKS)
        return true;
    // Acquire: as for entries. An impossible number gives no room.
    uint32_t emptied = atomic_load_explicit(&rdma->tx->chunks_taken, memory_order_acquire);
    if (emptied - rdma->emptied > RDMA_CHUNKS)
        return false;
    rdma->emptied = emptied;
    return rdma->filled - emptied < RDMA_CHUNKS;
}

uint32_t rdma_enter(struct rdma_end *rdma, const struct rdma_message *message, const void *payload,
                    size_t size)
{
    return rdma_write_entry(rdma, *message, payload, size);
}

// ---- the other side's sleep -----------------------------------------------------------------

static void send_byte(struct rdma_end *rdma)
{
    ssize_t n = send(rdma->channel, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)n; // a full channel is readable already
}

__attribute__((noinline, cold)) void rdma_ring_sleeper(struct rdma_end *rdma)
{
    struct rdma_side *their = rdma->their;

    // Pairs with the fence in rdma_arm(): either we see that it is armed, or it sees what we
    // have published.
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&their->armed, memory_order_relaxed)) {
        atomic_store_explicit(&their->armed, 0, memory_order_relaxed);
        send_byte(rdma);
    }
}

void rdma_notify_here(struct rdma_end *rdma)
{
    uint32_t awaited = RDMA_AWAITED;

    // The work queue's thread may have reported an end already. The exchange makes earlier stores
    // of this program visible first. Like every publication it is followed by rdma_ring(), which
    // has a fence.
    atomic_compare_exchange_strong(&rdma->own->stage, &awaited, RDMA_HERE);
    rdma_ring(rdma);
}

// Where the kernel has no membarrier(2), this waits for the other side's store to become visible;
// no memory model guarantees that.
void rdma_pass_barrier(void)
{
    activity_barrier();
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

// The other side reads this flag without a fence after its latest publication. So membarrier(2)
// runs for all processes of docad now: either it sees the flag, or we see what it has published
// before (tests/models/mode.pml).
void rdma_show_mode(struct rdma_end *rdma, bool event_driven)
{
    rdma->rings_us = event_driven;
    atomic_store(&rdma->own->event_driven, event_driven);
    if (event_driven)
        rdma_pass_barrier();
}

void rdma_notify_end(struct rdma_end *rdma, enum rdma_stage why)
{
    // Release: the messages that we have taken are counted before.
    atomic_store_explicit(&rdma->own->stage, why, memory_order_release);
    send_byte(rdma);
}
