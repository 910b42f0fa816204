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

// So little time that what a job costs, whatever it copies, is a good part of it.
#define IMPORT_HOT_4K                                                                              \
    {                                                                                              \
        .name = "imported DMA, 4 KiB, hot", .unit = "ns", .against = "memcpy",                     \
        .method = &method_copy, .kind = GOAL_OVER_MAX, .goal = 25, .path = PATH_IMPORT,            \
        .node = NODE_DPU, .size = 4 * KIB, .batch = 32,                                            \
    }

#define COMMON_ROWS(cold, large)                                                                   \
    LOCAL_64("local DMA, 64 B, batch of 32", 32, 25),                                              \
        LOCAL_64("local DMA, 64 B, one at a time", 1, 60), IMPORT_HOT_4K,                          \
        IMPORT("imported DMA, 4 KiB, cold", 4 * KIB, cold, 32, 0.97),                              \
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
        {                                                                                          \
            .name = "DOCA 1.3 job, 64 B, 10,000 chunks",                                           \
            .unit = "ns",                                                                          \
            .against = "the same, one chunk",                                                      \
            .method = &method_chunks,                                                              \
            .kind = GOAL_OVER_MAX,                                                                 \
            .goal = 25,                                                                            \
            .node = NODE_HOST,                                                                     \
            .size = 64,                                                                            \
            .batch = 32,                                                                           \
        },                                                                                         \
    {                                                                                              \
        .name = "event, submit to wake-up", .unit = "ns", .against = "eventfd wake-up",            \
        .method = &method_wake, .kind = GOAL_RATIO_MAX, .goal = 1.3, .node = NODE_HOST,            \
        .size = 64, .batch = 1,                                                                    \
    }

#define TASK_64(title, batch_of, over)                                                             \
    {                                                                                              \
        .name = title, .unit = "ns", .against = "memcpy", .method = &method_copy,                  \
        .kind = GOAL_OVER_MAX, .goal = (over), .node = NODE_HOST, .size = 64, .batch = (batch_of), \
        .contexts = 1,                                                                             \
    }

#define TASK_IMPORT(title, bytes, walk, jobs, at_least)                                            \
    {                                                                                              \
        .name = title, .unit = "GiB/s", .against = "memcpy", .method = &method_copy,               \
        .kind = GOAL_RATIO_MIN, .goal = (at_least), .path = PATH_IMPORT, .node = NODE_DPU,         \
        .size = (bytes), .footprint = (walk), .batch = (jobs), .rate = true, .contexts = 1,        \
    }

#define TASK_ROWS(large)                                                                           \
    TASK_64("DMA tasks, 64 B, 32 in flight", 32, 25),                                              \
        TASK_64("DMA tasks, 64 B, one at a time", 1, 60),                                          \
        {                                                                                          \
            .name = "imported DMA tasks, 4 KiB, hot",                                              \
            .unit = "ns",                                                                          \
            .against = "memcpy",                                                                   \
            .method = &method_copy,                                                                \
            .kind = GOAL_OVER_MAX,                                                                 \
            .goal = 25,                                                                            \
            .path = PATH_IMPORT,                                                                   \
            .node = NODE_DPU,                                                                      \
            .size = 4 * KIB,                                                                       \
            .batch = 32,                                                                           \
            .contexts = 1,                                                                         \
        },                                                                                         \
        TASK_IMPORT("imported DMA tasks, 1 MiB, hot", MIB, 0, 2, 0.97),                            \
        TASK_IMPORT("imported DMA tasks, 16 MiB", 16 * MIB, large, 1, 1.25),                       \
        {                                                                                          \
            .name = "task allocated and freed",                                                    \
            .unit = "ns",                                                                          \
            .against = "malloc and free",                                                          \
            .method = &method_task_pairs,                                                          \
            .kind = GOAL_OURS_MAX,                                                                 \
            .goal = 10,                                                                            \
            .node = NODE_HOST,                                                                     \
            .size = 64,                                                                            \
            .batch = 1,                                                                            \
        },                                                                                         \
        {                                                                                          \
            .name = "DMA tasks of four contexts, 64 B",                                            \
            .unit = "ns",                                                                          \
            .against = "those of one",                                                             \
            .method = &method_task_contexts,                                                       \
            .kind = GOAL_OVER_MAX,                                                                 \
            .goal = 5,                                                                             \
            .node = NODE_HOST,                                                                     \
            .size = 64,                                                                            \
            .batch = 32,                                                                           \
            .contexts = 4,                                                                         \
        },                                                                                         \
    {                                                                                              \
        .name = "task, submit to wake-up", .unit = "ns", .against = "eventfd wake-up",             \
        .method = &method_wake, .kind = GOAL_RATIO_MAX, .goal = 1.3, .node = NODE_HOST,            \
        .size = 64, .batch = 1, .contexts = 1,                                                     \
    }

