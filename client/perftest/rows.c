// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The table of `compare`. Hot rows copy the same bytes again and again, cold ones walk
// over more memory than caches hold; either side of a row does the same.

#include "rows.h"

#define KIB 1024u
#define MIB (1024u * 1024u)

// Fields that several rows have in common.
#define OVER_MEMCPY(ns)                                                                            \
    .unit = "ns", .against = "memcpy", .method = &method_copy, .kind = GOAL_OVER_MAX, .goal = (ns)
#define RATE_OF_MEMCPY(at_least)                                                                   \
    .unit = "GiB/s", .against = "memcpy", .method = &method_copy, .kind = GOAL_RATIO_MIN,          \
    .goal = (at_least), .rate = true
#define IMPORTED    .path = PATH_IMPORT, .node = NODE_DPU
#define WALKS_COLD  .footprint = 128 * MIB, .quick.footprint = 96 * MIB
#define WALKS_LARGE .footprint = 256 * MIB, .quick.footprint = 128 * MIB
#define FIRST_COPY                                                                                 \
    IMPORTED, .unit = "GiB/s", .kind = GOAL_RATIO_MIN, .rate = true, .size = MIB, .batch = 2,      \
              .footprint = 256 * MIB, ROUNDS(30, 8)
#define ROUNDS(usual, quickly) .rounds = (usual), .quick.rounds = (quickly)
#define UCX(test, transports)                                                                      \
    .against = "ucx " test, .method = &method_ucx, .node = NODE_HOST, .ucx = test,                 \
    .ucx_tls = transports

// Each row is written in as few lines as it takes.
// clang-format off
static const struct row job_rows[] = {
    {.name = "local DMA, 64 B, batch of 32", OVER_MEMCPY(25), .node = NODE_HOST, .size = 64,
     .batch = 32},
    {.name = "local DMA, 64 B, one at a time", OVER_MEMCPY(60), .node = NODE_HOST, .size = 64,
     .batch = 1},
    {.name = "imported DMA, 4 KiB, hot", OVER_MEMCPY(25), IMPORTED, .size = 4 * KIB,
     .batch = 32},
    {.name = "imported DMA, 4 KiB, cold", RATE_OF_MEMCPY(0.97), IMPORTED, WALKS_COLD,
     .size = 4 * KIB, .batch = 32},
    {.name = "imported DMA, 64 KiB, hot", RATE_OF_MEMCPY(0.97), IMPORTED, .size = 64 * KIB,
     .batch = 2},
    {.name = "imported DMA, 64 KiB, cold", RATE_OF_MEMCPY(0.97), IMPORTED, WALKS_COLD,
     .size = 64 * KIB, .batch = 2},
    {.name = "imported DMA, 1 MiB, hot", RATE_OF_MEMCPY(0.97), IMPORTED, .size = MIB,
     .batch = 2},
    {.name = "imported DMA, 1 MiB, cold", RATE_OF_MEMCPY(0.97), IMPORTED, WALKS_COLD,
     .size = MIB, .batch = 2},
    {.name = "imported DMA, 16 MiB", RATE_OF_MEMCPY(1.25), IMPORTED, WALKS_LARGE,
     .size = 16 * MIB, .batch = 1},
    {.name = "imported DMA, 64 MiB", RATE_OF_MEMCPY(1.25), IMPORTED, WALKS_LARGE,
     .size = 64 * MIB, .batch = 1},
    {.name = "imported DMA, 1 MiB of malloc", RATE_OF_MEMCPY(0.9), IMPORTED,
     .memory = MEMORY_UNALIGNED, .size = MIB, .batch = 2},
    {.name = "first copy of an import, 256 MiB", FIRST_COPY, .against = "process_vm_readv",
     .method = &method_first, .goal = 0.95},
    {.name = "first copy beside touched pages", FIRST_COPY, .against = "memcpy",
     .method = &method_first_touched, .goal = 0.6},
    {.name = "brokered copy, 6 B, busy engine", IMPORTED, .unit = "ns",
     .against = "process_vm_readv", .method = &method_busy, .kind = GOAL_OURS_MAX, .goal = 5000,
     .memory = MEMORY_TINY, .size = TINY_SIZE, .batch = 1},
    {.name = "brokered copy, 6 B, sleeping engine", IMPORTED, .unit = "ns",
     .against = "eventfd wake-up, seen", .method = &method_asleep, .kind = GOAL_OURS_MAX,
     .goal = 30000, .memory = MEMORY_TINY, .size = TINY_SIZE, .batch = 1},
    {.name = "brokered copies of 16 importers", IMPORTED, .unit = "M/s", .against = "those of one",
     .method = &method_crowd, .kind = GOAL_RATIO_MIN, .goal = 1, .memory = MEMORY_TINY,
     .size = TINY_SIZE, .batch = 1, .importers = 16},
    {.name = "buffer get and put", .unit = "ns", .against = "malloc and free",
     .method = &method_buffers, .kind = GOAL_OURS_MAX, .goal = 10, .node = NODE_HOST,
     .batch = 1},
    {.name = "DOCA 1.3 job, 64 B, 10,000 chunks", .unit = "ns", .against = "the same, one chunk",
     .method = &method_chunks, .kind = GOAL_OVER_MAX, .goal = 25, .node = NODE_HOST, .size = 64,
     .batch = 32},
    {.name = "event, submit to wake-up", .unit = "ns", .against = "eventfd wake-up",
     .method = &method_wake, .kind = GOAL_RATIO_MAX, .goal = 1.3, .node = NODE_HOST, .size = 64,
     .batch = 1},
};

