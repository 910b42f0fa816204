// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Where the bytes of a job are. Mapped bytes are found in their buffers. Brokered bytes are
// requested from the engine in advance, and read in the chunk to which it brings them; what is to
// be written there is collected in a chunk, which goes to the engine when it is full.

#include "compress_job.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work_stats.h"

// Chunks that one job may hold for its input, and for its output, among the QP_CHUNKS of all.
#define PIECES_MAX 8

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool changed(struct compress_op *op)
{
    compress_fail(op, DOCA_ERROR_INVALID_VALUE, NULL);
    return false;
}

// Finds the stretch at a place, and moves the place to it; `length` is 0 at the end of the list.
// False: a buffer was changed under way. A program that does so only makes its job fail: its
// places in its buffer are read once.
static bool find(struct compress_op *op, struct compress_place *place, bool write,
                 struct bytes *out)
{
    while (place->buf) {
        const struct doca_buf *buf = place->buf;
        uint8_t *data = buf->data;
        size_t before = (size_t)(data - buf->head), size = buf->len, data_len = buf->data_len;
        if (before > size || data_len > size - before)
            return changed(op);
        size_t length = write ? size - before : data_len;
        if (place->offset < length) {
            bytes_find(buf, data + place->offset, length - place->offset, out);
            if (!out->local)
                out->length = min_size(out->length, QP_CHUNK_SIZE);
            return out->local || op->brokered || changed(op);
        }
        if (!buf->next) {
            out->memory = buf->memory;
            out->length = 0;
            return true;
        }
        *place = (struct compress_place){buf->next, 0};
    }
    return changed(op);
}

// ---- pieces
// ---------------------------------------------------------------------------------------

static void piece_over(struct broker_piece *piece, doca_error_t status)
{
    if (status != DOCA_SUCCESS)
        compress_fail(piece->owner, status, NULL);
}

static void write_over(struct broker_piece *piece, doca_error_t status)
{
    struct compress_op *op = piece->owner;

    piece_over(piece, status);
    op->n_writes--;
    broker_piece_put(piece);
}

// NULL if there is no chunk now, or the job has failed.
static struct broker_piece *take(struct compress_op *op, const struct bytes *bytes)
{
    struct broker_queue *queue = broker_port_queue(op->item->link->port, bytes->memory->broker);
    doca_error_t state = memory_state(bytes->memory);

    if (!queue || state != DOCA_SUCCESS) {
        compress_fail(op, queue ? state : DOCA_ERROR_NOT_CONNECTED, NULL);
        return NULL;
    }
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return NULL;
    piece->owner = op;
    piece->length = (uint32_t)bytes->length;
    piece->memory = bytes->memory;
    piece->address = bytes->address;
    piece->hop = NULL; // here: the next piece
    return piece;
}

static bool post(struct compress_op *op, struct broker_piece *piece, enum qp_opcode opcode)
{
    doca_error_t r = broker_piece_post(piece, opcode, piece->address, piece->memory->grant_key,
                                       opcode == QP_WRITE ? write_over : piece_over);
    if (r != DOCA_SUCCESS) {
        compress_fail(op, r, NULL);
        broker_piece_put(piece);
        return false;
    }
    broker_queue_ring(piece->queue);
    WORK_STATS_ADD(op->item->link->stats->engine_bytes, piece->length);
    return true;
}

static void read_ahead(struct compress_op *op)
{
    struct bytes bytes;

    while (op->n_pieces < PIECES_MAX && op->error == DOCA_SUCCESS &&
           find(op, &op->ahead, false, &bytes) && bytes.length) {
        if (!bytes.local) {
            struct broker_piece *piece = take(op, &bytes);
            if (!piece || !post(op, piece, QP_READ))
                return;
            if (op->first)
                op->last->hop = piece;
            else
                op->first = piece;
            op->last = piece;
            op->n_pieces++;
        }
        op->ahead.offset += bytes.length;
    }
}

static void drop_first(struct compress_op *op)
{
    struct broker_piece *piece = op->first;

    op->first = piece->hop;
    op->n_pieces--;
    op->taken = 0;
    broker_piece_put(piece);
}

// ---- input
// ------------------------------------------------------------------------------------------

bool compress_input(struct compress_op *op, struct compress_stretch *out)
{
    if (op->brokered)
        read_ahead(op);
    if (op->error != DOCA_SUCCESS || !find(op, &op->in, false, &out->bytes))
        return false;
    out->length = out->bytes.length;
    out->at = out->bytes.local;
    if (op->read + out->length > op->total || (!out->length && op->read < op->total))
        return changed(op);
    if (!out->length || out->at)
        return true;
    // The piece at the place is the first: places move on with what is taken of it.
    const struct broker_piece *piece = op->first;
    if (!piece || piece->done)
        return false;
    if (piece->memory != out->bytes.memory || piece->address + op->taken != out->bytes.address)
        return changed(op);
    out->at = broker_piece_data(piece) + op->taken;
    out->length = piece->length - op->taken;
    return true;
}

void compress_took(struct compress_op *op, const struct compress_stretch *in, size_t n)
{
    op->in.offset += n;
    op->read += n;
    if (!in->length || in->bytes.local)
        return;
    op->taken += n;
    if (op->taken == op->first->length)
        drop_first(op);
}

// ---- output
// -----------------------------------------------------------------------------------------

// Sends the chunk that is being filled.
static bool send_chunk(struct compress_op *op)
{
    struct broker_piece *piece = op->filling;

    op->filling = NULL;
    if (!post(op, piece, QP_WRITE))
        return false;
    op->n_writes++;
    return true;
}

bool compress_room(struct compress_op *op, struct compress_stretch *out)
{
    struct broker_piece *piece = op->filling;

    if (!find(op, &op->out, true, &out->bytes))
        return false;
    out->length = out->bytes.length;
    out->at = out->bytes.local;
    if (op->written + out->length > op->room)
        return changed(op);
    if (!out->length || out->at)
        return true;
    if (piece && (piece->memory != out->bytes.memory ||
                  piece->address + piece->length != out->bytes.address)) {
        if (!send_chunk(op))
            return false;
        piece = NULL;
    }
    if (!piece) {
        piece = op->n_writes < PIECES_MAX ? take(op, &out->bytes) : NULL;
        if (!piece)
            return false;
        piece->length = 0;
        op->filling = piece;
    }
    out->at = broker_piece_data(piece) + piece->length;
    out->length = min_size(out->length, QP_CHUNK_SIZE - piece->length);
    return true;
}

void compress_put(struct compress_op *op, const struct compress_stretch *out, size_t n)
{
    op->out.offset += n;
    op->written += n;
    if (out->bytes.local)
        return;
    op->filling->length += (uint32_t)n;
    if (op->filling->length == QP_CHUNK_SIZE)
        send_chunk(op);
}

// ---- the end
// ----------------------------------------------------------------------------------------

bool compress_settled(struct compress_op *op)
{
    if (op->filling) {
        if (op->error == DOCA_SUCCESS && op->filling->length) {
            send_chunk(op);
        } else {
            broker_piece_put(op->filling);
            op->filling = NULL;
        }
    }
    while (op->first && !op->first->done)
        drop_first(op);
    return !op->first && op->n_writes == 0;
}
