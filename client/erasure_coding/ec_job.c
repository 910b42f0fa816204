// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding jobs: their checks, and their beginnings and ends.

#include "ec_job.h"

#include "card_time.h"
#include "core/device_card.h"
#include "core/report.h"
#include "plural.h"
#include <stdlib.h>
#include <string.h>

static void run(struct worker_op *worker);
static void done(struct worker_op *worker, enum worker_end how);

static const struct worker_calls calls = {.run = run, .done = done};

doca_error_t ec_queue_open(struct work_link *link, uint32_t jobs, struct errtext *err)
{
    struct ec_queue *queue = aligned_alloc(_Alignof(struct ec_queue), sizeof(*queue));

    if (!queue)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for the staging of blocks");
    memset(queue, 0, sizeof(*queue));
    worker_port_open(&queue->port, link->executor, link->device ? dev_session(link->device) : NULL,
                     &calls);
    link->state = queue;
    // Pages of these that are never touched cost no memory.
    queue->stage = malloc(EC_STAGE_SIZE);
    queue->jobs = calloc(jobs ? jobs : 1, sizeof(*queue->jobs));
    queue->scratches = calloc(workers_most() + 1, sizeof(*queue->scratches));
    if (!queue->stage || !queue->jobs || !queue->scratches) {
        ec_queue_close(link);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for the staging of blocks");
    }
    queue->own = queue->scratches + workers_most();
    doca_error_t r = held_open(&queue->copies, link->depth, err);
    if (r != DOCA_SUCCESS)
        ec_queue_close(link);
    return r;
}

void ec_queue_close(struct work_link *link)
{
    struct ec_queue *queue = link->state;

    worker_port_close(&queue->port);
    held_close(&queue->copies);
    free(queue->stage);
    free(queue->jobs);
    free(queue->scratches);
    free(queue);
    link->state = NULL;
}

// ---- checks ----------------------------------------------------------------------------

// A coding matrix that is its own inverse also recovers: programs with one redundancy block, the
// sum of all data, recover any block with it.
static bool matrix_suits(const struct ec_job *job)
{
    enum ec_use use = job->matrix->use;

    switch (job->kind) {
    case EC_CREATE_RDNC:
        return use == EC_CODING;
    case EC_UPDATE_RDNC:
        return use == EC_UPDATE;
    case EC_RECOVER_DATA:
        return use == EC_RECOVER || use == EC_CODING;
    default:
        return true;
    }
}

doca_error_t ec_check_blocks(const struct doca_dev *dev, size_t n_data, size_t n_rdnc,
                             struct errtext *err)
{
    uint64_t data = dev_card(dev)->values[CARD_EC_DATA], rdnc = dev_card(dev)->values[CARD_EC_RDNC];

    if (n_data <= data && n_rdnc <= rdnc)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "%zu data blocks and %zu redundancy blocks; %s has at most %llu and %llu",
                       n_data, n_rdnc, dev_card(dev)->name, (unsigned long long)data,
                       (unsigned long long)rdnc);
}

static doca_error_t check_sizes(struct ec_job *job, struct errtext *err)
{
    const struct doca_dev *dev = job->item->link->device;
    uint32_t n_in = job->matrix->n_in, n_out = job->matrix->n_out;
    uint32_t most = (uint32_t)dev_most(dev, CARD_EC_LIST, EC_LIST_MAX);
    uint32_t longest = (uint32_t)dev_most(dev, CARD_EC_BLOCK_SIZE, EC_BLOCK_MAX);
    struct stream_sum src, dst;

    if (!stream_sum(job->src, STREAM_DATA, most, &src) ||
        !stream_sum(job->dst, STREAM_TAIL, most, &dst))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a list has more than %u buffer%s, or data outside of a buffer", most,
                           PLURAL(most));
    uint64_t size = src.bytes;
    bool whole = size > 0 && size % n_in == 0;
    if (!whole || size / n_in > longest)
        return errtext_set(err, whole ? dev_over_limit(dev) : DOCA_ERROR_INVALID_VALUE,
                           "the source has %llu bytes; the matrix takes %u blocks of 1 to %u bytes",
                           (unsigned long long)size, n_in, longest);
    job->block = size / n_in;
    uint64_t multiple = dev_card(dev)->values[CARD_EC_MULTIPLE];
    if (multiple > 1 && job->block % multiple)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "blocks of %llu bytes; those of %s are a multiple of %llu",
                           (unsigned long long)job->block, dev_card(dev)->name,
                           (unsigned long long)multiple);
    if (dst.bytes < job->block * n_out)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the destination has room for %llu bytes behind its data; the result "
                           "has %u blocks of %llu",
                           (unsigned long long)dst.bytes, n_out, (unsigned long long)job->block);
    job->in_place = ec_in_place(job, &src, &dst);
    job->imported = src.imported || dst.imported;
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
    // The matrix may have been made before the device was set.
    doca_error_t r = ec_check_blocks(link->device, job->matrix->n_data, job->matrix->n_rdnc, err);
    if (r == DOCA_SUCCESS)
        r = check_sizes(job, err);
    for (const struct doca_buf *buf = job->src; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, false, "source", err);
    for (const struct doca_buf *buf = job->dst; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, true, "destination", err);
    return r;
}

// ---- resources of a job -------------------------------------

