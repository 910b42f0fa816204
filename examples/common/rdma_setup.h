// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What every RDMA program has: a device, a memory map that the other side may reach, an
// RDMA instance on the device, a work queue for its jobs, and an inventory of buffers.
//
// The programs come in pairs. Each is given two files: it writes what the other one needs to its
// own, and waits for the other's. Programs may carry these bytes as they like; files are the
// simplest way.

#ifndef EXAMPLES_COMMON_RDMA_SETUP_H
#define EXAMPLES_COMMON_RDMA_SETUP_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_rdma.h>

#include <stddef.h>
#include <stdint.h>

#define RDMA_MEMORY 4096

struct rdma_setup {
    struct doca_dev *dev;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;    // of `memory`
    struct doca_mmap *remote; // of the other side's memory
    char *memory;
    char *remote_memory; // its address in the other program
};

// Reads `-p DEVICE OWN-FILE OTHER-FILE [TEXT]`, sets everything up with these permissions
// (of the map and of the instance) and connects. The text, or `text`, is put into the
// memory before the other side can reach it, and returned.
const char *rdma_setup(struct rdma_setup *setup, int argc, char **argv, uint32_t permissions,
                       const char *text);
void rdma_teardown(struct rdma_setup *setup);

// Submits a job and waits until it is done.
struct doca_rdma_result rdma_run(struct rdma_setup *setup, const struct doca_job *job);

// Jobs without data, with which the two programs tell each other that they are done.
void rdma_tell(struct rdma_setup *setup);
void rdma_await(struct rdma_setup *setup);

#endif
