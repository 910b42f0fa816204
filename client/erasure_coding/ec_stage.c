// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs whose blocks pass through the staging buffer, slice by slice: input blocks one after the
// other, then output blocks.

#include "ec_job.h"

#include <string.h>

static bool failed(struct ec_job *job)
{
    ec_fail(job, job->source.stream.error);
    ec_fail(job, job->sink.stream.error);
    return job->error != DOCA_SUCCESS;
}

static bool touch(struct ec_job *job, const struct span *span)
{
    ec_fail(job, touch_begin(job->item->link, span->memory, span->memory));
    return job->error == DOCA_SUCCESS;
}

// The functions below return false if they have to wait, or the job has failed.

static bool read_slice(struct ec_job *job, uint8_t *stage)
{
    struct span span;

    while (source_next(&job->source, &span) && span.length) {
        if (!touch(job, &span))
            return false;
        memcpy(stage + job->staged, span.bytes, span.length);
        touch_end(job->item->link, span.memory, span.memory);
        source_took(&job->source, &span, span.length);
        job->staged += span.length;
    }
    return !failed(job) && !job->source.stream.at.left;
}

static bool write_slice(struct ec_job *job, const uint8_t *stage)
{
    struct span span;

    while (sink_next(&job->sink, &span) && span.length) {
        if (!touch(job, &span))
            return false;
        memcpy(span.bytes, stage + job->staged, span.length);
        touch_end(job->item->link, span.memory, span.memory);
        sink_put(&job->sink, &span, span.length);
        job->staged += span.length;
    }
    bool settled = !job->sink.stream.at.left && sink_settled(&job->sink);
    return !failed(job) && settled;
}

static void multiply(struct ec_job *job, struct ec_queue *queue)
{
    uint32_t n_in = job->matrix->n_in, n_out = job->matrix->n_out;

    for (uint32_t i = 0; i < n_in; i++)
        queue->own->in[i] = queue->stage + (size_t)i * job->slice;
    for (uint32_t i = 0; i < n_out; i++)
        queue->own->out[i] = queue->stage + (size_t)(n_in + i) * job->slice;
    ec_matrix_multiply(job->matrix, job->slice, queue->own->in, queue->own->out);
}

// ---- slices ----------------------------------------------------------------------------

static struct stream_plan plan(const struct ec_job *job, const struct doca_buf *list, uint32_t n)
{
    return (struct stream_plan){.list = list,
                                .start = job->at,
                                .total = (uint64_t)n * job->slice,
                                .run = job->slice,
                                .gap = job->block - job->slice};
}

static void begin_reading(struct ec_job *job)
{
    uint64_t left = job->block - job->at;
    size_t most = EC_STAGE_SIZE / (job->matrix->n_in + job->matrix->n_out);

    job->slice = (uint32_t)(left < most ? left : most);
    job->staged = 0;
    job->phase = EC_READING;
    struct stream_plan in = plan(job, job->src, job->matrix->n_in);
    in.part = STREAM_DATA;
    source_begin(&job->source, job->item->link, &in);
}

static void begin_writing(struct ec_job *job)
{
    job->staged = 0;
    job->phase = EC_WRITING;
    struct stream_plan out = plan(job, job->dst, job->matrix->n_out);
    out.part = STREAM_TAIL;
    sink_begin(&job->sink, job->item->link, &out);
}

static void count_slice(const struct ec_job *job)
{
    struct work_stats *stats = job->item->link->stats;

    WORK_STATS_ADD(stats->mapped_bytes, job->source.stream.mapped + job->sink.stream.mapped);
    WORK_STATS_ADD(stats->engine_bytes, job->source.stream.brokered + job->sink.stream.brokered);
}

// The next step. Returns false: it has to wait, or has failed.
static bool step(struct ec_job *job, struct ec_queue *queue)
{
    if (job->phase == EC_CHECKED) {
        begin_reading(job);
        return true;
    }
    if (job->phase == EC_READING) {
        if (!read_slice(job, queue->stage))
            return false;
        multiply(job, queue);
        begin_writing(job);
        return true;
    }
    if (!write_slice(job, queue->stage + (size_t)job->matrix->n_in * job->slice))
        return false;
    count_slice(job);
    job->at += job->slice;
    if (job->at < job->block)
        begin_reading(job);
    return true;
}

bool ec_stage_move(struct ec_job *job, struct ec_queue *queue)
{
    while (job->error == DOCA_SUCCESS && job->at < job->block)
        if (!step(job, queue))
            break;
    if (job->error == DOCA_SUCCESS)
        return job->at == job->block;
    // Even a failed job waits for its pieces: they refer to it.
    bool settled = job->phase < EC_READING || source_settled(&job->source);
    if (job->phase == EC_WRITING) {
        stream_fail(&job->sink.stream, job->error);
        settled = sink_settled(&job->sink) && settled;
    }
    return settled;
}
