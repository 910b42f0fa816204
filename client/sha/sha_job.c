// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The beginning of SHA jobs.

#include "sha_job.h"

#include "work/bytes.h"

// Checks access to all buffers, and whether they are completely mapped.
static doca_error_t check(struct sha_job *job, struct errtext *err)
{
    const struct work_link *link = job->item->link;

    struct stream_sum sum;

    if (!stream_sum(job->src, STREAM_DATA, SHA_LIST_MAX, &sum))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source was changed while the job was in flight");
    job->size = sum.bytes;
    job->mapped = sum.mapped;
    for (const struct doca_buf *buf = job->src; buf; buf = buf->next) {
        doca_error_t r = bytes_check(link, buf, false, "source", err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    job->quick = job->mapped && (job->response->flags & BUF_DIRECT) && job->size <= SHA_STEP;
    return bytes_check(link, job->response, true, "response", err);
}

static doca_error_t check_session(const struct doca_sha_partial_session *session,
                                  struct errtext *err)
{
    if (session && session->failed)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "an earlier segment of the message failed");
    return DOCA_SUCCESS;
}

static void begin(struct sha_job *job)
{
    struct doca_sha_partial_session *session = job->session;
    const struct stream_plan plan = {.list = job->src, .part = STREAM_DATA, .total = job->size};

    if (session)
        job->digest = &session->digest;
    else
        job->digest = job->quick ? &sha_queue_of(job->item)->scratch : &job->own;
    if (!session || !session->started)
        sha_digest_begin(job->digest, job->algorithm);
    if (session)
        session->started = true;
    source_begin(&job->source, job->mapped ? NULL : job->item->link, &plan);
    job->phase = SHA_HASHING;
}

static enum work_status move_on(struct sha_job *job)
{
    struct work_item *item = job->item;
    struct errtext err;

    if (!sha_move(job, item->link->activity, sha_queue_of(item)))
        return WORK_WAITING;
    if (job->error == DOCA_SUCCESS)
        return sha_succeeded(item);
    errtext_set(&err, job->error, "%s", bytes_error_text(job->error));
    return sha_failed(item, job->error, &err);
}

enum work_status sha_execute(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->session && job->ticket != job->session->executed)
        return WORK_WAITING;
    doca_error_t r = check_session(job->session, &err);
    if (r == DOCA_SUCCESS)
        r = check(job, &err);
    if (r != DOCA_SUCCESS)
        return sha_failed(item, r, &err);
    begin(job);
    return move_on(job);
}

enum work_status sha_continue(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    return job->phase < SHA_HASHING ? sha_execute(item) : move_on(job);
}
