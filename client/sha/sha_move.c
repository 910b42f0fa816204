// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Moves SHA jobs. Bytes are hashed in order, in steps; then the digest is written.

#include "sha_job.h"

#include "work/bytes.h"
#include "work_stats.h"

#include <string.h>

static void fail_with(struct sha_job *job, doca_error_t error)
{
    if (job->error == DOCA_SUCCESS)
        job->error = error;
}

// Hashes a part of a span. Returns false if it may not be touched any more.
static bool update(struct sha_job *job, struct activity_slot *slot, const struct span *span,
                   size_t n)
{
    doca_error_t r = touch_begin_at(slot, span->memory, span->memory);

    if (r != DOCA_SUCCESS) {
        fail_with(job, r);
        return false;
    }
    sha_digest_update(job->digest, job->algorithm, span->bytes, n);
    touch_end_at(slot, span->memory, span->memory);
    source_took(&job->source, span, n);
    return true;
}

// Hashes until the end, or a failure. Returns false if it waits for an engine, or for its next
// turn.
static bool hash(struct sha_job *job, struct activity_slot *slot, struct sha_queue *queue)
{
    struct span span;

    while (source_next(&job->source, &span) && span.length) {
        size_t most = queue ? queue->budget : SHA_STEP;
        if (most == 0) {
            queue->halted = true;
            return false;
        }
        size_t n = span.length < most ? span.length : most;
        if (!update(job, slot, &span, n))
            return true;
        if (queue)
            queue->budget -= n;
    }
    fail_with(job, job->source.stream.error);
    return job->error != DOCA_SUCCESS || !job->source.stream.at.left;
}

// ---- the digest ------------------------------------------------------------------------------

static void begin_writing(struct sha_job *job)
{
    const struct stream_plan plan = {
        .list = job->response, .part = STREAM_ROOM, .total = sha_digest_size(job->algorithm)};

    job->phase = SHA_WRITING;
    sha_digest_end(job->digest, job->algorithm);
    sink_begin(&job->sink, job->response->flags & BUF_DIRECT ? NULL : job->item->link, &plan);
    if (!sha_response_fits(job->response, job->algorithm))
        fail_with(job, DOCA_ERROR_INVALID_VALUE); // it was changed while it was in flight
}

// Writes the whole digest; false if there was no free chunk.
static bool write_digest(struct sha_job *job, struct activity_slot *slot)
{
    uint32_t size = sha_digest_size(job->algorithm);
    struct span span;

    while (job->error == DOCA_SUCCESS && sink_next(&job->sink, &span) && span.length) {
        doca_error_t r = touch_begin_at(slot, span.memory, span.memory);
        if (r != DOCA_SUCCESS) {
            fail_with(job, r);
            break;
        }
        memcpy(span.bytes, job->digest->value + (size - job->sink.stream.at.left), span.length);
        touch_end_at(slot, span.memory, span.memory);
        sink_put(&job->sink, &span, span.length);
    }
    fail_with(job, job->sink.stream.error);
    return job->error != DOCA_SUCCESS || !job->sink.stream.at.left;
}

// ---- the job -----------------------------------------------------------------------------------

// Even a failed job waits for its pieces: they refer to it.
static bool settled(struct sha_job *job)
{
    bool all = source_settled(&job->source);

    if (job->phase == SHA_WRITING)
        all = sink_settled(&job->sink) && all;
    return all;
}

bool sha_move(struct sha_job *job, struct activity_slot *slot, struct sha_queue *queue)
{
    if (job->phase == SHA_HASHING) {
        if (!hash(job, slot, queue))
            return false;
        if (job->error == DOCA_SUCCESS && job->final)
            begin_writing(job);
    }
    if (job->phase == SHA_WRITING && !write_digest(job, slot))
        return false;
    if (!settled(job))
        return false;
    if (job->phase == SHA_WRITING)
        fail_with(job, job->sink.stream.error);
    return true;
}
