// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The source of a message: a list of buffers, as a row of spans. Brokered bytes are asked for in
// advance.

#include "gcm_context.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"
#include "work_stats.h"

// The number of chunks that one task may hold, among the QP_CHUNKS that all share.
#define PIECES_MAX 8

// Finds the next stretch; false at the end of the list. Buffers were sound when the task began; a
// program that changes one meanwhile only makes the task fail.
static bool next_bytes(struct gcm_task *task, struct gcm_place *place, struct bytes *out)
{
    while (place->buf && place->offset >= place->buf->data_len)
        *place = (struct gcm_place){place->buf->next, 0};
    if (!place->buf)
        return false;
    if (!buf_sound(place->buf)) {
        gcm_fail(task, DOCA_ERROR_INVALID_VALUE);
        return false;
    }
    bytes_find(place->buf, place->buf->data + place->offset, place->buf->data_len - place->offset,
               out);
    if (!out->local && out->length > QP_CHUNK_SIZE)
        out->length = QP_CHUNK_SIZE;
    return true;
}

static void has_come(struct broker_piece *piece, doca_error_t status)
{
    if (status != DOCA_SUCCESS)
        gcm_fail(piece->owner, status);
}

// False if there is no chunk for it now, or it failed.
static bool ask(struct gcm_task *task, const struct bytes *bytes)
{
    struct gcm_source *source = &task->source;
    struct broker_queue *queue =
        broker_port_queue(task->task.item.link->port, bytes->memory->broker);

    if (!queue) {
        gcm_fail(task, DOCA_ERROR_NOT_CONNECTED);
        return false;
    }
    struct broker_piece *piece = source->n_pieces < PIECES_MAX ? broker_piece_take(queue) : NULL;
    if (!piece)
        return false;
    piece->owner = task;
    piece->length = (uint32_t)bytes->length;
    piece->memory = bytes->memory;
    piece->address = bytes->address;
    piece->hop = NULL; // here: the next piece
    doca_error_t r =
        broker_piece_post(piece, QP_READ, bytes->address, bytes->memory->grant_key, has_come);
    if (r != DOCA_SUCCESS) {
        gcm_fail(task, r);
        broker_piece_put(piece);
        return false;
    }
    broker_queue_ring(queue);
    if (source->first)
        source->last->hop = piece;
    else
        source->first = piece;
    source->last = piece;
    source->n_pieces++;
    return true;
}

void gcm_source_ahead(struct gcm_task *task)
{
    struct gcm_place *ahead = &task->source.ahead;
    struct bytes bytes;

    while (task->error == DOCA_SUCCESS && next_bytes(task, ahead, &bytes)) {
        if (!bytes.local && !ask(task, &bytes))
            return;
        ahead->offset += bytes.length;
    }
}

bool gcm_source_next(struct gcm_task *task, struct gcm_span *span)
{
    struct broker_piece *piece = task->source.first;
    struct bytes bytes;

    if (task->error != DOCA_SUCCESS || !next_bytes(task, &task->source.at, &bytes)) {
        gcm_fail(task, DOCA_ERROR_INVALID_VALUE); // there was more of it when the task began
        return false;
    }
    doca_error_t state = memory_state(bytes.memory);
    if (state != DOCA_SUCCESS) {
        gcm_fail(task, state);
        return false;
    }
    if (bytes.local) {
        *span = (struct gcm_span){bytes.local, bytes.length, bytes.memory};
        return true;
    }
    if (!piece || piece->done)
        return false;
    if (piece->memory != bytes.memory || piece->address + task->source.into != bytes.address) {
        gcm_fail(task, DOCA_ERROR_INVALID_VALUE); // the buffers were changed under way
        return false;
    }
    *span = (struct gcm_span){broker_piece_data(piece) + task->source.into,
                              piece->length - task->source.into, NULL};
    return true;
}

static void drop_first(struct gcm_source *source)
{
    struct broker_piece *piece = source->first;

    source->first = piece->hop;
    source->into = 0;
    source->n_pieces--;
    broker_piece_put(piece);
}

void gcm_source_read(struct gcm_task *task, size_t n)
{
    struct gcm_source *source = &task->source;
    struct bytes bytes;

    next_bytes(task, &source->at, &bytes);
    source->at.offset += n;
    if (bytes.local) {
        WORK_STATS_ADD(task->task.item.link->stats->mapped_bytes, n);
        return;
    }
    WORK_STATS_ADD(task->task.item.link->stats->engine_bytes, n);
    source->into += (uint32_t)n;
    if (source->into == source->first->length) {
        drop_first(source);
        gcm_source_ahead(task);
    }
}

bool gcm_source_drained(struct gcm_task *task)
{
    while (task->source.first && !task->source.first->done)
        drop_first(&task->source);
    return !task->source.first;
}
