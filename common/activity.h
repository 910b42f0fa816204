// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Activity: a page in which the threads of a client publish which imports they are using, so that a
// revocation can wait for copies in progress.
//
// A thread names the import, then reads its state, then copies; docad writes the state,
// then reads the names. With a full barrier between the two steps on both sides, either
// the thread sees that the import has ended, or docad sees that the thread is using it. A
// barrier for each copy would cost more than a small copy does, so docad issues both
// barriers if the kernel allows it: membarrier(2) makes every running thread of a
// registered process pass one. Otherwise the client issues its own barrier.
//
// The client writes the page: wrong content harms only that client, and docad waits for it only for
// a limited time.
//
// Numbers are in the machine's byte order: only processes of one machine map the page.
// tests/models/activity.pml has these steps and shows what goes wrong without each of the barriers.

#ifndef COMMON_ACTIVITY_H
#define COMMON_ACTIVITY_H

#include "work_stats.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// One slot for each work queue, or engine, of a session that has contexts. The first ones suffice
// for most programs. The others are at the end of the page, and those that are never used cost no
// memory; pages of older releases have none of them.
#define ACTIVITY_FIRST_SLOTS 255u
#define ACTIVITY_SLOTS       (ACTIVITY_FIRST_SLOTS + 3904u) // more than a process has contexts of 2.2

struct activity_slot {
    _Alignas(64) _Atomic uint64_t imports[2]; // source and destination, 0: none
    uint32_t own_barrier;                     // for the client only: docad issues none
};

struct activity {
    struct activity_slot slots[ACTIVITY_FIRST_SLOTS];
    _Alignas(
        64) uint32_t barriers; // set by docad before the client gets the page: docad issues them
    // How many of the following slots were ever used: docad reads no others, because that would
    // allocate memory for their pages.
    _Atomic uint32_t places;
    struct work_stats stats[WORK_STATS_PLACES];
    // How many of the slots in `more` were ever used: docad reads no others.
    _Alignas(64) _Atomic uint32_t more_used;
    uint32_t reserved[63];
    struct activity_slot more[ACTIVITY_SLOTS - ACTIVITY_FIRST_SLOTS];
};

#define ACTIVITY_SIZE_FIRST offsetof(struct activity, more) // of pages of older releases

_Static_assert(sizeof(struct activity_slot) == 64, "a cache line");
_Static_assert(offsetof(struct activity, barriers) == 16320 &&
                   offsetof(struct activity, places) == 16324 &&
                   offsetof(struct activity, stats) == 16384,
               "slots, then what docad writes, then counts");
_Static_assert(ACTIVITY_SIZE_FIRST == 81920 && sizeof(struct activity) % 4096 == 0, "whole pages");

static inline struct activity_slot *activity_slot_at(struct activity *activity, size_t i)
{
    return i < ACTIVITY_FIRST_SLOTS ? &activity->slots[i]
                                    : &activity->more[i - ACTIVITY_FIRST_SLOTS];
}

// ---- client ---------------------------------------------------------------------

// Registers this process for membarrier(2). Returns false: it must issue its own barriers.
static inline bool activity_register(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

// Before the states of the imports are read. Either id may be 0.
static inline void activity_enter(struct activity_slot *slot, uint64_t source, uint64_t destination)
{
    atomic_store_explicit(&slot->imports[0], source, memory_order_relaxed);
    atomic_store_explicit(&slot->imports[1], destination, memory_order_relaxed);
    // Pairs with activity_barrier().
    // The names may be relaxed: a barrier of either kind comes between them and the read of the
    // state, which is an acquire, so that the copy does not begin before it.
    if (__builtin_expect(slot->own_barrier, 0))
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst); // the compiler keeps the order
}

// Called after the last byte. Release: a thread that sees the slot empty sees the end of the copy.
static inline void activity_leave(struct activity_slot *slot)
{
    atomic_store_explicit(&slot->imports[0], 0, memory_order_release);
    atomic_store_explicit(&slot->imports[1], 0, memory_order_release);
}

// ---- docad -----------------------------------------------------------------------

// Returns whether docad can issue the barriers of others.
static inline bool activity_barriers_work(void)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

// Called between writing a state and reading the names of the import in use.
static inline void activity_barrier(void)
{
    atomic_thread_fence(memory_order_seq_cst); // for clients that issue their own
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static inline bool activity_names(const struct activity_slot *slot, uint64_t import)
{
    // Acquire: pairs with activity_leave().
    return atomic_load_explicit(&slot->imports[0], memory_order_acquire) == import ||
           atomic_load_explicit(&slot->imports[1], memory_order_acquire) == import;
}

#endif
