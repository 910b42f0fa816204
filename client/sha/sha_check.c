// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The checks of a SHA job when it is submitted.

#include "sha_job.h"

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

const char *sha_wrong_buffers(const struct doca_sha_job *job, enum sha_algorithm algorithm,
                              bool whole_blocks)
{
    uint64_t size;

    if (!job->req_buf || !job->resp_buf || !job->req_buf->refcount || !job->resp_buf->refcount)
        return "the job's source or response is NULL or was given back";
    if (!sha_response_fits(job->resp_buf, algorithm))
        return "the response has no room for the digest, counted from its data; see "
               "doca_sha_get_min_dst_buffer_size()";
    if (!sha_source_size(job->req_buf, &size))
        return "the source has more buffers than a job can take, or data outside of a buffer";
    if (size == 0)
        return "the source has no data; doca_buf_set_data() says what to hash";
    if (size > SHA_SIZE_MAX)
        return "the source has more data than a job can take; see "
               "doca_sha_get_max_src_buffer_size()";
    if (whole_blocks && size % sizes[algorithm].block)
        return "a segment that is not the final one must be a multiple of 64 bytes long (SHA-512: "
               "128)";
    return NULL;
}

const char *sha_wrong_session(const struct sha_queue *queue,
                              const struct doca_sha_partial_session *session,
                              enum sha_algorithm algorithm)
{
    if (!sha_session_valid(queue, session))
        return "the session is NULL, was destroyed, or belongs to another context or work queue";
    if (session->open && session->algorithm != algorithm)
        return "the session is in the middle of a message of another algorithm";
    return NULL;
}

const char *sha_wrong_flags(uint64_t flags)
{
    // A job that is not partial is final in any case; programs set the flag all the same.
    if (flags & ~(uint64_t)DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL)
        return "the job has unknown flags";
    return NULL;
}