static const struct row task_rows[] = {
    {.name = "DMA tasks, 64 B, 32 in flight", OVER_MEMCPY(25), .node = NODE_HOST, .size = 64,
     .batch = 32, .contexts = 1},
    {.name = "DMA tasks, 64 B, one at a time", OVER_MEMCPY(60), .node = NODE_HOST, .size = 64,
     .batch = 1, .contexts = 1},
    {.name = "imported DMA tasks, 4 KiB, hot", OVER_MEMCPY(25), IMPORTED, .size = 4 * KIB,
     .batch = 32, .contexts = 1},
    {.name = "imported DMA tasks, 1 MiB, hot", RATE_OF_MEMCPY(0.97), IMPORTED, .size = MIB,
     .batch = 2, .contexts = 1},
    {.name = "imported DMA tasks, 16 MiB", RATE_OF_MEMCPY(1.25), IMPORTED, WALKS_LARGE,
     .size = 16 * MIB, .batch = 1, .contexts = 1},
    {.name = "task allocated and freed", .unit = "ns", .against = "malloc and free",
     .method = &method_task_pairs, .kind = GOAL_OURS_MAX, .goal = 10, .node = NODE_HOST,
     .size = 64, .batch = 1},
    {.name = "DMA tasks of four contexts, 64 B", .unit = "ns", .against = "those of one",
     .method = &method_task_contexts, .kind = GOAL_OVER_MAX, .goal = 5, .node = NODE_HOST,
     .size = 64, .batch = 32, .contexts = 4},
    {.name = "task, submit to wake-up", .unit = "ns", .against = "eventfd wake-up",
     .method = &method_wake, .kind = GOAL_RATIO_MAX, .goal = 1.3, .node = NODE_HOST, .size = 64,
     .batch = 1, .contexts = 1},
};

static const struct row offload_rows[] = {
    {.name = "SHA-256 job, 1 MiB", .unit = "GiB/s", .against = "OpenSSL EVP_Digest",
     .method = &method_sha, .kind = GOAL_RATIO_MIN, .goal = 0.98, .node = NODE_HOST, .size = MIB,
     .batch = 1, .rate = true, .jobs = 2},
    {.name = "graph of DMA jobs, 64 B, a node", .unit = "ns", .against = "the job alone",
     .method = &method_graph, .kind = GOAL_OVER_MAX, .goal = 50, .node = NODE_HOST, .size = 64,
     .batch = 16, .jobs = 4000},
};

#define COMPUTE(library, at_least)                                                                 \
    .unit = "GiB/s", .against = library, .method = &method_compute, .kind = GOAL_RATIO_MIN,        \
    .goal = (at_least), .node = NODE_HOST, .rate = true
