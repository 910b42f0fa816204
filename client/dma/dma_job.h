// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A copy job, as a work item holds it. What it copies is decided when it is submitted: most jobs
// note two addresses and a length; others hold copies of their buffers (buf/held.h).

#ifndef CLIENT_DMA_DMA_JOB_H
#define CLIENT_DMA_DMA_JOB_H

#include "buf/held.h"
#include "queue/executor.h"

#define DMA_LIST_MAX 64
#define DMA_SIZE_MAX (1ull << 40)
// The most that is copied between two checks that it is still allowed.
#define DMA_STEP ((size_t)1 << 20)

// Where the jobs read and write:
enum dma_way {
    DMA_APPEND,    // lists: from the data of the source to the tailroom of the destination,
                   // whose data grows
    DMA_OVERWRITE, // lists: to the beginning of the data of each destination, whatever its length
    DMA_EXACT,     // one buffer each: a number of bytes between two addresses, both taken
                   // when the job was submitted
    // Jobs whose addresses, of mapped bytes, and whose length were checked when they were
    // submitted: between the process's own memory; with imported memory on one side; and without
    // data that grow.
    DMA_PLAIN,
    DMA_PLAIN_IMPORTED,
    DMA_PLAIN_EXACT,
    DMA_NOT_GIVEN, // a buffer was NULL or had been released
};

// A position in a list of buffers; for DMA_EXACT, in the stretch that begins at `start`.
struct dma_cursor {
    union {
        const struct doca_buf *buf;
        uint8_t *start;
    };
    union {
        size_t offset;
        const struct memory *memory; // of a plain job
    };
};

struct dma_job {
    // The program's buffers. While `held` is set, copies of them.
    struct doca_buf *dst;
    const struct doca_buf *src;
    // Plain jobs and DMA_EXACT have their addresses here, and their length in `total`, from the
    // start. Of others: the part not yet searched for brokered bytes.
    struct dma_cursor from, to;
    union {
        uint64_t left;           // bytes left
        struct buf_count *keeps; // of DMA_PLAIN_IMPORTED: the map, see buf_hold_map()
    };
    uint64_t total;
    uint32_t outstanding; // pieces at an engine
    doca_error_t error;   // of the first piece that failed
    uint8_t way;          // enum dma_way
    bool engine;          // docad's engine copies what it can reach, see dma_engine.h
    bool held;
    bool over;              // for dma_order.c, as is the last
    struct buf_stamp stamp; // of a plain job: the destination's
    uint32_t order;
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

// Returns whether a job of these buffers is a copy within this process, which nothing can revoke.
static inline bool dma_is_local(const struct doca_buf *src, const struct doca_buf *dst,
                                const struct doca_dev *device)
{
    uint8_t from = src->flags & (BUF_DIRECT | BUF_READABLE | BUF_IMPORTED);
    uint8_t to = dst->flags & (BUF_DIRECT | BUF_WRITABLE | BUF_IMPORTED);

    return from == (BUF_DIRECT | BUF_READABLE) && to == (BUF_DIRECT | BUF_WRITABLE) &&
           src->device == device && dst->device == device;
}

// Returns whether both buffers are set and were not released. A task may be submitted without.
static inline bool dma_given(const struct dma_job *job)
{
    return buf_is_out(job->src) && buf_is_out(job->dst);
}

// Called while a job is prepared: sets its buffers, if both are given.
static inline doca_error_t dma_give_buffers(struct work_item *item, const struct doca_buf *src,
                                            struct doca_buf *dst)
{
    if (__builtin_expect(!buf_is_out(src) || !buf_is_out(dst), 0)) {
        item->refusal = "the job's source or destination is NULL or was given back";
        return DOCA_ERROR_INVALID_VALUE;
    }
    dma_job_of(item)->src = src;
    dma_job_of(item)->dst = dst;
    dma_job_of(item)->held = false;
    return DOCA_SUCCESS;
}

// What a prepared job requires of a card; for work_ops.
void dma_measure(const struct work_item *item, struct card_work *work);

// dma_take() for everything but a plain copy within the process.
doca_error_t dma_take_slowly(struct work_item *item) __attribute__((noinline));

// While a job from the data of the source to the tailroom of the destination is prepared, for
// dma_execute(): stores the present state of its buffers, which must not be NULL. NO_MEMORY, with
// the item's refusal.
static inline __attribute__((always_inline)) doca_error_t dma_take(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    const struct doca_buf *src = job->src, *dst = job->dst;
    size_t n = src->data_len;

    if (__builtin_expect(n - 1 >= DMA_STEP || src->next || dst->next ||
                             !dma_is_local(src, dst, item->link->device) || !buf_sound(src) ||
                             !buf_sound(dst) || n > buf_tailroom(dst),
                         0))
        return dma_take_slowly(item);
    job->from.start = src->data + src->to_local;
    job->to.start = buf_tail(dst) + dst->to_local;
    job->total = n;
    job->stamp = buf_stamp(dst);
    job->way = DMA_PLAIN;
    return DOCA_SUCCESS;
}

// The same for n bytes between two addresses in these buffers.
doca_error_t dma_take_exact(struct work_item *item, uint8_t *from, uint8_t *to, uint64_t n);

// Notes the addresses and the length of a DMA_EXACT.
static inline void dma_take_addresses(struct dma_job *job, uint8_t *from, uint8_t *to, uint64_t n)
{
    job->from = (struct dma_cursor){.start = from, .offset = 0};
    job->to = (struct dma_cursor){.start = to, .offset = 0};
    job->total = n;
}

// Executes a job that was taken. If it has to wait, dma_continue() follows. work_ops.drop() is
// dma_drop().
enum work_status dma_execute(struct work_item *item);
enum work_status dma_continue(struct work_item *item);
void dma_drop(struct work_item *item);

// The same for jobs that are executed when they are submitted, and were not taken. The first two
// copy plain jobs, and return WORK_UNTRIED for all others. dma_start() reads the job's buffers
// until it is done, and dma_start_held() copies of them.
enum work_status dma_execute_now(struct work_item *item);
enum work_status dma_execute_exact(struct work_item *item);
enum work_status dma_start(struct work_item *item, enum dma_way way);
enum work_status dma_start_held(struct work_item *item, enum dma_way way);

// The copies of buffers of a context's jobs: link->state, made and freed by these.
doca_error_t dma_attach(struct work_link *link, struct errtext *err);
void dma_detach(struct work_link *link);

// The error of a task for which that is not so.
doca_error_t dma_not_given(struct errtext *err) __attribute__((cold));

struct doca_devinfo;

// Return DOCA_ERROR_NOT_SUPPORTED if the device has no DMA.
doca_error_t dma_check_devinfo(const struct doca_devinfo *devinfo, struct errtext *err);
doca_error_t dma_check_device(const struct doca_dev *dev, struct errtext *err);

// Checks a job and sums it up. Returns the error that it fails with, and why.
doca_error_t dma_check(struct work_item *item, struct errtext *err);

// Releases the copies of buffers that a job has, if any; `written` if it has changed the lengths of
// its destination's.
void dma_release(struct dma_job *job, bool written);

// Completes a job that was moved from end to end.
enum work_status dma_succeeded(struct work_item *item);
// Completes a job that failed, with one log line.
enum work_status dma_failed(struct work_item *item, doca_error_t error, const struct errtext *err);

#endif
