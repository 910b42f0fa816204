// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The beginning of SHA jobs.

#include "sha_job.h"

#include "work/bytes.h"

doca_error_t sha_take_buffers(struct sha_job *job, const struct doca_buf *source,
                              const struct doca_buf *response)
{
    doca_error_t r = buf_hold_both(&sha_queue_of(job->item)->copies, job->item->link->device,
                                   SHA_LIST_MAX, source, response, &job->src, &job->response);
    if (r != DOCA_SUCCESS)
        job->item->refusal = HELD_NO_MEMORY;
    return r;
}

static bool sum_up(struct sha_job *job)
{
    struct stream_sum sum;
    bool sound = stream_sum(job->src, STREAM_DATA, SHA_LIST_MAX, &sum);

    job->size = sum.bytes;
    job->mapped = sum.mapped;
    job->direct = sum.mapped && (job->response->flags & BUF_DIRECT);
    job->imported = sum.imported || job->response->memory->imported;
    return sound;
}

// Checks the session, and access to all buffers.
static doca_error_t check(struct sha_job *job, struct errtext *err)
{
    const struct work_link *link = job->item->link;

    if (job->session && job->session->failed)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "an earlier segment of the message failed");
    if (job->too_long)
        return errtext_set(err, dev_over_limit(link->device), "%s", sha_too_long);
    if (!sum_up(job))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source was changed while the job was in flight");
    for (const struct doca_buf *buf = job->src; buf; buf = buf->next) {
        doca_error_t r = bytes_check(link, buf, false, "source", err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    return bytes_check(link, job->response, true, "response", err);
}

static void begin(struct sha_job *job, struct sha_digest *own)
{
    struct doca_sha_partial_session *session = job->session;
    const struct stream_plan plan = {.list = job->src, .part = STREAM_DATA, .total = job->size};

    job->digest = session ? &session->digest : own;
    if (!session || !session->started)
        sha_digest_begin(job->digest, job->algorithm);
    if (session)
        session->started = true;
    source_begin(&job->source, job->mapped ? NULL : job->item->link, &plan);
    job->phase = SHA_HASHING;
}

// ---- on a worker -----------------------------------------------------------------------

static void run(struct worker_op *worker)
{
    struct sha_job *job = container_of(worker, struct sha_job, worker);

    begin(job, &job->own); // a session has one job in progress
    sha_move(job, worker->activity, NULL);
}

static enum work_status end(struct sha_job *job, const char *why)
{
    struct errtext err;

    if (job->error == DOCA_SUCCESS)
        return sha_succeeded(job->item);
    errtext_set(&err, job->error, "%s", why ? why : bytes_error_text(job->error));
    return sha_failed(job->item, job->error, &err);
}

static void done(struct worker_op *worker, enum worker_end how)
{
    struct sha_job *job = container_of(worker, struct sha_job, worker);
    struct work_item *item = job->item;

    if (how != WORKER_RAN)
        job->error = worker_end_error(how);
    end(job, how == WORKER_LOST ? WORKER_LOST_TEXT : NULL);
    executor_finish(item->link->executor, item);
}

const struct worker_calls sha_worker_calls = {.run = run, .done = done};

static bool offload(struct sha_job *job)
{
    struct worker_port *port = &sha_queue_of(job->item)->port;

    return job->direct && (!job->imported || worker_port_touches(port)) &&
           worker_offload(port, &job->worker);
}

// ---- on the thread of the executor -------------------------------------------------------

static bool has_turn(const struct sha_job *job)
{
    return !job->session || job->ticket == job->session->executed;
}

static enum work_status move_on(struct sha_job *job)
{
    struct sha_queue *queue = sha_queue_of(job->item);
    bool quick = job->direct && job->size <= SHA_STEP; // done in this call

    if (!sha_move(job, job->item->link->activity, quick ? NULL : queue))
        return WORK_WAITING;
    return end(job, NULL);
}

static enum work_status begin_here(struct sha_job *job)
{
    bool quick = job->direct && job->size <= SHA_STEP;

    begin(job, quick ? &sha_queue_of(job->item)->scratch : &job->own);
    return move_on(job);
}

enum work_status sha_execute(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->phase != SHA_QUEUED)
        return sha_continue(item);
    if (!workers_most() ||
        (sum_up(job) && !worker_pays(item->link->executor, job->size, SHA_OFFLOAD_FROM))) {
        job->phase = SHA_LATER;
        return WORK_LATER;
    }
    if (!has_turn(job))
        return WORK_WAITING;
    doca_error_t r = check(job, &err);
    if (r != DOCA_SUCCESS)
        return sha_failed(item, r, &err);
    if (offload(job))
        return executor_keep(item->link->executor);
    job->phase = SHA_LATER;
    return WORK_LATER;
}

// A job that was not computed when it was submitted.
static bool offloads_now(const struct sha_job *job)
{
    const struct executor *executor = job->item->link->executor;

    if (job->phase == SHA_QUEUED) // it has waited for the segment before it
        return worker_pays(executor, job->size, SHA_OFFLOAD_FROM);
    return worker_pays_asleep(executor, job->size, SHA_OFFLOAD_FROM);
}

enum work_status sha_continue(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->phase >= SHA_HASHING)
        return move_on(job);
    if (!has_turn(job))
        return WORK_WAITING;
    doca_error_t r = check(job, &err);
    if (r != DOCA_SUCCESS)
        return sha_failed(item, r, &err);
    if (offloads_now(job) && offload(job))
        return executor_keep(item->link->executor);
    return begin_here(job);
}

enum work_status sha_cancel(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);

    if (job->phase >= SHA_HASHING)
        return WORK_WAITING;
    job->error = DOCA_ERROR_SHUTDOWN;
    return end(job, NULL);
}
