// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs: the short way for plain copies, and the checks of all others.

#include "dma_job.h"

#include "core/device.h"
#include "work/bytes.h"
#include "work/copy.h"
#include "work/touch.h"
#include "work_stats.h"

#include <doca_dma.h>
#include <doca_log.h>
#include <string.h>

#define FETCH_LINES 8

DOCA_LOG_REGISTER(DOCA_DMA);

// ---- plain copies ------------------------------------------------------------------

static inline bool has(const struct doca_buf *buf, uint8_t flags)
{
    return (buf->flags & flags) == flags;
}

// The next job's first lines, while this one's are copied: with the instruction that
// copies them nothing overlaps by itself. The next job is only looked at: its checks are
// still to come.
static inline void fetch_next(const struct work_item *item)
{
    const struct work_item *next = item->link->executor->queue.head;

    if (!next || next->link != item->link)
        return;
    const struct dma_job *job = (const struct dma_job *)next->job;
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
    copy_whole(buf_tail(dst) + dst->to_local, src->data + src->to_local, n);
    dst->data_len += n;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

// Out of the way of copies within the process.
__attribute__((noinline)) static enum work_status
copy_imported(struct work_item *item, const struct doca_buf *src, struct doca_buf *dst, size_t n)
{
    const struct memory *from = src->memory, *to = dst->memory;

    if (touch_begin(item->link, from, to) != DOCA_SUCCESS)
        return dma_start(item); // says why
    copy_plainly(item, src, dst, n);
    touch_end(item->link, from, to);
    return WORK_DONE;
}

static enum work_status execute_1_3(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src;
    struct doca_buf *dst = job->dst;
    const struct doca_dev *device = item->link->device;
    uint64_t n = job->exactly;

    bool plain = has(src, BUF_DIRECT | BUF_READABLE) && has(dst, BUF_DIRECT | BUF_WRITABLE) &&
                 buf_has_device(src, device) && buf_has_device(dst, device) && n - 1 < DMA_STEP &&
                 n <= src->len && n <= dst->len &&
                 touch_begin(item->link, src->memory, dst->memory) == DOCA_SUCCESS;
    if (!plain)
        return dma_start(item);
    memmove(dst->head + dst->to_local, src->head + src->to_local, n);
    touch_end(item->link, src->memory, dst->memory);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

enum work_status dma_execute(struct work_item *item)
{
    if (__builtin_expect(item->type != DOCA_DMA_JOB_MEMCPY, 0))
        return execute_1_3(item);
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src;
    struct doca_buf *dst = job->dst;
    const struct doca_dev *device = item->link->device;
    size_t n = src->data_len;

    // Whatever is not as in the common case is looked at again, one by one, elsewhere.
    bool plain = !src->next && !dst->next && buf_has_device(src, device) &&
                 buf_has_device(dst, device) && has(src, BUF_DIRECT | BUF_READABLE) &&
                 has(dst, BUF_DIRECT | BUF_WRITABLE) && buf_sound(src) && buf_sound(dst) &&
                 n - 1 < DMA_STEP && n <= buf_tailroom(dst);
    if (__builtin_expect(!plain, 0))
        return dma_start(item);
    if (__builtin_expect((src->flags | dst->flags) & BUF_IMPORTED, 0))
        return copy_imported(item, src, dst, n);
    return copy_plainly(item, src, dst, n);
}

// ---- checks -------------------------------------------------------------------------

// Checks each buffer of a list; *bytes is the data of a source, the tailroom of a
// destination.
static doca_error_t check_list(struct work_item *item, const struct doca_buf *list, bool write,
                               uint64_t *bytes, struct errtext *err)
{
    const struct dma_job *job = dma_job_of(item);
    const char *side = write ? "destination" : "source";
    uint64_t sum = 0;
    unsigned n = 0;

    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > DMA_LIST_MAX)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the %s has more than %u buffers, the most that a job takes", side,
                               DMA_LIST_MAX);
        if (!buf_sound(buf))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "buffer %u of the %s: %zu bytes of data at %p are outside its %zu "
                               "bytes at %p",
                               n, side, buf->data_len, (void *)buf->data, buf->len,
                               (void *)buf->head);
        doca_error_t r = bytes_check(item->link, buf, write, side, err);
        if (r != DOCA_SUCCESS)
            return r;
        sum += dma_span(job, buf, write).length;
        if (job->exact)
            break; // of lists, that interface knows nothing
    }
    *bytes = sum;
    return DOCA_SUCCESS;
}

// Both buffers must have the bytes that the 1.3 interface's job counts.
static doca_error_t check_exact(const struct dma_job *job, struct errtext *err)
{
    if (job->exactly && job->exactly <= job->src->len && job->exactly <= job->dst->len)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "num_bytes_to_copy is %llu, the source has %zu bytes and the destination "
                       "%zu",
                       (unsigned long long)job->exactly, job->src->len, job->dst->len);
}

doca_error_t dma_check(struct work_item *item, struct errtext *err)
{
    struct dma_job *job = dma_job_of(item);
    uint64_t room;

    doca_error_t r = job->exact ? check_exact(job, err) : DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        r = check_list(item, job->src, false, &job->total, err);
    if (r == DOCA_SUCCESS)
        r = check_list(item, job->dst, true, &room, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (job->total == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has no data; doca_buf_set_data() says what to copy");
    if (job->total > DMA_SIZE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has %llu bytes of data, a job takes %llu",
                           (unsigned long long)job->total, DMA_SIZE_MAX);
    if (job->total > room)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%llu bytes do not fit into the destination's tailroom of %llu; "
                           "doca_buf_reset_data_len() empties a buffer that is used again",
                           (unsigned long long)job->total, (unsigned long long)room);
    return DOCA_SUCCESS;
}

// ---- ends ---------------------------------------------------------------------------

enum work_status dma_succeeded(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    uint64_t left = job->total;

    for (struct doca_buf *buf = job->dst; buf && left && !job->exact; buf = buf->next) {
        uint64_t room = buf_tailroom(buf), n = left < room ? left : room;
        buf->data_len += n;
        left -= n;
    }
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

enum work_status dma_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    DOCA_LOG_ERR("DMA on %s: a memcpy failed: %s (%s)", dev_name(item->link->device), err->s,
                 doca_get_error_name(error));
    item->error = error;
    return WORK_DONE;
}
