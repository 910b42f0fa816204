// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Decides where a job is computed, and when.

#include "compress_job.h"

#include "card_time.h"
#include "core/device.h"
#include "plural.h"

#include <stdlib.h>

// Passing a job to a worker costs some 5 us; it is worth it for jobs of this size and more. LZ4
// takes a fifth of the time for its bytes.
#define OFFLOAD_FROM     ((uint64_t)16 << 10)
#define OFFLOAD_LZ4_FROM ((uint64_t)64 << 10)

// ---- a context's state on a link ----------------------------------------------------------------

static void run(struct worker_op *worker);
static void done(struct worker_op *worker, enum worker_end end);

static const struct worker_calls calls = {.run = run, .done = done};

doca_error_t compress_link_open(struct compress_link *on, struct work_link *link,
                                struct errtext *err)
{
    *on = (struct compress_link){.link = link};
    worker_port_open(&on->port, link->executor, link->device ? dev_session(link->device) : NULL,
                     &calls);
    doca_error_t r = held_open(&on->copies, link->depth, err);
    if (r != DOCA_SUCCESS) {
        compress_link_close(on);
        return r;
    }
    uint32_t n = workers_most() + 2;
    on->codecs = calloc(n, sizeof(struct codec *));
    while (on->codecs && on->n_codecs < n && (on->codecs[on->n_codecs] = codec_new()))
        on->n_codecs++;
    if (on->n_codecs == n)
        return DOCA_SUCCESS;
    compress_link_close(on);
    return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for the states of %u job%s", n,
                       PLURAL(n));
}

void compress_link_close(struct compress_link *on)
{
    worker_port_close(&on->port);
    held_close(&on->copies);
    while (on->n_codecs > 0)
        codec_free(on->codecs[--on->n_codecs]);
    free(on->codecs);
    on->codecs = NULL;
}

// ---- jobs ---------------------------------------------------------------------------------------

static void begin(struct compress_op *op, struct codec *codec)
{
    const struct work_link *link = op->brokered ? op->item->link : NULL;

    source_begin(&op->in, link,
                 &(struct stream_plan){.list = op->from, .part = STREAM_DATA, .total = op->total});
    sink_begin(&op->out, link,
               &(struct stream_plan){.list = op->to, .part = STREAM_ROOM, .total = op->room});
    op->codec = codec;
    op->coded = false;
    op->idle_steps = 0;
    op->error = DOCA_SUCCESS;
    op->why = NULL;
    codec_begin(codec, op->kind, op->flags);
}

static void run(struct worker_op *worker)
{
    struct compress_op *op = container_of(worker, struct compress_op, worker);

    begin(op, op->on->codecs[worker->worker]);
    compress_move(op, worker->activity);
}

static void done(struct worker_op *worker, enum worker_end end)
{
    struct compress_op *op = container_of(worker, struct compress_op, worker);

    if (end != WORKER_RAN)
        op->error = worker_end_error(end);
    if (end == WORKER_LOST)
        op->why = WORKER_LOST_TEXT;
    compress_ended(op);
    executor_finish(op->item->link->executor, op->item);
}

static uint64_t offload_from(const struct compress_op *op)
{
    return op->kind == CODEC_LZ4_BLOCK || op->kind == CODEC_LZ4_STREAM ? OFFLOAD_LZ4_FROM
                                                                       : OFFLOAD_FROM;
}

static bool offload(struct compress_op *op)
{
    if (op->brokered)
        return false;
    if (op->imported && !worker_port_touches(&op->on->port))
        return false;
    return worker_offload(&op->on->port, &op->worker);
}

static enum work_status move_on(struct compress_op *op)
{
    if (!compress_move(op, op->item->link->activity))
        return WORK_WAITING;
    if (op->brokered)
        op->on->moving = false;
    compress_ended(op);
    return WORK_DONE;
}

// Begins it on the context's own thread.
static enum work_status begin_here(struct compress_op *op)
{
    struct compress_link *on = op->on;

    if (op->brokered && on->moving)
        return WORK_WAITING;
    on->moving = on->moving || op->brokered;
    op->phase = COMPRESS_MOVING;
    begin(op, on->codecs[on->n_codecs - (op->brokered ? 1 : 2)]);
    return move_on(op);
}

void compress_measure(const struct compress_op *op, struct card_work *work)
{
    if (op->kind != CODEC_INFLATE)
        return;
    work->model = CARD_INFLATE_TIME_TASK_NS;
    for (const struct doca_buf *buf = op->from; buf; buf = buf->next)
        work->bytes += buf->data_len;
}

// The checksum of a result in one piece of the process's own memory can be computed later.
static void choose_sums_now(struct compress_op *op)
{
    if (!op->imported && !op->brokered && !op->to->next)
        return;
    op->flags |= op->later;
    op->later = 0;
}

enum work_status compress_execute(struct compress_op *op)
{
    struct executor *executor = op->item->link->executor;
    struct errtext err;

    if (op->phase != COMPRESS_NEW)
        return compress_continue(op);
    op->error = compress_check(op, op->from, op->to, &err);
    op->why = err.s;
    if (op->error != DOCA_SUCCESS) {
        compress_ended(op);
        return WORK_DONE;
    }
    choose_sums_now(op);
    if (workers_most() && worker_pays(executor, op->total, offload_from(op)) && offload(op))
        return executor_keep(executor);
    op->phase = COMPRESS_CHECKED;
    return WORK_LATER;
}

enum work_status compress_continue(struct compress_op *op)
{
    struct executor *executor = op->item->link->executor;

    if (op->phase != COMPRESS_CHECKED)
        return move_on(op);
    if (!worker_pays_asleep(executor, op->total, offload_from(op)) || !offload(op))
        return begin_here(op);
    op->phase = COMPRESS_NEW;
    return executor_keep(executor);
}

enum work_status compress_cancel(struct compress_op *op)
{
    if (op->phase != COMPRESS_CHECKED)
        return WORK_WAITING;
    op->error = DOCA_ERROR_SHUTDOWN;
    compress_ended(op);
    return WORK_DONE;
}
