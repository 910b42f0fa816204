// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two connected RDMA instances: one in the measuring process, one in a process that it starts,
// which answers until it gets a message to stop.

#ifndef PERFTEST_RDMA_RIG_H
#define PERFTEST_RDMA_RIG_H

#include "memory.h"
#include "rdma_task_rig.h"
#include "supervisor.h"

#include <doca_buf_inventory.h>
#include <doca_rdma.h>

#define RDMA_WINDOW     128u // jobs in flight, at most
#define RDMA_BLOCKS_MAX 4096

enum rdma_test {
    RDMA_SEND_LAT,
    RDMA_SEND_BW,
    RDMA_WRITE_LAT,
    RDMA_WRITE_BW,
    RDMA_READ_BW,
    RDMA_ATOMIC
};

struct rdma_plan {
    enum rdma_test test;
    size_t size;
    uint64_t iters; // with the warm-up
    uint32_t depth;
    bool tasks;           // of DOCA 3; sends and writes only
    uint32_t connections; // of tasks; 0: one
    const char *server;   // where the other process is; NULL: it is started here
    const char *device;   // name of an ibverbs device; NULL: any
    int other_cpu;        // where the other process is pinned; -1: no
};

struct rdma_rig {
    struct rdma_plan plan;
    struct memory memory; // half to send from, half to receive to
    size_t half;
    struct doca_dev *dev;
    struct doca_mmap *map, *remote;
    char *remote_at;
    struct doca_buf_inventory *inventory;
    struct rdma_task_rig *tasks; // NULL: jobs of 2.2
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    bool started, attached;
    struct doca_workq *workq;
    int channel; // to the other process
    pid_t pid;   // 0: of another machine
    struct doca_buf *from[RDMA_WINDOW], *to[RDMA_WINDOW], *there[RDMA_WINDOW];
    uint32_t next_from, next_to;
    struct doca_rdma_result result;
    // The time of each block of iterations: the median is robust on a loaded machine.
    struct rdma_blocks {
        uint32_t size; // 0: none are measured
        size_t n;
        uint64_t last;
        double ns[RDMA_BLOCKS_MAX];
    } blocks;
    struct problem *problem;
};

// Starts the other process, which runs the same plan as responder, and connects. Call
// rdma_rig_close() even after a failure.
bool rdma_rig_open(struct rdma_rig *rig, const struct rdma_plan *plan, struct problem *problem);
// The other process's part, for a client on another machine.
int rdma_rig_respond(const struct rdma_plan *plan, int channel);
void rdma_rig_close(struct rdma_rig *rig);

// Runs the requester's side of n iterations.
bool rdma_rig_run(struct rdma_rig *rig, uint64_t n);

// The same; *ns is the time of one iteration.
bool rdma_rig_measure(struct rdma_rig *rig, uint64_t n, double *ns);
// Repeats that for `seconds` seconds; *n is the number of iterations.
bool rdma_rig_measure_for(struct rdma_rig *rig, uint64_t seconds, uint64_t *n, double *ns);

#endif
