// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The beginning of SHA jobs.

#include "sha_job.h"

#include "work/bytes.h"

// Checks access to all buffers, and whether the job is short and completely mapped.
static doca_error_t check(struct work_item *item, struct errtext *err)
{
    struct sha_job *job = sha_job_of(item);
    uint64_t size;
    bool mapped = job->response->flags & BUF_DIRECT;

    if (!sha_source_size(job->at.buf, &size))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source was changed while the job was in flight");
    for (const struct doca_buf *buf = job->at.buf; buf; buf = buf->next) {
        // The caller does not see what a buffer remembers of its map, so const does not
        // cover it.
        doca_error_t r = bytes_check(item->link, (struct doca_buf *)buf, false, "source", err);
        if (r != DOCA_SUCCESS)
            return r;
        mapped = mapped && (buf->flags & BUF_DIRECT);
    }
    job->quick = mapped && size <= SHA_STEP;
    return bytes_check(item->link, job->response, true, "response", err);
}

static doca_error_t check_session(const struct doca_sha_partial_session *session,
                                  struct errtext *err)
{
    if (session && session->failed)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "an earlier segment of the message failed");
    return DOCA_SUCCESS;
}

static bool take_digest(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct sha_queue *queue = sha_queue_of(item);

    if (job->session)
        job->digest = &job->session->digest;
    else
        job->digest = job->quick ? &queue->scratch : sha_lane_take(queue);
    return job->digest;
}

static void begin_message(const struct sha_job *job)
{
    struct doca_sha_partial_session *session = job->session;

    if (!session || !session->started)
        sha_digest_begin(job->digest, job->algorithm);
    if (session)
        session->started = true;
}

enum work_status sha_execute(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->phase == SHA_QUEUED) {
        if (job->session && job->ticket != job->session->executed)
            return WORK_WAITING;
        doca_error_t r = check_session(job->session, &err);
        if (r == DOCA_SUCCESS)
            r = check(item, &err);
        if (r != DOCA_SUCCESS)
            return sha_failed(item, r, &err);
        job->phase = SHA_CHECKED;
    }
    if (!take_digest(item))
        return WORK_WAITING;
    begin_message(job);
    job->phase = SHA_HASHING;
    job->ahead = job->at;
    return sha_move(item);
}

enum work_status sha_continue(struct work_item *item)
{
    return sha_job_of(item)->phase < SHA_HASHING ? sha_execute(item) : sha_move(item);
}
