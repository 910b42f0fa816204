// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The table of `compare`. Hot rows copy the same bytes again and again, cold ones walk
// over more memory than caches hold; either side of a row does the same.

#include "rows.h"

#define KIB 1024u
#define MIB (1024u * 1024u)

#define LOCAL_64(title, batch_of, over)                                                            \
    {                                                                                              \
        .name = title, .unit = "ns", .against = "memcpy", .method = &method_copy,                  \
        .kind = GOAL_OVER_MAX, .goal = (over), .node = NODE_HOST, .size = 64, .batch = (batch_of), \
    }

#define IMPORT(title, bytes, walk, jobs, at_least)                                                 \
    {                                                                                              \
        .name = title, .unit = "GiB/s", .against = "memcpy", .method = &method_copy,               \
        .kind = GOAL_RATIO_MIN, .goal = (at_least), .path = PATH_IMPORT, .node = NODE_DPU,         \
        .size = (bytes), .footprint = (walk), .batch = (jobs), .rate = true,                       \
    }

#define COMMON_ROWS(cold, large)                                                                   \
    LOCAL_64("local DMA, 64 B, batch of 32", 32, 25),                                              \
        LOCAL_64("local DMA, 64 B, one at a time", 1, 60),                                         \
        IMPORT("imported DMA, 4 KiB, hot", 4 * KIB, 0, 2, 0.97),                                   \
        IMPORT("imported DMA, 4 KiB, cold", 4 * KIB, cold, 2, 0.97),                               \
        IMPORT("imported DMA, 64 KiB, hot", 64 * KIB, 0, 2, 0.97),                                 \
        IMPORT("imported DMA, 64 KiB, cold", 64 * KIB, cold, 2, 0.97),                             \
        IMPORT("imported DMA, 1 MiB, hot", MIB, 0, 2, 0.97),                                       \
        IMPORT("imported DMA, 1 MiB, cold", MIB, cold, 2, 0.97),                                   \
        IMPORT("imported DMA, 16 MiB", 16 * MIB, large, 1, 1.25),                                  \
        IMPORT("imported DMA, 64 MiB", 64 * MIB, large, 1, 1.25),                                  \
        {                                                                                          \
            .name = "imported DMA, 1 MiB of malloc",                                               \
            .unit = "GiB/s",                                                                       \
            .against = "memcpy",                                                                   \
            .method = &method_copy,                                                                \
            .kind = GOAL_RATIO_MIN,                                                                \
            .goal = 0.9,                                                                           \
            .path = PATH_IMPORT,                                                                   \
            .node = NODE_DPU,                                                                      \
            .memory = MEMORY_UNALIGNED,                                                            \
            .size = MIB,                                                                           \
            .batch = 2,                                                                            \
            .rate = true,                                                                          \
        },                                                                                         \
        {                                                                                          \
            .name = "brokered copy, 6 B, busy engine",                                             \
            .unit = "ns",                                                                          \
            .against = "process_vm_readv",                                                         \
            .method = &method_busy,                                                                \
            .kind = GOAL_OURS_MAX,                                                                 \
            .goal = 5000,                                                                          \
            .path = PATH_IMPORT,                                                                   \
            .node = NODE_DPU,                                                                      \
            .memory = MEMORY_TINY,                                                                 \
            .size = TINY_SIZE,                                                                     \
            .batch = 1,                                                                            \
        },                                                                                         \
        {                                                                                          \
            .name = "brokered copy, 6 B, sleeping engine",                                         \
            .unit = "ns",                                                                          \
            .against = "eventfd wake-up, seen",                                                    \
            .method = &method_asleep,                                                              \
            .kind = GOAL_OURS_MAX,                                                                 \
            .goal = 30000,                                                                         \
            .path = PATH_IMPORT,                                                                   \
            .node = NODE_DPU,                                                                      \
            .memory = MEMORY_TINY,                                                                 \
            .size = TINY_SIZE,                                                                     \
            .batch = 1,                                                                            \
        },                                                                                         \
        {                                                                                          \
            .name = "buffer get and put",                                                          \
            .unit = "ns",                                                                          \
            .against = "malloc and free",                                                          \
            .method = &method_buffers,                                                             \
            .kind = GOAL_OURS_MAX,                                                                 \
            .goal = 10,                                                                            \
            .node = NODE_HOST,                                                                     \
            .batch = 1,                                                                            \
        },                                                                                         \
    {                                                                                              \
        .name = "event, submit to wake-up", .unit = "ns", .against = "eventfd wake-up",            \
        .method = &method_wake, .kind = GOAL_RATIO_MAX, .goal = 1.3, .node = NODE_HOST,            \
        .size = 64, .batch = 1,                                                                    \
    }

#define START(title, bytes, times)                                                                 \
    {                                                                                              \
        .name = title, .unit = "ms", .against = "memcpy to new memory", .method = &method_start,   \
        .kind = GOAL_RATIO_MAX, .goal = 1.5, .node = NODE_HOST, .size = (bytes),                   \
        .rounds = (times),                                                                         \
    }

static const struct row full_rows[] = {
    COMMON_ROWS(128 * MIB, 256 * MIB),
    START("mmap start, 1 GiB", 1024 * MIB, 5),
};

static const struct row quick_rows[] = {
    COMMON_ROWS(96 * MIB, 128 * MIB),
    START("mmap start, 256 MiB", 256 * MIB, 3),
};

const struct row *rows_get(bool quick, size_t *n)
{
    *n = quick ? sizeof(quick_rows) / sizeof(quick_rows[0])
               : sizeof(full_rows) / sizeof(full_rows[0]);
    return quick ? quick_rows : full_rows;
}
