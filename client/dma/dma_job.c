// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs: the execution of plain copies.

#include "dma_job.h"

#include "work/bytes.h"
#include "work/short.h"
#include "work/touch.h"
#include "work_stats.h"

#include <string.h>

static inline bool has(const struct doca_buf *buf, uint8_t flags)
{
    return (buf->flags & flags) == flags;
}

// ---- jobs that were noted when they were submitted ---------------------------------------

// The destination's data grows, unless the program has released or changed it since.
static inline void grow(const struct dma_job *job, const uint8_t *to, size_t n)
{
    struct doca_buf *dst = job->dst;

    if (__builtin_expect(buf_is_same(dst, job->stamp) && buf_tail(dst) + dst->to_local == to, 1))
        dst->data_len += n;
}

static inline enum work_status copied(struct work_item *item, size_t n)
{
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

static enum work_status execute_imported(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct memory *from = job->from.memory, *to = job->to.memory;
    struct errtext err;

    doca_error_t r = touch_begin(item->link, from, to);
    if (r == DOCA_SUCCESS) {
        memmove(job->to.start, job->from.start, job->total);
        touch_end(item->link, from, to);
        grow(job, job->to.start, job->total);
    }
    buf_release_map(job->keeps);
    if (r == DOCA_SUCCESS)
        return copied(item, job->total);
    errtext_set(&err, r, "%s; %llu bytes were to be copied", bytes_error_text(r),
                (unsigned long long)job->total);
    return dma_failed(item, r, &err);
}

static enum work_status execute_long(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);

    memmove(job->to.start, job->from.start, job->total);
    grow(job, job->to.start, job->total);
    return copied(item, job->total);
}

// Not inlined, so that short copies within the process stay fast.
__attribute__((noinline)) static enum work_status execute_other(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    struct errtext err;

    switch ((enum dma_way)job->way) {
    case DMA_PLAIN:
        return execute_long(item);
    case DMA_PLAIN_IMPORTED:
        return execute_imported(item);
    case DMA_PLAIN_EXACT:
        memmove(job->to.start, job->from.start, job->total);
        return copied(item, job->total);
    case DMA_NOT_GIVEN:
        return dma_failed(item, dma_not_given(&err), &err);
    default:
        return dma_start(item, (enum dma_way)job->way);
    }
}

enum work_status dma_execute(struct work_item *item)
{
    const struct dma_job *job = dma_job_of(item);

    if (__builtin_expect(job->way != DMA_PLAIN || job->total > MOVE_SHORT_MAX, 0))
        return execute_other(item);
    move_short(job->to.start, job->from.start, job->total);
    grow(job, job->to.start, job->total);
    return copied(item, job->total);
}

// ---- jobs that are executed when they are submitted ---------------------------------------

// Copies between two buffers that are mapped completely.
static inline bool plain(const struct work_item *item, const struct doca_buf *src,
                         const struct doca_buf *dst)
{
    const struct doca_dev *device = item->link->device;

    return has(src, BUF_DIRECT | BUF_READABLE) && has(dst, BUF_DIRECT | BUF_WRITABLE) &&
           buf_has_device(src, device) && buf_has_device(dst, device);
}

enum work_status dma_execute_exact(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;
    uint8_t *from = job->from.start, *to = job->to.start;
    uint64_t n = job->total;

    if (!plain(item, src, dst) || n - 1 >= DMA_STEP || !buf_holds(src, from, n) ||
        !buf_holds(dst, to, n) || touch_begin(item->link, src->memory, dst->memory) != DOCA_SUCCESS)
        return WORK_UNTRIED;
    memmove(to + dst->to_local, from + src->to_local, n);
    touch_end(item->link, src->memory, dst->memory);
    return copied(item, n);
}

enum work_status dma_execute_now(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src;
    struct doca_buf *dst = job->dst;
    size_t n = src->data_len;

    if (!plain(item, src, dst) || src->next || dst->next || n - 1 >= DMA_STEP || !buf_sound(src) ||
        !buf_sound(dst) || n > buf_tailroom(dst) ||
        touch_begin(item->link, src->memory, dst->memory) != DOCA_SUCCESS)
        return WORK_UNTRIED;
    memmove(buf_tail(dst) + dst->to_local, src->data + src->to_local, n);
    touch_end(item->link, src->memory, dst->memory);
    dst->data_len += n;
    return copied(item, n);
}
