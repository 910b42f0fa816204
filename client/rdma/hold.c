// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The buffers of jobs that stay in flight: at submission, a job stores the address in the one
// buffer of a receive, or copies of all buffers (buf/held.h).

#include "rdma_end.h"

#include "work/copy.h"

#include <stdlib.h>

doca_error_t rdma_copies_open(struct work_link *link, struct errtext *err)
{
    struct buf_allocator *copies = calloc(1, sizeof(*copies));

    if (!copies)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for the jobs of an RDMA context");
    doca_error_t r = held_open(copies, link->depth, err);
    if (r == DOCA_SUCCESS)
        link->copies = copies;
    else
        free(copies);
    return r;
}

void rdma_copies_close(struct work_link *link)
{
    if (link->copies)
        held_close(link->copies);
    free(link->copies);
    link->copies = NULL;
}

doca_error_t rdma_hold(struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of(item);
    struct doca_buf *local, *remote;

    if (job->held)
        return DOCA_SUCCESS;
    if (buf_hold_both(item->link->copies, item->link->device, RDMA_LIST_MAX, job->local,
                      job->remote, &local, &remote) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, HELD_NO_MEMORY);
    job->local = local;
    job->remote = remote;
    job->held = true;
    return DOCA_SUCCESS;
}

// Returns whether the job changes its local buffers.
static bool writes(const struct work_item *item)
{
    switch (rdma_kind(item)) {
    case RDMA_JOB_SEND:
    case RDMA_JOB_SEND_IMM:
    case RDMA_JOB_WRITE:
    case RDMA_JOB_WRITE_IMM:
    case RDMA_JOB_EVENT_SET:
        return false;
    default:
        return true;
    }
}

void rdma_release_held(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);

    buf_release_both(&job->remote, &job->local, item->error == DOCA_SUCCESS && writes(item));
    job->held = false;
}

// ---- receives ----------------------------------------------------------------------------------

void rdma_received_at(struct rdma_job *job, uint64_t at, const uint8_t *from, size_t n,
                      size_t total)
{
    if (__builtin_expect(job->held, 0))
        rdma_scatter(job->local, job->extent, at, from, n, total);
    else if (job->local)
        copy_piece(job->place + at, from, n, total);
}

void rdma_received_all(struct rdma_job *job, uint64_t n)
{
    struct doca_buf *local = job->local;

    if (__builtin_expect(job->held, 0))
        rdma_set_lengths(local, (enum rdma_extent)job->extent, n);
    else if (buf_is_same(local, job->stamp) &&
             rdma_part_at(local, (enum rdma_extent)job->extent) == job->place)
        local->data_len = job->extent == RDMA_BEHIND ? local->data_len + n : n;
}