#define OVERLAP                                                                                    \
    .unit = "GiB/s", .against = "one after the other", .method = &method_overlap,                  \
    .kind = GOAL_RATIO_MIN, .goal = 1.8, .node = NODE_HOST, .rate = true, .size = MIB, .batch = 2

static const struct row compute_rows[] = {
    {.name = "deflate tasks, 1 MiB of text", COMPUTE("zlib level 1", 3), ROUNDS(31, 9),
     .compute = COMPUTE_DEFLATE, .size = MIB, .batch = 1, .jobs = 4},
    {.name = "inflate tasks, 1 MiB", COMPUTE("zlib", 2), ROUNDS(31, 9),
     .compute = COMPUTE_INFLATE, .size = MIB, .batch = 1, .jobs = 4},
    {.name = "LZ4 block tasks, 1 MiB", COMPUTE("LZ4_decompress_safe", 0.98), ROUNDS(61, 15),
     .compute = COMPUTE_LZ4, .size = MIB, .batch = 1, .jobs = 16},
    {.name = "erasure coding, 8+4 of 4 KiB", COMPUTE("ec_encode_data", 0.85), ROUNDS(61, 15),
     .compute = COMPUTE_EC_CREATE, .size = 32 * KIB, .batch = 2, .jobs = 1024},
    {.name = "erasure coding, 8+4 of 64 KiB", COMPUTE("ec_encode_data", 0.95), ROUNDS(61, 15),
     .compute = COMPUTE_EC_CREATE, .size = 512 * KIB, .batch = 2, .jobs = 64},
    {.name = "erasure coding, 8+4 of 1 MiB", COMPUTE("ec_encode_data", 0.95), ROUNDS(61, 15),
     .compute = COMPUTE_EC_CREATE, .size = 8 * MIB, .batch = 2, .jobs = 4},
    {.name = "recovery of 4 of 8+4, 64 KiB", COMPUTE("ec_encode_data", 0.95), ROUNDS(61, 15),
     .compute = COMPUTE_EC_RECOVER, .size = 512 * KIB, .batch = 2, .jobs = 64},
    {.name = "AES-256-GCM tasks, 64 KiB", COMPUTE("EVP in a loop", 0.97), ROUNDS(61, 15),
     .compute = COMPUTE_GCM, .size = 64 * KIB, .batch = 1, .jobs = 64},
    {.name = "AES-256-GCM tasks, 1 MiB", COMPUTE("EVP in a loop", 0.97), ROUNDS(61, 15),
     .compute = COMPUTE_GCM, .size = MIB, .batch = 1, .jobs = 8},
    {.name = "two SHA-256 tasks in flight, 1 MiB", OVERLAP, ROUNDS(31, 9),
     .compute = COMPUTE_SHA, .jobs = 16},
    {.name = "two deflate tasks in flight, 1 MiB", OVERLAP, ROUNDS(31, 9),
     .compute = COMPUTE_DEFLATE, .jobs = 8},
    {.name = "submission of a 16 MiB task", .unit = "ns", .against = "-",
     .method = &method_submit, .kind = GOAL_OURS_MAX, .goal = 5000, .node = NODE_HOST,
     ROUNDS(61, 9), .compute = COMPUTE_SHA, .size = 16 * MIB, .batch = 1},
};