#define UCX(title, units, test, transports, limit, at, kind_of, bytes, depth, times, n)            \
    {                                                                                              \
        .name = title, .unit = units, .against = "ucx " test, .method = &method_ucx,               \
        .kind = limit, .goal = (at), .node = NODE_HOST, .size = (bytes), .batch = (depth),         \
        .rounds = (times), .rdma = kind_of, .ucx = test, .ucx_tls = transports, .jobs = (n),       \
    }

#define FABRIC(times)                                                                              \
    {                                                                                              \
        .name = "RDMA send, 64 B, as fi_pingpong", .unit = "ns", .against = "libfabric shm",       \
        .method = &method_fabric, .kind = GOAL_RATIO_MAX, .goal = 1, .node = NODE_HOST,            \
        .size = 64, .batch = 1, .rounds = (times), .rdma = RDMA_SEND_LAT, .jobs = 200000,          \
    }

#define RDMA_COPY(title, times, kind_of)                                                           \
    {                                                                                              \
        .name = title, .unit = "GiB/s", .against = "memcpy", .method = &method_rdma_copy,          \
        .kind = GOAL_RATIO_MIN, .goal = 0.95, .node = NODE_HOST, .size = MIB, .batch = 2,          \
        .rate = true, .rounds = 6 * (times), .rdma = kind_of, .jobs = 400,                         \
    }

#define RDMA_ROWS(times)                                                                           \
    UCX("RDMA send, 8 B, one way", "ns", "tag_lat", "posix,self", GOAL_RATIO_MAX, 1,               \
        RDMA_SEND_LAT, 8, 1, times, 200000),                                                       \
        UCX("RDMA send, 64 B, one way", "ns", "tag_lat", "posix,self", GOAL_RATIO_MAX, 1,          \
            RDMA_SEND_LAT, 64, 1, times, 200000),                                                  \
        FABRIC(times),                                                                             \
        UCX("RDMA write, 8 B, one way", "ns", "ucp_put_lat", "posix,self", GOAL_RATIO_MAX, 1.2,    \
            RDMA_WRITE_LAT, 8, 1, times, 200000),                                                  \
        UCX("RDMA sends, 8 B, a second", "M/s", "tag_bw", "posix,self", GOAL_RATIO_MIN, 1,         \
            RDMA_SEND_BW, 8, 64, times, 2000000),                                                  \
        UCX("RDMA fetch-and-add, a second", "M/s", "ucp_fadd", "posix,self", GOAL_RATIO_MIN, 0.8,  \
            RDMA_ATOMIC, 8, 64, times, 4000000),                                                   \
        {                                                                                          \
            .name = "RDMA sends, 1 MiB",                                                           \
            .unit = "GiB/s",                                                                       \
            .against = "ucx tag_bw, cma",                                                          \
            .method = &method_ucx,                                                                 \
            .kind = GOAL_RATIO_MIN,                                                                \
            .goal = 2,                                                                             \
            .node = NODE_HOST,                                                                     \
            .size = MIB,                                                                           \
            .batch = 8,                                                                            \
            .rate = true,                                                                          \
            .rounds = (times),                                                                     \
            .rdma = RDMA_SEND_BW,                                                                  \
            .ucx = "tag_bw",                                                                       \
            .ucx_tls = "posix,cma,self",                                                           \
            .jobs = 8000,                                                                          \
        },                                                                                         \
        RDMA_COPY("RDMA writes, 1 MiB", times, RDMA_WRITE_BW),                                     \
        RDMA_COPY("RDMA reads, 1 MiB", times, RDMA_READ_BW)

