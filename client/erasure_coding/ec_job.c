// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding jobs: their checks, and their beginnings and ends.

#include "ec_job.h"

#include "core/device.h"
#include "core/report.h"
#include "cleanup.h"

#include <stdlib.h>

doca_error_t ec_queue_open(struct work_link *link, uint32_t jobs, struct errtext *err)
{
    cleanup_free struct ec_queue *queue = calloc(1, sizeof(*queue));
    // Untouched pages of these cost nothing.
    cleanup_free uint8_t *stage = malloc(EC_STAGE_SIZE);
    cleanup_free struct ec_job *room = calloc(jobs ? jobs : 1, sizeof(*room));

    if (!queue || !stage || !room)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for blocks under way");
    queue->stage = steal_ptr(stage);
    queue->jobs = steal_ptr(room);
    link->state = steal_ptr(queue);
    return DOCA_SUCCESS;
}

void ec_queue_close(struct work_link *link)
{
    struct ec_queue *queue = link->state;

    free(queue->stage);
    free(queue->jobs);
    free(queue);
    link->state = NULL;
}

// ---- checks ----------------------------------------------------------------------------

static bool matrix_suits(const struct ec_job *job)
{
    static const enum ec_use uses[] = {
        [EC_CREATE_RDNC] = EC_CODING, [EC_UPDATE_RDNC] = EC_UPDATE, [EC_RECOVER_DATA] = EC_RECOVER};

    return job->kind == EC_GALOIS_MUL || job->matrix->use == uses[job->kind];
}

static doca_error_t check_sizes(struct ec_job *job, struct errtext *err)
{
    uint32_t n_in = job->matrix->n_in, n_out = job->matrix->n_out;
    struct stream_sum src, dst;

    if (!stream_sum(job->src, STREAM_DATA, EC_LIST_MAX, &src) ||
        !stream_sum(job->dst, STREAM_TAIL, EC_LIST_MAX, &dst))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a list has more than %d buffers, or data outside of a buffer",
                           EC_LIST_MAX);
    uint64_t size = src.bytes;
    if (size == 0 || size % n_in || size / n_in > EC_BLOCK_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has %llu bytes; the matrix takes %u blocks of 1 to %u bytes",
                           (unsigned long long)size, n_in, EC_BLOCK_MAX);
    job->block = size / n_in;
    if (dst.bytes < job->block * n_out)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the destination has room for %llu bytes behind its data; the result "
                           "has %u blocks of %llu",
                           (unsigned long long)dst.bytes, n_out, (unsigned long long)job->block);
    job->in_place = ec_in_place(job, &src, &dst);
    return DOCA_SUCCESS;
}

doca_error_t ec_check(struct ec_job *job, struct errtext *err)
{
    const struct work_link *link = job->item->link;

    if (!buf_is_out(job->src) || !buf_is_out(job->dst))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source or the destination is NULL or was given back");
    if (!job->matrix || job->matrix->number != job->matrix_number)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the matrix is NULL or was destroyed");
    if (!matrix_suits(job))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the matrix is of another kind than the job");
    doca_error_t r = check_sizes(job, err);
    for (const struct doca_buf *buf = job->src; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, false, "source", err);
    for (const struct doca_buf *buf = job->dst; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, true, "destination", err);
    return r;
}

// ---- ends ------------------------------------------------------------------------------

static enum work_status over(struct ec_job *job, doca_error_t error, const struct errtext *err)
{
    struct work_item *item = job->item;
    struct ec_queue *queue = ec_queue_of(item);

    if (queue->on_stage == job)
        queue->on_stage = NULL;
    item->error = error;
    if (error == DOCA_SUCCESS)
        stream_extend(job->dst, job->block * job->matrix->n_out);
    if (job->holds && job->in_place)
        WORK_STATS_ADD(item->link->stats->mapped_bytes, job->at * job->matrix->n_in);
    if (job->holds)
        ec_matrix_release(job->matrix);
    job->holds = false;
    if (error != DOCA_SUCCESS)
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err),
                "erasure coding on %s: a job failed: %s (%s)", dev_name(item->link->device), err->s,
                doca_get_error_name(error));
    return WORK_DONE;
}

static enum work_status moved(struct ec_job *job)
{
    struct errtext err;

    if (job->error != DOCA_SUCCESS)
        errtext_set(&err, job->error, "%s", bytes_error_text(job->error));
    return over(job, job->error, &err);
}

// ---- jobs ------------------------------------------------------------------------------

static enum work_status begin(struct ec_job *job)
{
    struct ec_queue *queue = ec_queue_of(job->item);

    if (!job->in_place && queue->on_stage)
        return WORK_WAITING;
    ec_matrix_hold(job->matrix);
    job->holds = true;
    job->phase = EC_CHECKED;
    if (job->in_place) {
        ec_multiply_in_place(job, job->item->link->activity, &queue->scratch);
        return moved(job);
    }
    queue->on_stage = job;
    return ec_stage_move(job, queue) ? moved(job) : WORK_WAITING;
}

enum work_status ec_execute(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);

    job->at = 0;
    job->error = DOCA_SUCCESS;
    job->phase = EC_NEW;
    job->holds = false;
    return ec_progress(item);
}

enum work_status ec_progress(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct errtext err;

    if (job->phase != EC_NEW)
        return ec_stage_move(job, ec_queue_of(item)) ? moved(job) : WORK_WAITING;
    // Also when it has waited for the stage: buffers may have been given back meanwhile.
    doca_error_t r = ec_check(job, &err);
    return r == DOCA_SUCCESS ? begin(job) : over(job, r, &err);
}
