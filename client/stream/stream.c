// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "stream.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"

// Chunks that one stream may hold, of the QP_CHUNKS of all. Some are reserved for sinks: otherwise
// sources could take them all, and wait for sinks.
#define PIECES_MAX     8
#define LEFT_FOR_SINKS (QP_CHUNKS / 4)

static const struct memory chunk_memory; // of this process: not imported

static bool changed(struct stream *stream)
{
    stream_fail(stream, DOCA_ERROR_INVALID_VALUE);
    return false;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// ---- lists -----------------------------------------------------------------------------

static uint64_t length_of(const struct doca_buf *buf, enum stream_part part)
{
    if (part == STREAM_DATA)
        return buf->data_len;
    return part == STREAM_TAIL ? buf_tailroom(buf) : buf->len - (size_t)(buf->data - buf->head);
}

bool stream_sum(const struct doca_buf *list, enum stream_part part, unsigned most,
                struct stream_sum *sum)
{
    unsigned n = 0;

    *sum = (struct stream_sum){.mapped = true};
    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > most || !buf_sound(buf))
            return false;
        sum->bytes += length_of(buf, part);
        sum->mapped = sum->mapped && (buf->flags & BUF_DIRECT);
        sum->imported = sum->imported || buf->memory->imported;
    }
    return true;
}

void stream_extend(struct doca_buf *list, uint64_t bytes)
{
    for (struct doca_buf *buf = list; buf && bytes; buf = buf->next) {
        uint64_t part = least(buf_tailroom(buf), bytes);
        buf->data_len += part;
        bytes -= part;
    }
}

// ---- places ----------------------------------------------------------------------------

static void begin(struct stream *stream, const struct work_link *link,
                  const struct stream_plan *plan)
{
    *stream =
        (struct stream){.link = link, .run = plan->run ? plan->run : UINT64_MAX, .gap = plan->gap};
    stream->part = (uint8_t)plan->part;
    stream->at = (struct stream_place){
        .buf = plan->list, .offset = plan->start, .run_left = stream->run, .left = plan->total};
}

static void move(const struct stream *stream, struct stream_place *place, uint64_t n)
{
    place->offset += n;
    place->left -= n;
    place->run_left -= n;
    if (place->run_left)
        return;
    place->offset += stream->gap;
    place->run_left = stream->run;
}

// Finds the stretch at a position that is not the end. Returns false if the list was longer when
// the job began, or a buffer's data lies outside of it.
static bool find(struct stream *stream, struct stream_place *place, struct bytes *out)
{
    for (; place->buf; place->buf = place->buf->next) {
        const struct doca_buf *buf = place->buf;
        const uint8_t *start = buf->data; // read once, as the program may change it
        size_t before = (size_t)(start - buf->head), room = buf->len, data = buf->data_len;
        if (before > room || data > room - before)
            return changed(stream);
        room -= before;
        if (stream->part == STREAM_TAIL) {
            start += data;
            room -= data;
        }
        uint64_t length = stream->part == STREAM_DATA ? data : room;
        if (place->offset < length) {
            uint64_t most = least(place->run_left, place->left);
            bytes_find(buf, start + place->offset, least(length - place->offset, most), out);
            if (!out->local)
                out->length = least(out->length, QP_CHUNK_SIZE);
            return out->local || stream->link || changed(stream);
        }
        place->offset -= length;
    }
    return changed(stream);
}

// ---- pieces at engines -----------------------------------------------------------------

static unsigned free_chunks(const struct broker_queue *queue)
{
    return (unsigned)__builtin_popcount(queue->free_chunks);
}

// Returns NULL if there is no chunk now, or the stream has failed.
static struct broker_piece *take(struct stream *stream, const struct bytes *bytes, unsigned leave)
{
    struct broker_queue *queue = broker_port_queue(stream->link->port, bytes->memory->broker);
    doca_error_t state = memory_state(bytes->memory);

    if (!queue || state != DOCA_SUCCESS) {
        stream_fail(stream, queue ? state : DOCA_ERROR_NOT_CONNECTED);
        return NULL;
    }
    struct broker_piece *piece = free_chunks(queue) > leave ? broker_piece_take(queue) : NULL;
    if (!piece)
        return NULL;
    piece->length = (uint32_t)bytes->length;
    piece->memory = bytes->memory;
    piece->address = bytes->address;
    piece->hop = NULL; // here: the next piece
    return piece;
}

static bool post(struct stream *stream, struct broker_piece *piece, enum qp_opcode opcode,
                 void (*done)(struct broker_piece *piece, doca_error_t status))
{
    doca_error_t r =
        broker_piece_post(piece, opcode, piece->address, piece->memory->grant_key, done);

    if (r != DOCA_SUCCESS) {
        stream_fail(stream, r);
        broker_piece_put(piece);
        return false;
    }
    broker_queue_ring(piece->queue);
    return true;
}

// ---- sources ---------------------------------------------------------------------------

void source_begin(struct source *source, const struct work_link *link,
                  const struct stream_plan *plan)
{
    begin(&source->stream, link, plan);
    source->ahead = source->stream.at;
    if (!link)
        source->ahead.left = 0;
    source->first = source->last = NULL;
    source->n_pieces = source->taken = 0;
}

static void has_come(struct broker_piece *piece, doca_error_t status)
{
    if (status != DOCA_SUCCESS)
        stream_fail(&((struct source *)piece->owner)->stream, status);
}