static const struct row duet_rows[] = {
    {.name = "sync event, set to wait_gt", .unit = "ns", .against = "bare word",
     .method = &method_sync, .kind = GOAL_RATIO_MAX, .goal = 1.2, .node = NODE_DPU, .size = 8,
     .batch = 1, .rounds = 15, .jobs = 50000},
    {.name = "sync event, set to wait_eq", .unit = "ns", .against = "bare word",
     .method = &method_sync, .kind = GOAL_RATIO_MAX, .goal = 1.2, .node = NODE_DPU, .size = 8,
     .batch = 1, .contexts = 1, .rounds = 15, .jobs = 50000},
    {.name = "Comm Channel, 64 B, a second", .unit = "M/s", .against = "SOCK_SEQPACKET pair",
     .method = &method_channel, .kind = GOAL_RATIO_MIN, .goal = 0.9, .node = NODE_DPU,
     .size = 64, .batch = 1, .rounds = 15, .jobs = 50000},
    {.name = "Comch send tasks, 64 B, a second", .unit = "M/s", .against = "SOCK_SEQPACKET pair",
     .method = &method_comch, .kind = GOAL_RATIO_MIN, .goal = 1, .node = NODE_DPU, .size = 64,
     .batch = 32, .contexts = 1, .rounds = 15, .jobs = 50000},
    {.name = "producer to consumer, 64 B, one way", ROUNDS(5, 2), .unit = "ns",
     .against = "ucx tag_lat", .method = &method_path, .kind = GOAL_RATIO_MAX, .goal = 1,
     .node = NODE_DPU, .size = 64, .batch = 4, .contexts = 1, .rdma = RDMA_SEND_LAT,
     .ucx = "tag_lat", .ucx_tls = "posix,self", .jobs = 200000},
    {.name = "producer to consumer, 64 B, a second", ROUNDS(5, 2), .unit = "M/s",
     .against = "ucx tag_bw", .method = &method_path, .kind = GOAL_RATIO_MIN, .goal = 1,
     .node = NODE_DPU, .size = 64, .batch = 64, .contexts = 1, .rdma = RDMA_SEND_BW,
     .ucx = "tag_bw", .ucx_tls = "posix,self", .jobs = 2000000},
    {.name = "producer to consumer, 1 MiB", ROUNDS(30, 12), .unit = "GiB/s", .against = "memcpy",
     .method = &method_path_copy, .kind = GOAL_RATIO_MIN, .goal = 0.95, .node = NODE_DPU,
     .size = MIB, .batch = 2, .contexts = 1, .rate = true, .rdma = RDMA_SEND_BW, .jobs = 400},
};

