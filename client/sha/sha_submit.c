// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The submission of SHA jobs of the 2.2 interface.

#include "sha_submit.h"

static const char *wrong_session(const struct sha_queue *queue,
                                 const struct doca_sha_partial_session *session,
                                 enum sha_algorithm algorithm)
{
    if (!sha_session_valid(queue, session))
        return "the session is NULL, was destroyed, or belongs to another context or work queue";
    if (session->open && session->algorithm != algorithm)
        return "the session is in the middle of a message of another algorithm";
    return NULL;
}

static const char *wrong_flags(uint64_t flags)
{
    // A job that is not partial is final in any case; programs set the flag all the same.
    if (flags & ~(uint64_t)DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL)
        return "the job has unknown flags";
    return NULL;
}

doca_error_t sha_prepare(struct work_item *item, const void *submitted)
{
    const struct doca_sha_job *job = submitted;
    struct sha_queue *queue = sha_queue_of(item);
    struct sha_job *mine = &queue->jobs[item - item->link->executor->items];
    int type = job->base.type;

    if (!sha_type_known(type)) {
        item->refusal = "the job's type is not a SHA job";
        return DOCA_ERROR_INVALID_VALUE;
    }
    bool partial = type >= DOCA_SHA_JOB_SHA1_PARTIAL;
    bool final = !partial || (job->flags & DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL);
    enum sha_algorithm algorithm = sha_type_algorithm(type);
    struct doca_sha_partial_session *session =
        partial ? ((const struct doca_sha_partial_job *)submitted)->session : NULL;
    const char *wrong = wrong_flags(job->flags);
    if (!wrong)
        wrong = sha_wrong_buffers(dev_card(item->link->device), job->req_buf, job->resp_buf,
                                  algorithm, !final);
    bool late = wrong == sha_too_long && dev_has(item->link->device, CARD_OVER_LIMIT);
    if (late)
        wrong = NULL;
    if (!wrong && partial)
        wrong = wrong_session(queue, session, algorithm);
    if (wrong) {
        item->refusal = wrong;
        return DOCA_ERROR_INVALID_VALUE;
    }
    mine->item = item;
    mine->over = NULL;
    mine->session = session;
    mine->algorithm = algorithm;
    mine->final = final;
    mine->too_long = late;
    mine->phase = SHA_QUEUED;
    mine->error = DOCA_SUCCESS;
    sha_job_set(item, mine);
    doca_error_t r = sha_take_buffers(mine, job->req_buf, job->resp_buf);
    if (r != DOCA_SUCCESS)
        return r;
    if (session) {
        session->open = !final;
        session->algorithm = algorithm;
        mine->ticket = session->submitted++;
    }
    return DOCA_SUCCESS;
}