static bool request(struct source *source, const struct bytes *bytes)
{
    struct broker_piece *piece = take(&source->stream, bytes, LEFT_FOR_SINKS);

    if (!piece)
        return false;
    piece->owner = source;
    if (!post(&source->stream, piece, QP_READ, has_come))
        return false;
    if (source->first)
        source->last->hop = piece;
    else
        source->first = piece;
    source->last = piece;
    source->n_pieces++;
    return true;
}

void source_ahead(struct source *source)
{
    struct stream *stream = &source->stream;
    struct bytes bytes;

    while (source->ahead.left && source->n_pieces < PIECES_MAX && stream->error == DOCA_SUCCESS &&
           find(stream, &source->ahead, &bytes)) {
        if (!bytes.local && !request(source, &bytes))
            return;
        move(stream, &source->ahead, bytes.length);
    }
}

bool source_next(struct source *source, struct span *span)
{
    struct stream *stream = &source->stream;
    struct bytes bytes;

    source_ahead(source);
    if (stream->error != DOCA_SUCCESS)
        return false;
    *span = (struct span){.memory = &chunk_memory};
    if (!stream->at.left)
        return true;
    if (!find(stream, &stream->at, &bytes))
        return false;
    doca_error_t state = memory_state(bytes.memory);
    if (state != DOCA_SUCCESS) {
        stream_fail(stream, state);
        return false;
    }
    if (bytes.local) {
        *span = (struct span){bytes.local, bytes.length, bytes.memory};
        return true;
    }
    // The piece at this index is the first.
    const struct broker_piece *piece = source->first;
    if (!piece || piece->done)
        return false;
    if (piece->memory != bytes.memory || piece->address + source->taken != bytes.address)
        return changed(stream);
    span->bytes = broker_piece_data(piece) + source->taken;
    span->length = least(bytes.length, piece->length - source->taken);
    return true;
}

static void drop_first(struct source *source)
{
    struct broker_piece *piece = source->first;

    source->first = piece->hop;
    source->n_pieces--;
    source->taken = 0;
    broker_piece_put(piece);
}

void source_took(struct source *source, const struct span *span, size_t n)
{
    move(&source->stream, &source->stream.at, n);
    if (span->memory != &chunk_memory) {
        source->stream.mapped += n;
        return;
    }
    source->stream.brokered += n;
    source->taken += (uint32_t)n;
    if (source->first && source->taken == source->first->length)
        drop_first(source);
}

bool source_settled(struct source *source)
{
    source->ahead.left = 0;
    while (source->first && !source->first->done)
        drop_first(source);
    return !source->first;
}

// ---- sinks -----------------------------------------------------------------------------

void sink_begin(struct sink *sink, const struct work_link *link, const struct stream_plan *plan)
{
    begin(&sink->stream, link, plan);
    sink->filling = NULL;
    sink->n_writes = 0;
}

static void was_written(struct broker_piece *piece, doca_error_t status)
{
    struct sink *sink = piece->owner;

    if (status != DOCA_SUCCESS)
        stream_fail(&sink->stream, status);
    sink->n_writes--;
    broker_piece_put(piece);
}

static bool send_chunk(struct sink *sink)
{
    struct broker_piece *piece = sink->filling;

    sink->filling = NULL;
    if (!post(&sink->stream, piece, QP_WRITE, was_written))
        return false;
    sink->n_writes++;
    return true;
}

static bool take_chunk(struct sink *sink, const struct bytes *bytes)
{
    struct broker_piece *piece = sink->n_writes < PIECES_MAX ? take(&sink->stream, bytes, 0) : NULL;

    if (!piece)
        return false;
    piece->owner = sink;
    piece->length = 0;
    sink->filling = piece;
    return true;
}

bool sink_next(struct sink *sink, struct span *span)
{
    struct stream *stream = &sink->stream;
    struct bytes bytes;

    if (stream->error != DOCA_SUCCESS)
        return false;
    *span = (struct span){.memory = &chunk_memory};
    if (!stream->at.left)
        return true;
    if (!find(stream, &stream->at, &bytes))
        return false;
    if (bytes.local) {
        *span = (struct span){bytes.local, bytes.length, bytes.memory};
        return true;
    }
    const struct broker_piece *piece = sink->filling;
    if (piece &&
        (piece->memory != bytes.memory || piece->address + piece->length != bytes.address) &&
        !send_chunk(sink))
        return false;
    if (!sink->filling && !take_chunk(sink, &bytes))
        return false;
    span->bytes = broker_piece_data(sink->filling) + sink->filling->length;
    span->length = least(bytes.length, QP_CHUNK_SIZE - sink->filling->length);
    return true;
}

void sink_put(struct sink *sink, const struct span *span, size_t n)
{
    move(&sink->stream, &sink->stream.at, n);
    if (span->memory != &chunk_memory) {
        sink->stream.mapped += n;
        return;
    }
    sink->stream.brokered += n;
    if (!sink->filling)
        return;
    sink->filling->length += (uint32_t)n;
    if (sink->filling->length == QP_CHUNK_SIZE)
        send_chunk(sink);
}

void sink_pause(struct sink *sink)
{
    if (sink->filling && sink->filling->length &&
        free_chunks(sink->filling->queue) <= LEFT_FOR_SINKS)
        send_chunk(sink);
}

bool sink_settled(struct sink *sink)
{
    if (sink->filling && sink->stream.error == DOCA_SUCCESS && sink->filling->length)
        send_chunk(sink);
    if (sink->filling) {
        broker_piece_put(sink->filling);
        sink->filling = NULL;
    }
    return sink->n_writes == 0;
}
