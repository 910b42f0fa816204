// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs: how they begin and how they end.

#include "sha_job.h"

#include "work/bytes.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(DOCA_SHA);

static const struct {
    uint32_t size, block;
} sizes[SHA_ALGORITHMS] = {
    [SHA_1] = {DOCA_SHA1_BYTE_COUNT, 64},
    [SHA_256] = {DOCA_SHA256_BYTE_COUNT, 64},
    [SHA_512] = {DOCA_SHA512_BYTE_COUNT, 128},
};

uint32_t sha_digest_size(enum sha_algorithm algorithm)
{
    return sizes[algorithm].size;
}

bool sha_source_size(const struct doca_buf *source, uint64_t *bytes)
{
    uint64_t sum = 0;
    unsigned n = 0;

    for (const struct doca_buf *buf = source; buf; buf = buf->next) {
        if (++n > SHA_LIST_MAX || !buf_sound(buf))
            return false;
        sum += buf->data_len;
    }
    *bytes = sum;
    return true;
}

bool sha_response_fits(const struct doca_buf *response, enum sha_algorithm algorithm)
{
    size_t before = (size_t)(response->data - response->head);
    return before <= response->len && response->len - before >= sizes[algorithm].size;
}

// ---- submission ------------------------------------------------------------------------

// What is wrong with a job's buffers, or NULL.
static const char *wrong_buffers(const struct doca_sha_job *job, enum sha_algorithm algorithm,
                                 bool whole_blocks)
{
    uint64_t size;

    if (!job->req_buf || !job->resp_buf || !job->req_buf->refcount || !job->resp_buf->refcount)
        return "the job's source or response is NULL or was given back";
    if (!sha_response_fits(job->resp_buf, algorithm))
        return "the response has no room for the digest from its data on; see "
               "doca_sha_get_min_dst_buffer_size()";
    if (!sha_source_size(job->req_buf, &size))
        return "the source has more buffers than a job takes, or data outside of a buffer";
    if (size == 0)
        return "the source has no data; doca_buf_set_data() says what to hash";
    if (size > SHA_SIZE_MAX)
        return "the source has more data than a job takes; see doca_sha_get_max_src_buffer_size()";
    if (whole_blocks && size % sizes[algorithm].block)
        return "a segment that is not the final one must be a multiple of 64 bytes long (SHA-512: "
               "128)";
    return NULL;
}

static const char *wrong_session(const struct work_item *item,
                                 const struct doca_sha_partial_session *session,
                                 enum sha_algorithm algorithm)
{
    if (!sha_session_valid(sha_queue_of(item), session))
        return "the session is NULL, was destroyed, or belongs to another context or work queue";
    if (session->open && session->algorithm != algorithm)
        return "the session is in the middle of a message of another algorithm";
    return NULL;
}

static const char *wrong_flags(uint64_t flags, bool partial)
{
    if (flags & ~(uint64_t)(partial ? DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL : 0))
        return "the job has flags that its type does not know";
    return NULL;
}

doca_error_t sha_prepare(struct work_item *item, const void *submitted)
{
    const struct doca_sha_job *job = submitted;
    struct sha_job *mine = sha_job_of(item);
    int type = job->base.type;

    if (!sha_type_known(type)) {
        item->refusal = "the job's type is none of SHA";
        return DOCA_ERROR_INVALID_VALUE;
    }
    bool partial = type >= DOCA_SHA_JOB_SHA1_PARTIAL;
    bool final = !partial || (job->flags & DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL);
    enum sha_algorithm algorithm = sha_type_algorithm(type);
    struct doca_sha_partial_session *session =
        partial ? ((const struct doca_sha_partial_job *)submitted)->session : NULL;
    const char *wrong = wrong_flags(job->flags, partial);
    if (!wrong)
        wrong = wrong_buffers(job, algorithm, !final);
    if (!wrong && partial)
        wrong = wrong_session(item, session, algorithm);
    if (wrong) {
        item->refusal = wrong;
        return DOCA_ERROR_INVALID_VALUE;
    }
    *mine = (struct sha_job){.response = job->resp_buf,
                             .session = session,
                             .at.buf = job->req_buf,
                             .algorithm = algorithm,
                             .phase = SHA_QUEUED,
                             .final = final};
    if (session) {
        session->open = !final;
        session->algorithm = algorithm;
        mine->ticket = session->submitted++;
    }
    return DOCA_SUCCESS;
}

// ---- beginning ---------------------------------------------------------------------------

// Access to all buffers, and whether the job is short and all mapped.
static doca_error_t check(struct work_item *item, struct errtext *err)
{
    struct sha_job *job = sha_job_of(item);
    uint64_t size;
    bool mapped = job->response->flags & BUF_DIRECT;

    if (!sha_source_size(job->at.buf, &size))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source was changed while the job was in flight");
    for (const struct doca_buf *buf = job->at.buf; buf; buf = buf->next) {
        // What a buffer remembers of its map is not part of what the caller sees as const.
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

// ---- ends ----------------------------------------------------------------------------------

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
        job->response->data_len = sizes[job->algorithm].size;
    return over(item, DOCA_SUCCESS);
}

enum work_status sha_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    DOCA_LOG_ERR("SHA on %s: a job failed: %s (%s)", dev_name(item->link->device), err->s,
                 doca_get_error_name(error));
    return over(item, error);
}
