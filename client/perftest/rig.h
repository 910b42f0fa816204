// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Everything that DMA jobs need, set up once: device, maps, buffers, context, work queue. Or tasks
// of the DOCA 3 interface instead of jobs.

#ifndef PERFTEST_RIG_H
#define PERFTEST_RIG_H

#include "memory.h"
#include "options.h"
#include "problem.h"
#include "supervisor.h"
#include "task_rig.h"

#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_docad.h>

struct rig_plan {
    enum path path;
    enum memory_kind memory; // of the source
    size_t size;             // of one job
    size_t footprint;        // jobs walk over this much memory on either side, at least `size`
    uint32_t depth;          // jobs in flight
    bool event;
    unsigned contexts; // tasks of this many contexts on one progress engine; 0: jobs
};

struct rig {
    struct rig_plan plan;
    struct memory source, target;      // no source here if it is imported
    char *from;                        // the source's address, ours or the exporter's
    char desc[DOCAD_EXPORT_DESC_SIZE]; // of an import on this machine
    size_t desc_len;
    size_t region; // the footprint, in whole jobs
    size_t at;     // where the next job copies
    struct doca_dev *dev;
    struct doca_mmap *source_map, *target_map;
    struct doca_buf_inventory *inventory;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    bool started, attached;
    struct doca_workq *workq;
    struct task_rig *tasks; // or NULL: jobs
    doca_event_handle_t handle;
    int epoll;
    int remote; // connection to a server, or -1
    struct rig_job {
        struct doca_dma_job_memcpy job;
        struct doca_buf *from, *to;
        struct doca_dma_task_memcpy *task;
    } * jobs; // `depth` of them
    uint32_t *free;
    uint32_t n_free;
};

// Sets up the rig; rig_close() is due also after a failure.
bool rig_open(struct rig *rig, const struct rig_plan *plan, struct run *run);
void rig_close(struct rig *rig);

// Removes the import, and imports the same export once more, so that this process's page table has
// no page of it. No job may be in flight.
bool rig_import_again(struct rig *rig, struct problem *problem);

// Prepares a job's buffers, and returns it for rig_submit(). There must be a free one.
struct rig_job *rig_prepare(struct rig *rig);
bool rig_submit(struct rig *rig, struct rig_job *job, struct problem *problem);

// For a rig with events: before a thread waits for rig->epoll, and after that.
bool rig_arm(struct rig *rig, struct problem *problem);
bool rig_clear(struct rig *rig, struct problem *problem);

// Retrieves one event, waiting for it.
bool rig_retrieve(struct rig *rig, struct problem *problem);

// Runs n jobs: up to `depth` in flight, submitted `batch` at a time.
bool rig_run(struct rig *rig, uint64_t n, uint32_t batch, struct problem *problem);

// Clears the target, copies every part once, and compares it with the pattern.
bool rig_verify(struct rig *rig, struct problem *problem);

// Compares the output of n jobs, from the start of the region, in the target.
bool rig_check_jobs(struct rig *rig, uint64_t n, struct problem *problem);

#endif
