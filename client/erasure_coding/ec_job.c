// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding jobs: their checks, those that are done in place, and their ends.

#include "ec_job.h"

#include "core/device.h"
#include "core/report.h"
#include "work/bytes.h"
#include "work/touch.h"
#include "work_stats.h"

#include <stdlib.h>

// The most that is touched between two checks that it is still allowed.
#define STEP ((size_t)1 << 20)

doca_error_t ec_queue_open(struct work_link *link, struct errtext *err)
{
    struct ec_queue *queue = malloc(sizeof(*queue));
    uint8_t *stage = malloc(EC_STAGE_SIZE); // untouched pages cost nothing

    if (!queue || !stage) {
        free(queue);
        free(stage);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for blocks under way");
    }
    queue->on_stage = NULL;
    queue->stage = stage;
    link->state = queue;
    return DOCA_SUCCESS;
}

void ec_queue_close(struct work_link *link)
{
    struct ec_queue *queue = link->state;

    free(queue->stage);
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
    uint64_t size, room;

    if (!ec_list_sum(job->src, false, &size) || !ec_list_sum(job->dst, true, &room))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a list has more than %d buffers, or data outside of a buffer",
                           EC_LIST_MAX);
    if (size == 0 || size % n_in || size / n_in > EC_BLOCK_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has %llu bytes; the matrix takes %u blocks of 1 to %u bytes",
                           (unsigned long long)size, n_in, EC_BLOCK_MAX);
    job->block = size / n_in;
    if (room < job->block * n_out)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the destination has room for %llu bytes behind its data; the result "
                           "has %u blocks of %llu",
                           (unsigned long long)room, n_out, (unsigned long long)job->block);
    return DOCA_SUCCESS;
}

doca_error_t ec_check(struct work_item *item, struct errtext *err)
{
    struct ec_job *job = ec_job_of(item);

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
        r = bytes_check(item->link, buf, false, "source", err);
    for (const struct doca_buf *buf = job->dst; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(item->link, buf, true, "destination", err);
    return r;
}

// ---- ends ------------------------------------------------------------------------------

static enum work_status over(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    struct ec_job *job = ec_job_of(item);
    struct ec_queue *queue = ec_queue_of(item);

    if (queue->on_stage == item)
        queue->on_stage = NULL;
    item->error = error;
    if (error == DOCA_SUCCESS)
        ec_list_extend(job->dst, job->block * job->matrix->n_out);
    if (job->holds)
        ec_matrix_release(job->matrix);
    job->holds = false;
    if (error != DOCA_SUCCESS)
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err),
                "erasure coding on %s: a job failed: %s (%s)", dev_name(item->link->device), err->s,
                doca_get_error_name(error));
    return WORK_DONE;
}

static enum work_status moved(struct work_item *item)
{
    struct errtext err;
    doca_error_t error = ec_job_of(item)->error;

    if (error != DOCA_SUCCESS)
        errtext_set(&err, error, "%s", bytes_error_text(error));
    return over(item, error, &err);
}

// ---- in place --------------------------------------------------------------------------

// Finds the same part of each block. Returns how many bytes, up to `most`, each has there; 0: the
// list was changed.
static size_t find_blocks(const struct doca_buf *list, bool room, uint32_t n, uint64_t block,
                          uint64_t at, size_t most, uint8_t **blocks)
{
    struct bytes bytes;

    for (uint32_t i = 0; i < n; i++) {
        if (!ec_list_find(list, room, i * block + at, &bytes) || !bytes.local)
            return 0;
        blocks[i] = bytes.local;
        if (bytes.length < most)
            most = bytes.length;
    }
    return most;
}

static doca_error_t multiply_in_place(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct ec_queue *queue = ec_queue_of(item);
    const struct ec_matrix *matrix = job->matrix;
    size_t step = STEP / (matrix->n_in + matrix->n_out) / 64 * 64;

    while (job->at < job->block) {
        size_t left = (size_t)(job->block - job->at), n = left < step ? left : step;
        n = find_blocks(job->src, false, matrix->n_in, job->block, job->at, n, queue->in);
        n = n ? find_blocks(job->dst, true, matrix->n_out, job->block, job->at, n, queue->out) : 0;
        if (!n)
            return DOCA_ERROR_INVALID_VALUE;
        doca_error_t r = touch_begin(item->link, job->src->memory, job->dst->memory);
        if (r != DOCA_SUCCESS)
            return r;
        ec_matrix_multiply(matrix, n, queue->in, queue->out);
        touch_end(item->link, job->src->memory, job->dst->memory);
        WORK_STATS_ADD(item->link->stats->mapped_bytes, n * matrix->n_in);
        job->at += n;
    }
    return DOCA_SUCCESS;
}

// ---- jobs ------------------------------------------------------------------------------

static enum work_status begin(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct ec_queue *queue = ec_queue_of(item);
    bool direct = ec_list_direct(job->src) && ec_list_direct(job->dst);

    if (!direct && queue->on_stage)
        return WORK_WAITING;
    ec_matrix_hold(job->matrix);
    job->holds = true;
    if (direct) {
        job->error = multiply_in_place(item);
        return moved(item);
    }
    queue->on_stage = item;
    job->phase = EC_READING;
    return ec_stage_move(item) ? moved(item) : WORK_WAITING;
}

enum work_status ec_execute(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);

    job->at = 0;
    job->slice = job->next = job->outstanding = 0;
    job->error = DOCA_SUCCESS;
    job->phase = EC_NEW;
    job->holds = false;
    return ec_progress(item);
}

enum work_status ec_progress(struct work_item *item)
{
    struct errtext err;

    if (ec_job_of(item)->phase != EC_NEW)
        return ec_stage_move(item) ? moved(item) : WORK_WAITING;
    // Also when it has waited for the stage: buffers may have been given back meanwhile.
    doca_error_t r = ec_check(item, &err);
    return r == DOCA_SUCCESS ? begin(item) : over(item, r, &err);
}
