// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of SHA jobs.

#include "sha_job.h"

#include "core/device.h"
#include "core/report.h"

static enum work_status over(struct work_item *item, doca_error_t error)
{
    struct sha_job *job = sha_job_of(item);
    struct sha_queue *queue = sha_queue_of(item);
    struct doca_sha_partial_session *session = job->session;

    item->error = error;
    if (session) {
        session->failed = error != DOCA_SUCCESS && !job->final;
        session->started = session->started && !job->final;
        session->executed++;
    } else if (job->digest && job->digest != &queue->scratch) {
        sha_lane_put(queue, job->digest);
    }
    return WORK_DONE;
}

enum work_status sha_succeeded(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);

    if (job->final)
        job->response->data_len = sha_digest_size(job->algorithm);
    return over(item, DOCA_SUCCESS);
}

enum work_status sha_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "SHA on %s: a job failed: %s (%s)",
            dev_name(item->link->device), err->s, doca_get_error_name(error));
    return over(item, error);
}