doca_error_t ec_take(struct ec_job *job, const struct doca_buf *src, const struct doca_buf *dst)
{
    doca_error_t r = buf_hold_both(&ec_queue_of(job->item)->copies, job->item->link->device,
                                   EC_LIST_MAX, src, dst, &job->src, &job->dst);
    if (r != DOCA_SUCCESS) {
        job->item->refusal = HELD_NO_MEMORY;
        return r;
    }
    job->at = 0;
    job->in_place = false; // until ec_check() has set it
    job->error = DOCA_SUCCESS;
    job->holds = job->matrix && job->matrix->number == job->matrix_number;
    if (job->holds)
        ec_matrix_hold(job->matrix);
    return DOCA_SUCCESS;
}

static void release(struct ec_job *job, bool written)
{
    buf_release_both(&job->src, &job->dst, written);
    if (job->holds)
        ec_matrix_release(job->matrix);
    job->holds = false;
}

void ec_drop(struct work_item *item)
{
    release(ec_job_of(item), false);
}

// ---- ends ------------------------------------------------------------------------------

static enum work_status complete(struct ec_job *job, doca_error_t error, const struct errtext *err)
{
    struct work_item *item = job->item;
    struct ec_queue *queue = ec_queue_of(item);

    if (queue->on_stage == job)
        queue->on_stage = NULL;
    item->error = error = dev_task_error(item->link->device, error);
    if (error == DOCA_SUCCESS)
        stream_extend(job->dst, job->block * job->matrix->n_out);
    if (job->holds && job->in_place)
        WORK_STATS_ADD(item->link->stats->mapped_bytes, job->at * job->matrix->n_in);
    release(job, error == DOCA_SUCCESS);
    if (error != DOCA_SUCCESS && error != DOCA_ERROR_SHUTDOWN) // the program has stopped it
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err),
                "erasure coding on %s: a job failed: %s (%s)", dev_name(item->link->device), err->s,
                doca_get_error_name(error));
    return WORK_DONE;
}

static enum work_status end(struct ec_job *job, const char *why)
{
    struct errtext err;

    if (job->error != DOCA_SUCCESS)
        errtext_set(&err, job->error, "%s", why ? why : bytes_error_text(job->error));
    return complete(job, job->error, &err);
}

// ---- on a worker -----------------------------------------------------------------------

static void run(struct worker_op *worker)
{
    struct ec_job *job = container_of(worker, struct ec_job, worker);

    ec_multiply_in_place(job, worker->activity, &ec_queue_of(job->item)->scratches[worker->worker]);
}

static void done(struct worker_op *worker, enum worker_end how)
{
    struct ec_job *job = container_of(worker, struct ec_job, worker);
    struct work_item *item = job->item;

    if (how != WORKER_RAN)
        job->error = worker_end_error(how);
    end(job, how == WORKER_LOST ? WORKER_LOST_TEXT : NULL);
    executor_finish(item->link->executor, item);
}

static uint64_t products(const struct ec_job *job)
{
    return job->block * job->matrix->n_in * job->matrix->n_out;
}

static bool offload(struct ec_job *job)
{
    struct worker_port *port = &ec_queue_of(job->item)->port;

    if (!job->in_place || (job->imported && !worker_port_touches(port)))
        return false;
    return worker_offload(port, &job->worker);
}

// ---- on the thread of the executor -------------------------------------------------------

static enum work_status begin_here(struct ec_job *job)
{
    struct ec_queue *queue = ec_queue_of(job->item);

    if (!job->in_place && queue->on_stage)
        return WORK_WAITING;
    job->phase = EC_CHECKED;
    if (job->in_place) {
        ec_multiply_in_place(job, job->item->link->activity, queue->own);
        return end(job, NULL);
    }
    queue->on_stage = job;
    return ec_stage_move(job, queue) ? end(job, NULL) : WORK_WAITING;
}

// Cards have a time model only for creating redundancy blocks.
void ec_measure(const struct work_item *item, struct card_work *work)
{
    const struct ec_job *job = ec_job_of(item);
    const struct ec_matrix *matrix = job->matrix;
    struct stream_sum src;

    if (job->kind != EC_CREATE_RDNC || !matrix || matrix->number != job->matrix_number ||
        !buf_is_out(job->src) || !stream_sum(job->src, STREAM_DATA, EC_LIST_MAX, &src))
        return;
    *work = (struct card_work){.model = CARD_EC_MODEL,
                               .bytes = src.bytes / matrix->n_data,
                               .n_data = matrix->n_data,
                               .n_rdnc = matrix->n_rdnc};
}

enum work_status ec_execute(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct errtext err;

    if (job->phase != EC_NEW)
        return ec_progress(item);
    job->phase = EC_LATER;
    if (!workers_most())
        return WORK_LATER;
    doca_error_t r = ec_check(job, &err);
    if (r != DOCA_SUCCESS)
        return complete(job, r, &err);
    if (worker_pays(item->link->executor, products(job), EC_OFFLOAD_FROM) && offload(job))
        return executor_keep(item->link->executor);
    return WORK_LATER;
}

enum work_status ec_progress(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct errtext err;

    if (job->phase > EC_LATER)
        return ec_stage_move(job, ec_queue_of(item)) ? end(job, NULL) : WORK_WAITING;
    // Imported memory may have been revoked since it was submitted.
    doca_error_t r = ec_check(job, &err);
    if (r != DOCA_SUCCESS)
        return complete(job, r, &err);
    if (job->phase == EC_LATER &&
        worker_pays_asleep(item->link->executor, products(job), EC_OFFLOAD_FROM) && offload(job))
        return executor_keep(item->link->executor);
    return begin_here(job);
}

enum work_status ec_cancel(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);

    if (job->phase > EC_LATER)
        return WORK_WAITING;
    job->error = DOCA_ERROR_SHUTDOWN;
    return end(job, NULL);
}
