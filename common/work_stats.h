// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The counts of a work queue's context, on the client's activity page: docad does not see most
// jobs. One thread writes a slot, with plain stores; docad only reads it to show it, and does not
// trust it.

#ifndef COMMON_WORK_STATS_H
#define COMMON_WORK_STATS_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define WORK_STATS_PLACES 255
#define WORK_STATS_ERRORS 52

enum work_library {
    WORK_LIBRARY_NONE, // the slot was never used
    WORK_LIBRARY_DMA,
    WORK_LIBRARY_SHA,
    WORK_LIBRARY_RDMA,
    WORK_LIBRARY_SYNC_EVENT,
    WORK_LIBRARY_GRAPH,
    WORK_LIBRARY_OTHER, // one that docad has no number for; an older docad counts newer libraries
                        // here
    WORK_LIBRARY_AES_GCM,
    WORK_LIBRARY_COMPRESS,
    WORK_LIBRARY_ERASURE_CODING,
    WORK_LIBRARY_COMCH,
    WORK_LIBRARY_MMAP_ADVISE,
    WORK_LIBRARIES,
};

struct work_stats {
    _Alignas(64) _Atomic uint32_t library; // stays with the slot, whose counts continue
    _Atomic uint32_t in_use;
    _Atomic uint32_t depth, in_flight;
    _Atomic uint64_t jobs; // jobs that have ended, with success or failure
    _Atomic uint64_t mapped_bytes, engine_bytes;
    _Atomic uint64_t reserved;
    _Atomic uint32_t errors[WORK_STATS_ERRORS]; // by doca_error_t; others are the first
};

_Static_assert(sizeof(struct work_stats) == 256, "the first cache line is what jobs touch");

static inline const char *work_library_name(uint32_t library)
{
    static const char *const names[WORK_LIBRARIES] = {
        "none",  "dma",     "sha",      "rdma",           "sync_event", "graph",
        "other", "aes_gcm", "compress", "erasure_coding", "comch",      "mmap_advise"};
    return names[library < WORK_LIBRARIES ? library : WORK_LIBRARY_OTHER];
}

// ---- client: the thread that the place belongs to --------------------------------

#define WORK_STATS_READ(field)         atomic_load_explicit(&(field), memory_order_relaxed)
#define WORK_STATS_WRITE(field, value) atomic_store_explicit(&(field), value, memory_order_relaxed)

// Not an atomic addition: no other thread adds.
#define WORK_STATS_ADD(field, value) WORK_STATS_WRITE(field, WORK_STATS_READ(field) + (value))

static inline void work_stats_error(struct work_stats *stats, uint32_t error)
{
    _Atomic uint32_t *count = &stats->errors[error < WORK_STATS_ERRORS ? error : 0];
    WORK_STATS_ADD(*count, 1);
}

#endif
