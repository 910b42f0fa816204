// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The part of an RDMA rig that works by tasks of the DOCA 3 interface: a progress engine with one
// context and its connections, which send in turn. Its source alone is compiled with the headers of
// that interface.

#ifndef PERFTEST_RDMA_TASK_RIG_H
#define PERFTEST_RDMA_TASK_RIG_H

#include "problem.h"

#include <stddef.h>
#include <stdint.h>

struct doca_buf;
struct doca_dev;

#define RDMA_RIG_CONNECTIONS 64u // at most

struct rdma_task_rig;

enum rdma_task_end { RDMA_TASK_NONE, RDMA_TASK_RECEIVED, RDMA_TASK_SENT, RDMA_TASK_FAILED };

// Starts a context for `connections` connections, with `depth` tasks of each kind, which are used
// repeatedly.
bool rdma_task_rig_open(struct rdma_task_rig **out, struct doca_dev *dev, uint32_t permissions,
                        uint32_t depth, uint32_t connections, struct problem *problem);
void rdma_task_rig_close(struct rdma_task_rig *rig); // takes NULL

// Makes one more connection, and connects the one made last.
bool rdma_task_rig_export(struct rdma_task_rig *rig, const void **details, size_t *size,
                          struct problem *problem);
bool rdma_task_rig_connect(struct rdma_task_rig *rig, const void *details, size_t size,
                           struct problem *problem);

bool rdma_task_rig_receive(struct rdma_task_rig *rig, struct doca_buf *to, struct problem *problem);
bool rdma_task_rig_send(struct rdma_task_rig *rig, struct doca_buf *from, struct problem *problem);
bool rdma_task_rig_write(struct rdma_task_rig *rig, struct doca_buf *from, struct doca_buf *to,
                         struct problem *problem);

// Calls doca_pe_progress() once. Sends and writes are SENT.
enum rdma_task_end rdma_task_rig_progress(struct rdma_task_rig *rig, struct problem *problem);

#endif
