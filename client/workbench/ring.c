// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ring.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define YIELDS   64         // before a thread sleeps that waits for room
#define STUCK_NS 5000000000 // a writer that makes no room for longer is stuck: records are lost

// Waits a moment for the writer. Returns false: it has made no room for too long.
static bool wait_for_writer(unsigned turn, uint64_t *since)
{
    if (turn == 0) {
        *since = clock_of_kernel();
        session_ring();
    }
    if (turn < YIELDS) {
        sched_yield();
        return true;
    }
    const struct timespec pause = {.tv_nsec = 50000};
    nanosleep(&pause, NULL);
    return clock_of_kernel() - *since < STUCK_NS;
}

struct record *ring_reserve_slowly(struct slot *slot, uint32_t size)
{
    const uint32_t bytes = slot->ring_bytes;
    uint64_t since = 0;
    for (unsigned turn = 0;; turn++) {
        uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed);
        slot->tail_seen = atomic_load_explicit(&slot->tail, memory_order_acquire);
        uint64_t used = head - slot->tail_seen;
        uint32_t at = (uint32_t)(head % bytes);
        uint32_t to_end = bytes - at;
        if (used + (size <= to_end ? size : size + to_end) <= bytes) {
            if (size <= to_end)
                return (struct record *)(slot->ring + at);
            struct record *padding = (struct record *)(slot->ring + at);
            padding->size = to_end;
            padding->kind = RECORD_PADDING;
            atomic_store_explicit(&slot->head, head + to_end, memory_order_release);
        } else if (slot->lost || !wait_for_writer(turn, &since)) {
            slot->lost++; // no call waits again for a writer that was stuck
            return NULL;
        }
    }
}

void ring_put_last(struct slot *slot)
{
    uint32_t size = slot_last(slot)->size;
    if (!size)
        return;
    struct record *record = ring_reserve(slot, size);
    if (record) {
        memcpy(record, slot_last(slot), size);
        ring_publish(slot, size);
    }
    slot_last(slot)->size = 0;
}
