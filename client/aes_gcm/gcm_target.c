// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The target of a message: the tailroom of a list of buffers, as a row of spans.

#include "gcm_context.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"

static bool next_bytes(struct gcm_task *task, struct bytes *out)
{
    struct gcm_place *at = &task->target.at;

    while (at->buf && buf_sound(at->buf) && at->offset >= buf_tailroom(at->buf))
        *at = (struct gcm_place){at->buf->next, 0};
    if (!at->buf || !buf_sound(at->buf)) {
        gcm_fail(task, DOCA_ERROR_INVALID_VALUE); // there was more of it when the task began
        return false;
    }
    bytes_find(at->buf, buf_tail(at->buf) + at->offset, buf_tailroom(at->buf) - at->offset, out);
    return true;
}

static bool take_piece(struct gcm_task *task, const struct bytes *bytes, uint64_t left)
{
    struct broker_queue *queue =
        broker_port_queue(task->task.item.link->port, bytes->memory->broker);
    uint64_t length = bytes->length < left ? bytes->length : left;

    if (!queue) {
        gcm_fail(task, DOCA_ERROR_NOT_CONNECTED);
        return false;
    }
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return false;
    piece->owner = task;
    piece->length = length < QP_CHUNK_SIZE ? (uint32_t)length : QP_CHUNK_SIZE;
    piece->memory = bytes->memory;
    piece->address = bytes->address;
    task->target.piece = piece;
    task->target.filled = 0;
    return true;
}

bool gcm_target_next(struct gcm_task *task, uint64_t left, struct gcm_span *span)
{
    struct gcm_target *target = &task->target;
    struct bytes bytes;

    if (!target->piece) {
        if (!next_bytes(task, &bytes))
            return false;
        doca_error_t state = memory_state(bytes.memory);
        if (state != DOCA_SUCCESS) {
            gcm_fail(task, state);
            return false;
        }
        if (bytes.local) {
            *span = (struct gcm_span){
                bytes.local, bytes.length < left ? bytes.length : (size_t)left, bytes.memory};
            return true;
        }
        if (!take_piece(task, &bytes, left))
            return false;
    }
    *span = (struct gcm_span){broker_piece_data(target->piece) + target->filled,
                              target->piece->length - target->filled, NULL};
    return true;
}

static void was_written(struct broker_piece *piece, doca_error_t status)
{
    struct gcm_task *task = piece->owner;

    if (status != DOCA_SUCCESS)
        gcm_fail(task, status);
    task->target.outstanding--;
    broker_piece_put(piece);
}

void gcm_target_wrote(struct gcm_task *task, size_t n)
{
    struct gcm_target *target = &task->target;
    struct broker_piece *piece = target->piece;

    target->at.offset += n;
    if (!piece)
        return;
    target->filled += (uint32_t)n;
    if (target->filled < piece->length)
        return;
    target->piece = NULL;
    struct broker_queue *queue = piece->queue;
    doca_error_t r =
        broker_piece_post(piece, QP_WRITE, piece->address, piece->memory->grant_key, was_written);
    if (r != DOCA_SUCCESS) {
        gcm_fail(task, r);
        broker_piece_put(piece);
        return;
    }
    target->outstanding++;
    broker_queue_ring(queue);
}

bool gcm_target_drained(struct gcm_task *task)
{
    if (task->target.piece)
        broker_piece_put(task->target.piece);
    task->target.piece = NULL;
    return task->target.outstanding == 0;
}
