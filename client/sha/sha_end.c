// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of SHA jobs.

#include "sha_job.h"

#include "core/device_card.h"
#include "core/report.h"

static void count_bytes(struct work_stats *stats, const struct sha_job *job)
{
    WORK_STATS_ADD(stats->mapped_bytes, job->source.stream.mapped);
    WORK_STATS_ADD(stats->engine_bytes, job->source.stream.brokered);
}

// Releases the copies of the buffers of a job that ends, or is dropped.
static void release(struct sha_job *job, bool written)
{
    buf_release_both(&job->src, &job->response, written);
}

void sha_drop(struct work_item *item)
{
    release(sha_job_of(item), false);
}

static enum work_status complete(struct work_item *item, doca_error_t error)
{
    struct sha_job *job = sha_job_of(item);
    struct doca_sha_partial_session *session = job->session;

    item->error = error;
    release(job, error == DOCA_SUCCESS && job->final);
    if (job->phase >= SHA_HASHING)
        count_bytes(item->link->stats, job);
    if (session && error != DOCA_ERROR_SHUTDOWN) {
        session->failed = error != DOCA_SUCCESS && !job->final;
        session->started = session->started && !job->final;
    }
    if (session)
        session->executed++;
    if (job->over)
        job->over(job);
    return WORK_DONE;
}

enum work_status sha_succeeded(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);

    if (job->final)
        job->response->data_len = sha_digest_size(job->algorithm);
    return complete(item, DOCA_SUCCESS);
}

enum work_status sha_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    error = dev_task_error(item->link->device, error);
    if (error == DOCA_ERROR_SHUTDOWN)
        return complete(item, error); // the program has stopped the context
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "SHA on %s: a job failed: %s (%s)",
            dev_name(item->link->device), err->s, doca_get_error_name(error));
    return complete(item, error);
}