static const struct row rdma_rows[] = {
    {.name = "RDMA send, 8 B, one way", UCX("tag_lat", "posix,self"), ROUNDS(5, 2), .unit = "ns",
     .kind = GOAL_RATIO_MAX, .goal = 1, .size = 8, .batch = 1, .rdma = RDMA_SEND_LAT,
     .jobs = 200000},
    {.name = "RDMA send, 64 B, one way", UCX("tag_lat", "posix,self"), ROUNDS(5, 2),
     .unit = "ns", .kind = GOAL_RATIO_MAX, .goal = 1, .size = 64, .batch = 1,
     .rdma = RDMA_SEND_LAT, .jobs = 200000},
    {.name = "RDMA send, 64 B, as fi_pingpong", ROUNDS(5, 2), .unit = "ns",
     .against = "libfabric shm", .method = &method_fabric, .kind = GOAL_RATIO_MAX, .goal = 1,
     .node = NODE_HOST, .size = 64, .batch = 1, .rdma = RDMA_SEND_LAT, .jobs = 200000},
    {.name = "RDMA write, 8 B, one way", UCX("ucp_put_lat", "posix,self"), ROUNDS(5, 2),
     .unit = "ns", .kind = GOAL_RATIO_MAX, .goal = 1.1, .size = 8, .batch = 1,
     .rdma = RDMA_WRITE_LAT, .jobs = 200000},
    {.name = "RDMA sends, 8 B, a second", UCX("tag_bw", "posix,self"), ROUNDS(5, 2),
     .unit = "M/s", .kind = GOAL_RATIO_MIN, .goal = 1.2, .size = 8, .batch = 64,
     .rdma = RDMA_SEND_BW, .jobs = 2000000},
    {.name = "RDMA sends, 8 B, a quota of one CPU", UCX("tag_bw", "posix,self"), ROUNDS(5, 2),
     .unit = "M/s", .kind = GOAL_RATIO_MIN, .goal = 1, .size = 8, .batch = 64,
     .rdma = RDMA_SEND_BW, .jobs = 2000000, .cpus = 1},
    {.name = "RDMA fetch-and-add, a second", UCX("ucp_fadd", "posix,self"), ROUNDS(5, 2),
     .unit = "M/s", .kind = GOAL_RATIO_MIN, .goal = 0.8, .size = 8, .batch = 64,
     .rdma = RDMA_ATOMIC, .jobs = 4000000},
    {.name = "RDMA send task, 8 B, one way", UCX("tag_lat", "posix,self"), ROUNDS(5, 2),
     .unit = "ns", .kind = GOAL_RATIO_MAX, .goal = 0.8, .size = 8, .batch = 1, .contexts = 1,
     .rdma = RDMA_SEND_LAT, .jobs = 200000},
    {.name = "RDMA send task, 64 B, one way", UCX("tag_lat", "posix,self"), ROUNDS(5, 2),
     .unit = "ns", .kind = GOAL_RATIO_MAX, .goal = 0.8, .size = 64, .batch = 1, .contexts = 1,
     .rdma = RDMA_SEND_LAT, .jobs = 200000},
    {.name = "RDMA write task, 8 B, one way", UCX("ucp_put_lat", "posix,self"), ROUNDS(5, 2),
     .unit = "ns", .kind = GOAL_RATIO_MAX, .goal = 1.1, .size = 8, .batch = 1, .contexts = 1,
     .rdma = RDMA_WRITE_LAT, .jobs = 200000},
    {.name = "RDMA send tasks, 8 B, a second", UCX("tag_bw", "posix,self"), ROUNDS(5, 2),
     .unit = "M/s", .kind = GOAL_RATIO_MIN, .goal = 1.2, .size = 8, .batch = 64, .contexts = 1,
     .rdma = RDMA_SEND_BW, .jobs = 2000000},
    {.name = "RDMA echo, 64 B, 64 connections", ROUNDS(15, 4), .unit = "ns",
     .against = "one connection", .method = &method_connections, .kind = GOAL_OVER_MAX, .goal = 20,
     .node = NODE_HOST, .size = 64, .batch = 1, .contexts = 1, .connections = 64,
     .rdma = RDMA_SEND_LAT, .jobs = 200000},
    {.name = "RDMA send, 8 B, both on one core", ROUNDS(5, 2), .unit = "ns", .against = "-",
     .method = &method_one_core, .kind = GOAL_OURS_MAX, .goal = 20000, .node = NODE_HOST,
     .size = 8, .batch = 1, .rdma = RDMA_SEND_LAT, .jobs = 100000},
    {.name = "RDMA send tasks, 1 MiB", ROUNDS(5, 2), .unit = "GiB/s",
     .against = "ucx tag_bw, cma", .method = &method_ucx, .kind = GOAL_RATIO_MIN, .goal = 2,
     .node = NODE_HOST, .size = MIB, .batch = 8, .rate = true, .contexts = 1,
     .rdma = RDMA_SEND_BW, .ucx = "tag_bw", .ucx_tls = "posix,cma,self", .jobs = 8000},
    {.name = "RDMA sends, 1 MiB", ROUNDS(5, 2), .unit = "GiB/s", .against = "ucx tag_bw, cma",
     .method = &method_ucx, .kind = GOAL_RATIO_MIN, .goal = 2, .node = NODE_HOST, .size = MIB,
     .batch = 8, .rate = true, .rdma = RDMA_SEND_BW, .ucx = "tag_bw",
     .ucx_tls = "posix,cma,self", .jobs = 8000},
    {.name = "RDMA writes, 1 MiB", ROUNDS(30, 12), .unit = "GiB/s", .against = "memcpy",
     .method = &method_rdma_copy, .kind = GOAL_RATIO_MIN, .goal = 0.95, .node = NODE_HOST,
     .size = MIB, .batch = 2, .rate = true, .rdma = RDMA_WRITE_BW, .jobs = 400},
    {.name = "RDMA reads, 1 MiB", ROUNDS(30, 12), .unit = "GiB/s", .against = "memcpy",
     .method = &method_rdma_copy, .kind = GOAL_RATIO_MIN, .goal = 0.95, .node = NODE_HOST,
     .size = MIB, .batch = 2, .rate = true, .rdma = RDMA_READ_BW, .jobs = 400},
};

static const struct row start_rows[] = {
    {.name = "mmap start, 1 GiB", .unit = "ms", .against = "memcpy to new memory",
     .method = &method_start, .kind = GOAL_RATIO_MAX, .goal = 1.5, .node = NODE_HOST,
     .size = 1024 * MIB, .rounds = 5,
     .quick = {.name = "mmap start, 256 MiB", .size = 256 * MIB, .rounds = 3}},
};

