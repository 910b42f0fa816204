// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ring of a thread, as the thread writes it.

#ifndef WORKBENCH_RING_H
#define WORKBENCH_RING_H

#include "session.h"

// Returns where the next record of `size` bytes goes. It waits for room; NULL, and the record is
// counted as lost, if the writer is stuck.
struct record *ring_reserve_slowly(struct slot *slot, uint32_t size);

static inline struct record *ring_reserve(struct slot *slot, uint32_t size)
{
    uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed);
    uint32_t bytes = slot->ring_bytes, at = (uint32_t)head & (bytes - 1);
    if (size > bytes - at || head + size - slot->tail_seen > bytes)
        return ring_reserve_slowly(slot, size);
    return (struct record *)(slot->ring + at);
}

#define RING_AHEAD 512 // bytes: a few records

// Fetches the memory of a record that is to come: the writer, on another CPU, has read it last.
static inline void ring_prefetch(struct slot *slot, uint64_t head)
{
    const uint8_t *at = slot->ring + ((head + RING_AHEAD) & (slot->ring_bytes - 1));
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*at)); // of no effect on processors that do not have it
#else
    __builtin_prefetch(at, 1);
#endif
}

// The record is complete.
static inline void ring_publish(struct slot *slot, uint32_t size)
{
    uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed) + size;
    atomic_store_explicit(&slot->head, head, memory_order_release);
    ring_prefetch(slot, head);
    ring_prefetch(slot, head + 64);
    if ((head & (slot->ring_bytes / 2 - 1)) < size)
        session_ring();
}

// Puts the last record, to which no more calls are added, into the ring.
void ring_put_last(struct slot *slot);

#endif