#define DUET_ROWS                                                                                  \
    {                                                                                              \
        .name = "sync event, set to wait_gt",                                                      \
        .unit = "ns",                                                                              \
        .against = "bare word",                                                                    \
        .method = &method_sync,                                                                    \
        .kind = GOAL_RATIO_MAX,                                                                    \
        .goal = 1.2,                                                                               \
        .node = NODE_DPU,                                                                          \
        .size = 8,                                                                                 \
        .batch = 1,                                                                                \
        .rounds = 15,                                                                              \
        .jobs = 50000,                                                                             \
    },                                                                                             \
    {                                                                                              \
        .name = "Comm Channel, 64 B, a second", .unit = "M/s", .against = "SOCK_SEQPACKET pair",   \
        .method = &method_channel, .kind = GOAL_RATIO_MIN, .goal = 0.9, .node = NODE_DPU,          \
        .size = 64, .batch = 1, .rounds = 15, .jobs = 50000,                                       \
    }

#define OFFLOAD_ROWS                                                                               \
    {                                                                                              \
        .name = "SHA-256 job, 1 MiB",                                                              \
        .unit = "GiB/s",                                                                           \
        .against = "OpenSSL EVP_Digest",                                                           \
        .method = &method_sha,                                                                     \
        .kind = GOAL_RATIO_MIN,                                                                    \
        .goal = 0.98,                                                                              \
        .node = NODE_HOST,                                                                         \
        .size = MIB,                                                                               \
        .batch = 1,                                                                                \
        .rate = true,                                                                              \
        .jobs = 2,                                                                                 \
    },                                                                                             \
    {                                                                                              \
        .name = "graph of DMA jobs, 64 B, a node", .unit = "ns", .against = "the job alone",       \
        .method = &method_graph, .kind = GOAL_OVER_MAX, .goal = 50, .node = NODE_HOST, .size = 64, \
        .batch = 16, .jobs = 4000,                                                                 \
    }

#define START(title, bytes, times)                                                                 \
    {                                                                                              \
        .name = title, .unit = "ms", .against = "memcpy to new memory", .method = &method_start,   \
        .kind = GOAL_RATIO_MAX, .goal = 1.5, .node = NODE_HOST, .size = (bytes),                   \
        .rounds = (times),                                                                         \
    }

static const struct row full_rows[] = {
    COMMON_ROWS(128 * MIB, 256 * MIB),
    TASK_ROWS(256 * MIB),
    OFFLOAD_ROWS,
    DUET_ROWS,
    RDMA_ROWS(5),
    START("mmap start, 1 GiB", 1024 * MIB, 5),
};

static const struct row quick_rows[] = {
    COMMON_ROWS(96 * MIB, 128 * MIB),
    TASK_ROWS(128 * MIB),
    OFFLOAD_ROWS,
    DUET_ROWS,
    RDMA_ROWS(2),
    START("mmap start, 256 MiB", 256 * MIB, 3),
};

const struct row *rows_get(bool quick, size_t *n)
{
    *n = quick ? sizeof(quick_rows) / sizeof(quick_rows[0])
               : sizeof(full_rows) / sizeof(full_rows[0]);
    return quick ? quick_rows : full_rows;
}
