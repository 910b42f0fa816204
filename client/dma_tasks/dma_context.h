// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A DMA context of DOCA 3, and its tasks. The copying is that of client/dma.

#ifndef CLIENT_DMA_TASKS_DMA_CONTEXT_H
#define CLIENT_DMA_TASKS_DMA_CONTEXT_H

#include "progress/context.h"

#include <doca_dma.h>

#define DMA_TASKS_MAX (1u << 16)

// The size that a device without a card's limit reports, as current cards do. Programs allocate
// that many bytes for each task, or split their data by it. Tasks of up to DMA_SIZE_MAX bytes work.
#define DMA_TASK_SIZE_REPORTED (2u << 20)

enum { DMA_TASK_MEMCPY };

struct doca_dma {
    struct doca_ctx ctx;
    bool ordered; // completions come in the order of submission, see dma_order.c
    uint32_t begun, ended;
};

struct doca_dma_task_memcpy {
    struct doca_task task; // its item has a struct dma_job
};

// task_kind.check, and work_ops.prepare.
doca_error_t dma_task_memcpy_check(struct doca_task *task, struct errtext *err);
doca_error_t dma_task_prepare(struct work_item *item, const void *unused);

#endif
