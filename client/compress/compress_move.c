// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The computing of a job, stretch by stretch of its source and destination, in place where they
// are mapped. May run on a worker: then no byte is brokered.

#include "compress_job.h"

#include "work/touch.h"

// A codec may go on inside without reading or writing, but not for long.
#define IDLE_STEPS_MAX 4

static size_t limit(const struct bytes *bytes, size_t n)
{
    return bytes->memory->imported && n > COMPRESS_STEP ? COMPRESS_STEP : n;
}

// Gives the codec the two stretches. False: revoked, or the like.
static bool step(struct compress_op *op, struct activity_slot *slot,
                 const struct compress_stretch *in, const struct compress_stretch *out,
                 enum codec_status *status)
{
    uint8_t spill[16]; // for a codec that only has its end to read
    bool full = out->length == 0;
    size_t n_in = limit(&in->bytes, in->length);
    size_t n_out = full ? sizeof(spill) : limit(&out->bytes, out->length);
    struct codec_io io = {.in = in->at,
                          .in_left = n_in,
                          .out = full ? spill : out->at,
                          .out_left = n_out,
                          .last = op->read + n_in == op->total,
                          .steady =
                              !op->imported && !op->brokered && op->written + n_out == op->room};

    const struct memory *from = in->bytes.memory, *to = out->bytes.memory;
    doca_error_t r = touch_begin_at(slot, from, to);
    if (r != DOCA_SUCCESS) {
        compress_fail(op, r, NULL);
        return false;
    }
    *status = codec_step(op->codec, &io);
    touch_end_at(slot, from, to);
    size_t took = n_in - io.in_left, put = n_out - io.out_left;
    if (full && put > 0) {
        compress_fail(op, DOCA_ERROR_FULL, "the destination has too little room for the result");
        return false;
    }
    compress_took(op, in, took);
    if (!full)
        compress_put(op, out, put);
    op->idle_steps = took || put ? 0 : op->idle_steps + 1;
    if (*status == CODEC_CORRUPT || (*status == CODEC_MORE && op->idle_steps > IDLE_STEPS_MAX))
        compress_fail(op, DOCA_ERROR_IO_FAILED,
                      "the source is not valid: it is corrupt, or does not end where it should");
    return op->error == DOCA_SUCCESS;
}

// False: the job has to wait for an engine.
static bool code(struct compress_op *op, struct activity_slot *slot)
{
    enum codec_status status = CODEC_MORE;
    struct compress_stretch in, out;

    while (op->error == DOCA_SUCCESS && status != CODEC_END) {
        if (!compress_input(op, &in) || !compress_room(op, &out) ||
            !step(op, slot, &in, &out, &status))
            return op->error != DOCA_SUCCESS;
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
    // Even a failed job waits for its pieces: they refer to it.
    return !op->brokered || compress_settled(op);
}
