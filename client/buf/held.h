// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A job works on its buffers as they were when it was submitted: right afterwards the program may
// release them, change them, or use them for the next job. So a job that reads its buffers later
// holds copies of them. The copies come from an allocator of the job's context, and each counts as
// a buffer of its map, which therefore outlives the job.

#ifndef CLIENT_BUF_HELD_H
#define CLIENT_BUF_HELD_H

#include "buf_allocator.h"

// Allocates the copies of `jobs` jobs with two buffers each, up to a limit. Jobs with more
// buffers make it grow, and it does not shrink again. Returns NO_MEMORY.
doca_error_t held_open(struct buf_allocator *copies, uint32_t jobs, struct errtext *err);
// All copies must have been released. An allocator of zeroes is allowed.
void held_close(struct buf_allocator *copies);

// Copies a list, up to one buffer more than `most`, so that the job detects that it is too long.
// *held is NULL if there is no list, or its first buffer was released. Returns NO_MEMORY.
doca_error_t buf_hold(struct buf_allocator *copies, const struct doca_buf *list,
                      const struct doca_dev *device, unsigned most, struct doca_buf **held);

// The same for the source and the destination of a job: both, or neither.
doca_error_t buf_hold_both(struct buf_allocator *copies, const struct doca_dev *device,
                           unsigned most, const struct doca_buf *src, const struct doca_buf *dst,
                           struct doca_buf **held_src, struct doca_buf **held_dst);

// The text of that error.
#define HELD_NO_MEMORY "no memory for copies of the job's list of buffers"

// Holds the map of a job that needs no copy, so that the map outlives the job. Returns NULL if the
// map has no count for this allocator left.
static inline struct buf_count *buf_hold_map(struct buf_allocator *copies, struct doca_mmap *mmap)
{
    struct buf_count *count = copies->count;

    if (__builtin_expect(
            copies->counted_map != mmap ||
                (count && atomic_load_explicit(&count->owner, memory_order_relaxed) != copies),
            0))
        count = buf_allocator_count(copies, mmap);
    if (count)
        atomic_store_explicit(&count->n, atomic_load_explicit(&count->n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    return count;
}

static inline void buf_release_map(struct buf_count *count)
{
    // Release: the job is over before the map may end.
    atomic_store_explicit(&count->n, atomic_load_explicit(&count->n, memory_order_relaxed) - 1,
                          memory_order_release);
}

// Releases the copies. Takes NULL.
void buf_release(struct doca_buf *held);

// The same for a list that a job has written to: the lengths of the copies become those of the
// program's buffers, except where the program has changed a buffer since.
void buf_release_written(struct doca_buf *held);

// The same for the source and the destination of a job, which are set to NULL.
void buf_release_both(struct doca_buf **src, struct doca_buf **dst, bool written);

#endif
