// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs: the fast path for plain copies.

#include "dma_job.h"

#include "work/copy.h"
#include "work/short.h"
#include "work/touch.h"
#include "work_stats.h"

#include <doca_dma.h>
#include <string.h>

#define FETCH_LINES 8

static inline bool has(const struct doca_buf *buf, uint8_t flags)
{
    return (buf->flags & flags) == flags;
}

// Fetches the first lines of the next job while this one's bytes are copied: the copying
// instruction overlaps with nothing by itself. The next job is only read: its checks are
// still to come.
static inline void fetch_next(const struct work_item *item)
{
    const struct work_item *next = item->link->executor->queue.head;

    if (!next || next->link != item->link)
        return;
    const struct dma_job *job = (const struct dma_job *)next->job;
    if (!job->src || !job->dst)
        return;
    const uint8_t *from = job->src->data + job->src->to_local;
    const uint8_t *to = buf_tail(job->dst) + job->dst->to_local;
    for (size_t line = 0; line < FETCH_LINES; line++) {
        __builtin_prefetch(from + 64 * line, 0);
        __builtin_prefetch(to + 64 * line, 1);
    }
}

static inline enum work_status copy_plainly(struct work_item *item, const struct doca_buf *src,
                                            struct doca_buf *dst, size_t n)
{
    if (n >= copy_string_from)
        fetch_next(item);
    copy_whole(buf_tail(dst) + dst->to_local, src->data + src->to_local, n,
               &item->link->executor->copied);
    dst->data_len += n;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

// Out of line of copies within the process.
__attribute__((noinline)) static enum work_status
copy_imported(struct work_item *item, const struct doca_buf *src, struct doca_buf *dst, size_t n)
{
    const struct memory *from = src->memory, *to = dst->memory;

    if (touch_begin(item->link, from, to) != DOCA_SUCCESS)
        return dma_start(item, DMA_APPEND); // reports why
    copy_plainly(item, src, dst, n);
    touch_end(item->link, from, to);
    return WORK_DONE;
}

enum work_status dma_execute_exact(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;
    const struct doca_dev *device = item->link->device;
    uint8_t *from = job->from.start, *to = job->to.start;
    uint64_t n = job->total;

    bool plain = has(src, BUF_DIRECT | BUF_READABLE) && has(dst, BUF_DIRECT | BUF_WRITABLE) &&
                 buf_has_device(src, device) && buf_has_device(dst, device) && n - 1 < DMA_STEP &&
                 buf_holds(src, from, n) && buf_holds(dst, to, n) &&
                 touch_begin(item->link, src->memory, dst->memory) == DOCA_SUCCESS;
    if (!plain)
        return dma_start(item, DMA_EXACT);
    memmove(to + dst->to_local, from + src->to_local, n);
    touch_end(item->link, src->memory, dst->memory);
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

// From the data of the source to the tailroom of the destination.
__attribute__((noinline)) static enum work_status execute_whole(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src;
    struct doca_buf *dst = job->dst;
    const struct doca_dev *device = item->link->device;
    size_t n = src->data_len;

    // If anything differs from the common case, it is checked again, item by item,
    // elsewhere.
    bool plain = !src->next && !dst->next && buf_has_device(src, device) &&
                 buf_has_device(dst, device) && has(src, BUF_DIRECT | BUF_READABLE) &&
                 has(dst, BUF_DIRECT | BUF_WRITABLE) && buf_sound(src) && buf_sound(dst) &&
                 n - 1 < DMA_STEP && n <= buf_tailroom(dst);
    if (__builtin_expect(!plain, 0))
        return dma_start(item, DMA_APPEND);
    if (__builtin_expect((src->flags | dst->flags) & BUF_IMPORTED, 0))
        return copy_imported(item, src, dst, n);
    return copy_plainly(item, src, dst, n);
}

// Says whether a job of these buffers is a copy within this process, which nothing can revoke.
static inline bool is_local(const struct doca_buf *src, const struct doca_buf *dst,
                            const struct doca_dev *device)
{
    uint8_t from = src->flags & (BUF_DIRECT | BUF_READABLE | BUF_IMPORTED);
    uint8_t to = dst->flags & (BUF_DIRECT | BUF_WRITABLE | BUF_IMPORTED);

    return from == (BUF_DIRECT | BUF_READABLE) && to == (BUF_DIRECT | BUF_WRITABLE) &&
           src->device == device && dst->device == device;
}

// The same, in few instructions and without a call for the shortest copies.
static inline __attribute__((always_inline)) enum work_status execute_append(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src;
    struct doca_buf *dst = job->dst;
    size_t n = src->data_len;

    if (n - 1 >= MOVE_SHORT_MAX || src->next || dst->next ||
        !is_local(src, dst, item->link->device) || !buf_sound(src) || !buf_sound(dst) ||
        n > buf_tailroom(dst))
        return execute_whole(item);
    move_short(buf_tail(dst) + dst->to_local, src->data + src->to_local, n);
    dst->data_len += n;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

enum work_status dma_execute(struct work_item *item)
{
    if (__builtin_expect(item->type != DOCA_DMA_JOB_MEMCPY, 0))
        return dma_execute_exact(item); // a job of the 1.3 interface
    return execute_append(item);
}

__attribute__((noinline, cold)) static enum work_status fail_without(struct work_item *item)
{
    struct errtext err;
    doca_error_t r = dma_not_given(&err);
    return dma_failed(item, r, &err);
}

enum work_status dma_execute_task(struct work_item *item)
{
    if (__builtin_expect(!dma_given(dma_job_of(item)), 0))
        return fail_without(item);
    return execute_append(item);
}
