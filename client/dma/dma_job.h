// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A copy job, as a work item holds it.

#ifndef CLIENT_DMA_DMA_JOB_H
#define CLIENT_DMA_DMA_JOB_H

#include "buf/buf.h"
#include "queue/executor.h"

#define DMA_LIST_MAX 64
#define DMA_SIZE_MAX (1ull << 40)
// The most that is copied between two checks that it is still allowed.
#define DMA_STEP ((size_t)1 << 20)

// The places where a job reads and writes.
enum dma_way {
    DMA_APPEND,    // lists: from the data of the source to the tailroom of the destination,
                   // whose data grows
    DMA_OVERWRITE, // lists: to the beginning of the data of each destination, whatever its length
    DMA_EXACT,     // one buffer each: a number of bytes between two addresses, both taken
                   // when the job was submitted
};

// A place in a list of buffers; for DMA_EXACT, in the stretch that begins at `start`.
struct dma_cursor {
    union {
        const struct doca_buf *buf;
        uint8_t *start;
    };
    size_t offset;
};

struct dma_job {
    struct doca_buf *dst;
    const struct doca_buf *src;
    // Only jobs that are more than one plain copy use the rest; but a DMA_EXACT has its
    // addresses in `from` and `to`, and its length in `total`, from the start.
    struct dma_cursor from, to; // the part not yet searched for brokered bytes
    uint64_t left;              // bytes left
    uint32_t outstanding;       // pieces at an engine
    doca_error_t error;         // of the first piece that failed
    uint64_t total;
    enum dma_way way;
    bool engine; // docad's engine copies what it can reach, see dma_engine.h
};

_Static_assert(sizeof(struct dma_job) <= WORK_JOB_SIZE, "fits the item");

static inline struct dma_job *dma_job_of(struct work_item *item)
{
    return (struct dma_job *)item->job;
}

// The part of a buffer that a job reads, and the part that it may write.
struct dma_span {
    uint8_t *start;
    size_t length;
};

static inline struct dma_span dma_span(const struct dma_job *job, const struct doca_buf *buf,
                                       bool write)
{
    if (job->way == DMA_EXACT)
        return (struct dma_span){write ? job->to.start : job->from.start, job->total};
    if (write && job->way == DMA_OVERWRITE)
        return (struct dma_span){buf->data, buf->len - (size_t)(buf->data - buf->head)};
    if (write)
        return (struct dma_span){buf_tail(buf), buf_tailroom(buf)};
    return (struct dma_span){buf->data, buf->data_len};
}

// While a job is prepared: takes its buffers, if both are given.
static inline doca_error_t dma_take_buffers(struct work_item *item, const struct doca_buf *src,
                                            struct doca_buf *dst)
{
    if (__builtin_expect(!src || !dst || !src->refcount || !dst->refcount, 0)) {
        item->refusal = "the job's source or destination is NULL or was given back";
        return DOCA_ERROR_INVALID_VALUE;
    }
    dma_job_of(item)->src = src;
    dma_job_of(item)->dst = dst;
    return DOCA_SUCCESS;
}

// After that: notes the addresses and the length of a DMA_EXACT.
static inline void dma_take_addresses(struct dma_job *job, uint8_t *from, uint8_t *to, uint64_t n)
{
    job->from = (struct dma_cursor){.start = from, .offset = 0};
    job->to = (struct dma_cursor){.start = to, .offset = 0};
    job->total = n;
}

// Executes copies between two buffers that are mapped from end to end in place; the rest
// goes to dma_start() and, if it has to wait, to dma_continue().
enum work_status dma_execute(struct work_item *item);
enum work_status dma_execute_task(struct work_item *item); // buffers may be missing
enum work_status dma_execute_exact(struct work_item *item);
enum work_status dma_start(struct work_item *item, enum dma_way way);
enum work_status dma_continue(struct work_item *item);

// Says whether both buffers are given and were not given back. A task may be submitted without.
static inline bool dma_given(const struct dma_job *job)
{
    return job->src && job->dst && job->src->refcount && job->dst->refcount;
}

// The error of a task for which that is not so.
doca_error_t dma_not_given(struct errtext *err) __attribute__((cold));

// Checks a job and sums it up. Returns the error that it fails with, and why.
doca_error_t dma_check(struct work_item *item, struct errtext *err);

// Completes a job that was moved from end to end.
enum work_status dma_succeeded(struct work_item *item);
// Completes a job that failed, with one log line.
enum work_status dma_failed(struct work_item *item, doca_error_t error, const struct errtext *err);

#endif
