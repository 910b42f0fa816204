// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Computes a job, stretch by stretch of its source and destination, in place where they are mapped.
// May run on a worker: then no byte is brokered.

#include "compress_job.h"

// A codec may compute for a while without reading or writing, but not for long.
#define IDLE_STEPS_MAX 4

static size_t limit(const struct span *span)
{
    return span->memory->imported && span->length > COMPRESS_STEP ? COMPRESS_STEP : span->length;
}

// Passes the two spans to the codec. Returns false if an import was revoked, for example.
static bool step(struct compress_op *op, struct activity_slot *slot, const struct span *in,
                 const struct span *out, enum codec_status *status)
{
    uint8_t spill[16]; // for a codec that only has its end to read
    bool full = out->length == 0;
    size_t n_in = limit(in), n_out = full ? sizeof(spill) : limit(out);
    struct codec_io io = {.in = in->bytes,
                          .in_left = n_in,
                          .out = full ? spill : out->bytes,
                          .out_left = n_out,
                          .last = n_in == op->in.stream.at.left,
                          .steady = !op->imported && !op->brokered && !full &&
                                    n_out == op->out.stream.at.left};

    doca_error_t r = touch_begin_at(slot, in->memory, out->memory);
    if (r != DOCA_SUCCESS) {
        compress_fail(op, r, NULL);
        return false;
    }
    *status = codec_step(op->codec, &io);
    touch_end_at(slot, in->memory, out->memory);
    size_t took = n_in - io.in_left, put = n_out - io.out_left;
    if (full && put > 0) {
        compress_fail(op,
                      op->room_limited ? dev_over_limit(op->item->link->device) : DOCA_ERROR_FULL,
                      op->room_limited ? "the result is longer than the card allows"
                                       : "the destination has too little room for the result");
        return false;
    }
    source_took(&op->in, in, took);
    if (!full)
        sink_put(&op->out, out, put);
    op->idle_steps = took || put ? 0 : op->idle_steps + 1;
    if (*status == CODEC_CORRUPT || (*status == CODEC_MORE && op->idle_steps > IDLE_STEPS_MAX))
        compress_fail(op, DOCA_ERROR_IO_FAILED,
                      "the source is not valid: it is corrupt, or does not end where it should");
    return op->error == DOCA_SUCCESS;
}

static bool failed(struct compress_op *op)
{
    compress_fail(op, op->in.stream.error, NULL);
    compress_fail(op, op->out.stream.error, NULL);
    return op->error != DOCA_SUCCESS;
}

// Returns false: the job has to wait for an engine.
static bool code(struct compress_op *op, struct activity_slot *slot)
{
    enum codec_status status = CODEC_MORE;
    struct span in, out;

    while (status != CODEC_END) {
        if (!source_next(&op->in, &in) || !sink_next(&op->out, &out)) {
            sink_pause(&op->out);
            return failed(op);
        }
        if (!step(op, slot, &in, &out, &status))
            return true;
    }
    return true;
}

bool compress_move(struct compress_op *op, struct activity_slot *slot)
{
    if (!op->coded) {
        op->coded = code(op, slot);
        if (!op->coded)
            return false;
        op->crc32 = codec_crc32(op->codec);
        op->other32 = codec_other32(op->codec);
    }
    // Even a failed job waits for its pieces: they refer to it. What it does not need is not sent.
    if (op->error != DOCA_SUCCESS)
        stream_fail(&op->out.stream, op->error);
    bool settled = source_settled(&op->in);
    settled = sink_settled(&op->out) && settled;
    failed(op);
    return settled;
}