#define OVER_TLS                                                                                   \
    IMPORTED, .far = true, .against = "one TLS connection", .method = &method_link

static const struct row link_rows[] = {
    {.name = "DMA over a TLS link, 1 MiB", OVER_TLS, .unit = "GiB/s", .kind = GOAL_RATIO_MIN,
     .goal = 0.85, .rate = true, .size = MIB, .batch = 1},
    {.name = "DMA over a TLS link, 64 KiB", OVER_TLS, .unit = "GiB/s", .kind = GOAL_RATIO_MIN,
     .goal = 0.85, .rate = true, .size = 64 * KIB, .batch = 1},
    {.name = "DMA over a TLS link, 4 KiB", OVER_TLS, .unit = "ns", .kind = GOAL_RATIO_MAX,
     .goal = 1.18, .size = 4 * KIB, .batch = 1},
    {.name = "DMA over a TLS link, 64 B, batch of 32", OVER_TLS, .unit = "ns",
     .kind = GOAL_RATIO_MAX, .goal = 1.18, .size = 64, .batch = 32},
    {.name = "Comm Channel over a TLS link, 64 B", .unit = "M/s", .against = "one TLS connection",
     .method = &method_channel_link, .kind = GOAL_RATIO_MIN, .goal = 0.9, .node = NODE_DPU,
     ROUNDS(9, 3), .far = true, .size = 64, .batch = 1, .jobs = 5000},
};

#define CHECKED(words)                                                                             \
    .unit = "ms", .against = "without --check", .method = &method_checked, .kind = GOAL_RATIO_MAX, \
    .goal = 3, .node = NODE_DPU, ROUNDS(25, 5), .program = (words)

static const struct row trace_rows[] = {
    {.name = "a call in a trace", .unit = "ns", .against = "without the trace",
     .method = &method_traced, .kind = GOAL_OVER_MAX, .goal = 60, .node = NODE_HOST, .batch = 1},
    {.name = "a poll in a trace", .unit = "ns", .against = "without the trace",
     .method = &method_traced, .kind = GOAL_OVER_MAX, .goal = 60, .node = NODE_HOST, .batch = 2},
    {.name = "rules checked, DMA example", CHECKED("dma_tasks 20000")},
    {.name = "rules checked, RDMA example", CHECKED("rdma_coroutines 500")},
};

#define CARD(figure)                                                                               \
    IMPORTED, .unit = "ns", .against = "published", .method = &method_card,                        \
              .kind = GOAL_RATIO_NEAR, .goal = 0.2, .contexts = 1,                                \
              .card = "bluefield-3/3.2,timing=yes", .published_ns = (figure)

// github fardatalab/postgres-dbcomm: 222 and 13525 MiB/s, and a copy of 64 B alone.
static const struct row card_rows[] = {
    {.name = "BlueField-3's DMA tasks, 64 B", CARD(274.9), .size = 64, .batch = 32},
    {.name = "BlueField-3's DMA tasks, 4 KiB", CARD(288.8), .size = 4 * KIB, .batch = 32},
    {.name = "BlueField-3's DMA task, 64 B, alone", CARD(1450), .size = 64, .batch = 1},
};
// clang-format on

#define GROUP(table)                                                                               \
    {                                                                                              \
        table, sizeof(table) / sizeof((table)[0])                                                  \
    }

static const struct {
    const struct row *rows;
    size_t n;
} groups[] = {GROUP(job_rows),   GROUP(task_rows), GROUP(offload_rows), GROUP(compute_rows),
              GROUP(duet_rows),  GROUP(rdma_rows), GROUP(start_rows),   GROUP(link_rows),
              GROUP(trace_rows), GROUP(card_rows)};

static void shorten(struct row *row)
{
    if (row->quick.name)
        row->name = row->quick.name;
    if (row->quick.size)
        row->size = row->quick.size;
    if (row->quick.footprint)
        row->footprint = row->quick.footprint;
    if (row->quick.rounds)
        row->rounds = row->quick.rounds;
}

bool row_get(size_t i, bool quick, struct row *row)
{
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
        if (i < groups[g].n) {
            *row = groups[g].rows[i];
            if (quick)
                shorten(row);
            return true;
        }
        i -= groups[g].n;
    }
    return false;
}
