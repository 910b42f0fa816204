// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Holds a job's buffers, and ends jobs.

#include "compress_job.h"

#include "core/device_card.h"
#include "core/report.h"

static const char *const names[CODEC_KINDS] = {[CODEC_DEFLATE] = "compress deflate",
                                               [CODEC_INFLATE] = "decompress deflate",
                                               [CODEC_LZ4_STREAM] = "decompress LZ4 stream",
                                               [CODEC_LZ4_BLOCK] = "decompress LZ4 block"};

// The destination's data is what was written, whatever it was before.
static void set_lengths(struct compress_op *op)
{
    uint64_t left = stream_moved(&op->out.stream);

    for (struct doca_buf *buf = op->to; buf; buf = buf->next) {
        uint64_t room = buf->len - (size_t)(buf->data - buf->head);
        buf->data_len = left < room ? left : room;
        left -= buf->data_len;
    }
}

doca_error_t compress_take(struct compress_op *op)
{
    doca_error_t r = buf_hold_both(&op->on->copies, op->item->link->device, COMPRESS_LIST_MAX,
                                   op->src, op->dst, &op->from, &op->to);
    if (r != DOCA_SUCCESS)
        op->item->refusal = HELD_NO_MEMORY;
    return r;
}

static void release(struct compress_op *op, bool written)
{
    buf_release_both(&op->from, &op->to, written);
}

void compress_drop(struct compress_op *op)
{
    release(op, false);
}

void compress_ended(struct compress_op *op)
{
    struct work_item *item = op->item;

    item->error = dev_task_error(item->link->device, op->error);
    op->phase = COMPRESS_NEW;
    if (op->error == DOCA_SUCCESS) {
        set_lengths(op);
        release(op, true);
        WORK_STATS_ADD(item->link->stats->mapped_bytes, op->in.stream.mapped);
        WORK_STATS_ADD(item->link->stats->engine_bytes,
                       op->in.stream.brokered + op->out.stream.brokered);
        return;
    }
    release(op, false);
    if (op->error == DOCA_ERROR_SHUTDOWN)
        return; // the program has stopped the context
    const char *why = op->why ? op->why : bytes_error_text(op->error);
    log_own(DOCA_LOG_LEVEL_ERROR, LOG_HERE, "compression on %s: %s failed: %s (%s)",
            dev_name(item->link->device), names[op->kind], why, doca_get_error_name(item->error));
}
