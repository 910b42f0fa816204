// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory of DOCA 3 with two DMA contexts on one progress engine, for the cases of rules.

#ifndef TESTS_TOOLS_COPIES_3_H
#define TESTS_TOOLS_COPIES_3_H

#include "rule_cases.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define PART 4096 // bytes of each part of the memory

struct copies {
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dmas[2];
    unsigned done, failed;         // tasks that have come back
    void (*in_callback)(void *of); // or NULL
    bool reads_status;             // of failed tasks
    unsigned char *memory;
    size_t size;
};

void copies_begin(struct copies *copies, size_t size);
void copies_end(struct copies *copies);

// Buffers of `length` bytes from `at` on: with data, or empty.
struct doca_buf *copies_full(struct copies *copies, size_t at, size_t length);
struct doca_buf *copies_empty(struct copies *copies, size_t at, size_t length);
void copies_give_back(struct doca_buf *buf);

// A task of one of the contexts, which is not submitted.
struct doca_dma_task_memcpy *copies_task(struct copies *copies, unsigned context,
                                         struct doca_buf *from, struct doca_buf *to);
void copies_submit(struct doca_dma_task_memcpy *task);
void copies_free(struct doca_dma_task_memcpy *task);
// Polls until this number of tasks has come back in all.
void copies_await(struct copies *copies, unsigned done);

#endif
