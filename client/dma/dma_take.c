// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Stores and holds the buffers of a job when it is submitted; and releases them.

#include "card_time.h"
#include "dma_job.h"

#include <stdlib.h>

static const struct memory own_memory; // of this process: not imported

doca_error_t dma_attach(struct work_link *link, struct errtext *err)
{
    struct buf_allocator *copies = calloc(1, sizeof(*copies));

    if (!copies)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a context's jobs");
    doca_error_t r = held_open(copies, link->depth, err);
    if (r == DOCA_SUCCESS)
        link->state = copies;
    else
        free(copies);
    return r;
}

void dma_detach(struct work_link *link)
{
    held_close(link->state);
    free(link->state);
    link->state = NULL;
}

static doca_error_t hold(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    struct doca_buf *src, *dst;

    doca_error_t r = buf_hold_both(item->link->state, item->link->device, DMA_LIST_MAX, job->src,
                                   job->dst, &src, &dst);
    if (r != DOCA_SUCCESS) {
        item->refusal = HELD_NO_MEMORY;
        return r;
    }
    job->src = src;
    job->dst = dst;
    job->held = true;
    return DOCA_SUCCESS;
}

void dma_release(struct dma_job *job, bool written)
{
    struct doca_buf *src = (struct doca_buf *)(uintptr_t)job->src, *dst = job->dst;

    if (!job->held)
        return;
    job->held = false;
    job->src = src->original;
    job->dst = dst->original;
    buf_release_both(&src, &dst, written);
}

void dma_drop(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);

    if (job->way == DMA_PLAIN_IMPORTED)
        buf_release_map(job->keeps);
    dma_release(job, false);
}

// ---- the buffers ------------------------------------------------------------------

static inline bool has(const struct doca_buf *buf, uint8_t flags)
{
    return (buf->flags & flags) == flags;
}

static inline bool mapped(const struct work_item *item, const struct doca_buf *src,
                          const struct doca_buf *dst)
{
    const struct doca_dev *device = item->link->device;

    return buf_has_device(src, device) && buf_has_device(dst, device) &&
           has(src, BUF_DIRECT | BUF_READABLE) && has(dst, BUF_DIRECT | BUF_WRITABLE);
}

// One side may be imported. Returns false if the job has to hold its buffers.
static inline bool note_imported(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;
    bool reads = src->flags & BUF_IMPORTED;

    job->keeps = buf_hold_map(item->link->state, reads ? src->mmap : dst->mmap);
    job->from.memory = reads ? src->memory : &own_memory;
    job->to.memory = reads ? &own_memory : dst->memory;
    job->way = DMA_PLAIN_IMPORTED;
    return job->keeps;
}

doca_error_t dma_take_slowly(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;
    uint8_t imported = (src->flags | dst->flags) & BUF_IMPORTED;
    size_t n = src->data_len;

    if (__builtin_expect((src->flags | dst->flags) & BUF_EARLY, 0)) {
        (void)buf_settle(src); // their flags have the result
        (void)buf_settle(dst);
    }
    bool plain = !src->next && !dst->next && buf_sound(src) && buf_sound(dst) && n - 1 < DMA_STEP &&
                 n <= buf_tailroom(dst) && mapped(item, src, dst) &&
                 !(src->flags & dst->flags & BUF_IMPORTED);
    job->way = DMA_PLAIN;
    if (__builtin_expect(!plain || (imported && !note_imported(item)), 0)) {
        job->way = DMA_APPEND;
        return hold(item);
    }
    job->from.start = src->data + src->to_local;
    job->to.start = buf_tail(dst) + dst->to_local;
    job->total = n;
    job->stamp = buf_stamp(dst);
    return DOCA_SUCCESS;
}

doca_error_t dma_take_exact(struct work_item *item, uint8_t *from, uint8_t *to, uint64_t n)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;

    dma_take_addresses(job, from, to, n);
    job->way = DMA_EXACT;
    if (!buf_settle(src) || !buf_settle(dst) || !mapped(item, src, dst) || n - 1 >= DMA_STEP ||
        !buf_holds(src, from, n) || !buf_holds(dst, to, n) ||
        ((src->flags | dst->flags) & BUF_IMPORTED))
        return hold(item);
    job->from.start = from + src->to_local;
    job->to.start = to + dst->to_local;
    job->way = DMA_PLAIN_EXACT;
    return DOCA_SUCCESS;
}

enum work_status dma_start_held(struct work_item *item, enum dma_way way)
{
    struct errtext err;

    dma_job_of(item)->way = (uint8_t)way;
    if (hold(item) == DOCA_SUCCESS)
        return dma_start(item, way);
    return dma_failed(item, errtext_set(&err, DOCA_ERROR_NO_MEMORY, HELD_NO_MEMORY), &err);
}

// Bytes from the other side are read, and bytes for it are written.
void dma_measure(const struct work_item *item, struct card_work *work)
{
    const struct dma_job *job = (const struct dma_job *)item->job;
    bool is_list = job->way == DMA_APPEND || job->way == DMA_OVERWRITE;

    if (job->way == DMA_NOT_GIVEN)
        return;
    work->model = job->dst->flags & BUF_IMPORTED   ? CARD_DMA_WRITE_TASK_NS
                  : job->src->flags & BUF_IMPORTED ? CARD_DMA_READ_TASK_NS
                                                   : CARD_DMA_LOCAL_TASK_NS;
    work->bytes = is_list ? 0 : job->total;
    for (const struct doca_buf *buf = job->src; buf && is_list; buf = buf->next)
        work->bytes += buf->data_len;
}
