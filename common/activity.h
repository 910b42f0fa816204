// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Activity: a page through which a client tells docad which imports its threads are
// touching right now, so that a revocation can wait for the copies under way.
//
// A thread names the import, then reads its state, then copies; docad writes the state,
// then reads the names. With a full fence between the two steps on both sides, either
// the thread sees that the import has ended, or docad sees that the thread is at it.
// The page is the client's to write: a client that lies keeps itself from nothing, and
// docad waits for it only so long.

#ifndef COMMON_ACTIVITY_H
#define COMMON_ACTIVITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACTIVITY_SLOTS 255 // threads with a work queue, of one session

struct activity_slot {
    _Alignas(64) _Atomic uint64_t imports[2]; // source and destination, 0: none
};

struct activity {
    struct activity_slot slots[ACTIVITY_SLOTS + 1]; // the last one is never used
};

_Static_assert(sizeof(struct activity) == 16384, "whole pages");

// ---- client ---------------------------------------------------------------------

// Before the states of the imports are read. Either id may be 0.
static inline void activity_enter(struct activity_slot *slot, uint64_t source, uint64_t destination)
{
    atomic_store_explicit(&slot->imports[0], source, memory_order_relaxed);
    atomic_store_explicit(&slot->imports[1], destination, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the one in activity_busy()
}

// After the last byte. Release: the copy is over for whoever sees that we left.
static inline void activity_leave(struct activity_slot *slot)
{
    atomic_store_explicit(&slot->imports[0], 0, memory_order_release);
    atomic_store_explicit(&slot->imports[1], 0, memory_order_release);
}

// ---- docad -----------------------------------------------------------------------

// After the import's state was written: is a thread of this session still at it?
static inline bool activity_busy(const struct activity *activity, uint64_t import)
{
    atomic_thread_fence(memory_order_seq_cst); // our write of the state comes first
    for (size_t i = 0; i < ACTIVITY_SLOTS; i++)
        for (size_t k = 0; k < 2; k++)
            if (atomic_load_explicit(&activity->slots[i].imports[k], memory_order_acquire) ==
                import)
                return true;
    return false;
}

#endif
