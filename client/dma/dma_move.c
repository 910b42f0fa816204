// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs that are more than one plain copy: lists, long ones, and brokered bytes.
//
// A job is a sequence of pieces: stretches in which both the source and the destination stay
// in one buffer and one part of its memory. Pieces with a brokered end go to the engine first,
// as many as there is room for; then the mapped pieces are copied; then the other brokered
// pieces follow as earlier ones complete. Bytes from one brokered range to another are read
// into a chunk and written from there.

#include "dma_engine.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"
#include "work/copy.h"
#include "work/touch.h"
#include "work_stats.h"

#include <string.h>

struct piece {
    struct bytes from, to;
    size_t length;
    bool engine; // the engine copies it
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Skips buffers that are used up. Returns false if there are no more bytes, or fewer than there
// should be; the latter happens to a checked job only if its buffers change while it is in flight.
static bool settle(const struct dma_job *job, struct dma_cursor *cursor, bool write)
{
    if (job->way == DMA_EXACT)
        return cursor->offset < job->total;
    for (; cursor->buf && buf_sound(cursor->buf);
         cursor->buf = cursor->buf->next, cursor->offset = 0)
        if (cursor->offset < dma_span(job, cursor->buf, write).length)
            return true;
    return false;
}

// The buffer that a cursor is in.
static const struct doca_buf *buf_at(const struct dma_job *job, const struct dma_cursor *cursor,
                                     bool write)
{
    if (job->way == DMA_EXACT)
        return write ? job->dst : job->src;
    return cursor->buf;
}

// The beginning of the job.
static struct dma_cursor start_of(const struct dma_job *job, bool write)
{
    if (job->way == DMA_EXACT)
        return (struct dma_cursor){.start = write ? job->to.start : job->from.start};
    return (struct dma_cursor){.buf = write ? job->dst : job->src};
}

static bool next_piece(const struct dma_job *job, struct dma_cursor *from, struct dma_cursor *to,
                       uint64_t left, struct piece *out)
{
    if (!settle(job, from, false) || !settle(job, to, true))
        return false;
    const struct doca_buf *src = buf_at(job, from, false), *dst = buf_at(job, to, true);
    struct dma_span source = dma_span(job, src, false), room = dma_span(job, dst, true);
    bytes_find(src, source.start + from->offset, source.length - from->offset, &out->from);
    bytes_find(dst, room.start + to->offset, room.length - to->offset, &out->to);
    out->engine = false;
    if (job->engine) { // both, so that both lengths are cut
        bool reaches = dma_engine_reaches(job, src, &out->from);
        out->engine = dma_engine_reaches(job, dst, &out->to) && reaches;
    }
    out->length = min_size(min_size(out->from.length, out->to.length), left);
    if (!out->from.local || !out->to.local)
        out->length = min_size(out->length, QP_CHUNK_SIZE);
    return true;
}

static void advance(struct dma_cursor *cursor, size_t n)
{
    cursor->offset += n;
}

static doca_error_t piece_state(const struct bytes *from, const struct bytes *to)
{
    doca_error_t r = memory_state(from->memory);
    return r == DOCA_SUCCESS ? memory_state(to->memory) : r;
}

// ---- brokered pieces -------------------------------------------------------------------

static void piece_failed(struct dma_job *job, doca_error_t error)
{
    if (job->error == DOCA_SUCCESS)
        job->error = error;
}

static void piece_over(struct broker_piece *piece, doca_error_t status)
{
    struct dma_job *job = dma_job_of(piece->owner);

    if (status != DOCA_SUCCESS)
        piece_failed(job, status);
    else
        WORK_STATS_ADD(((struct work_item *)piece->owner)->link->stats->engine_bytes,
                       piece->length);
    job->outstanding--;
    if (piece->hop)
        broker_piece_put(piece->hop);
    broker_piece_put(piece);
}

// Brokered to mapped.
static void read_to_local(struct broker_piece *piece, doca_error_t status)
{
    const struct work_link *link = ((struct work_item *)piece->owner)->link;

    if (status == DOCA_SUCCESS)
        status = touch_begin(link, piece->memory, piece->memory);
    if (status == DOCA_SUCCESS) {
        memcpy(piece->local, broker_piece_data(piece), piece->length);
        touch_end(link, piece->memory, piece->memory);
    }
    piece_over(piece, status);
}

// The second half of brokered to brokered.
static void write_from_hop(struct broker_piece *hop, doca_error_t status)
{
    struct broker_piece *first = hop->hop;
    piece_over(first ? first : hop, status);
}

// The first half is done: the bytes have been read. They are written from the same chunk if it
// belongs to the right engine, else from the chunk that was reserved for them.
static void read_to_hop(struct broker_piece *piece, doca_error_t status)
{
    struct broker_piece *hop = piece->hop ? piece->hop : piece;

    if (status == DOCA_SUCCESS)
        status = memory_state(piece->memory);
    if (status == DOCA_SUCCESS && hop != piece)
        memcpy(broker_piece_data(hop), broker_piece_data(piece), piece->length);
    if (status == DOCA_SUCCESS)
        status = broker_piece_post(hop, QP_WRITE, piece->address, piece->memory->grant_key,
                                   write_from_hop);
    if (status != DOCA_SUCCESS)
        piece_over(piece, status);
}

enum issue { ISSUED, NO_ROOM, NOT_POSSIBLE };

static struct broker_queue *queue_to(struct work_item *item, const struct bytes *end)
{
    return end->local ? NULL : broker_port_queue(item->link->port, end->memory->broker);
}

// Allocates the chunks that a piece needs from beginning to end.
static enum issue take_chunks(struct work_item *item, const struct piece *piece,
                              struct broker_piece **out, doca_error_t *error)
{
    struct broker_queue *from = queue_to(item, &piece->from), *to = queue_to(item, &piece->to);

    if ((!piece->from.local && !from) || (!piece->to.local && !to)) {
        *error = DOCA_ERROR_NOT_CONNECTED;
        return NOT_POSSIBLE;
    }
    struct broker_piece *first = broker_piece_take(from ? from : to);
    if (!first)
        return NO_ROOM;
    first->hop = NULL;
    if (from && to && from != to) {
        first->hop = broker_piece_take(to);
        if (!first->hop) {
            broker_piece_put(first);
            return NO_ROOM;
        }
        first->hop->hop = first;
        first->hop->length = (uint32_t)piece->length;
    }
    *out = first;
    return ISSUED;
}

static doca_error_t post_from_local(struct work_item *item, struct broker_piece *p,
                                    const struct piece *piece)
{
    const struct memory *from = piece->from.memory;

    doca_error_t r = touch_begin(item->link, from, from);
    if (r != DOCA_SUCCESS)
        return r;
    memcpy(broker_piece_data(p), piece->from.local, piece->length);
    touch_end(item->link, from, from);
    return broker_piece_post(p, QP_WRITE, piece->to.address, piece->to.memory->grant_key,
                             piece_over);
}

static enum issue issue(struct work_item *item, const struct piece *piece, doca_error_t *error)
{
    struct broker_piece *p;
    const struct bytes *from = &piece->from, *to = &piece->to;

    enum issue taken = take_chunks(item, piece, &p, error);
    if (taken != ISSUED)
        return taken;
    p->owner = item;
    p->length = (uint32_t)piece->length;
    p->memory = to->memory;
    p->address = to->address;
    p->local = to->local;
    *error = from->local ? post_from_local(item, p, piece)
                         : broker_piece_post(p, QP_READ, from->address, from->memory->grant_key,
                                             to->local ? read_to_local : read_to_hop);
    if (*error != DOCA_SUCCESS) {
        if (p->hop)
            broker_piece_put(p->hop);
        broker_piece_put(p);
        return NOT_POSSIBLE;
    }
    // Rings so that the engine starts while the next piece is prepared.
    broker_queue_ring(p->queue);
    return ISSUED;
}

// Like memmove(), in steps: if the ranges overlap from above, copies from the end.
static doca_error_t copy_mapped(const struct work_link *link, const struct piece *piece,
                                uint64_t job_size)
{
    uint8_t *to = piece->to.local;
    const uint8_t *from = piece->from.local;
    bool overlap = to < from + piece->length && from < to + piece->length;
    bool backwards = overlap && to > from;

    for (size_t done = 0, n; done < piece->length; done += n) {
        doca_error_t r = touch_begin(link, piece->from.memory, piece->to.memory);
        if (r != DOCA_SUCCESS)
            return r;
        n = min_size(piece->length - done, DMA_STEP);
        size_t at = backwards ? piece->length - done - n : done;
        if (overlap)
            memmove(to + at, from + at, n);
        else
            copy_piece(to + at, from + at, n, job_size);
        touch_end(link, piece->from.memory, piece->to.memory);
        WORK_STATS_ADD(link->stats->mapped_bytes, n);
    }
    return DOCA_SUCCESS;
}

// ---- pieces for the engine ----------------------------------------------------------------

// Copies bytes that the engine did not copy, for whatever reason. If that is not allowed any more,
// it fails here, too.
static void engine_over(struct broker_piece *p, doca_error_t status)
{
    const struct work_item *item = p->owner;
    const struct piece piece = {.from = {.memory = p->from, .local = (uint8_t *)p->from_local},
                                .to = {.memory = p->memory, .local = p->local},
                                .length = p->size};

    if (status != DOCA_SUCCESS)
        status = copy_mapped(item->link, &piece, piece.length);
    piece_over(p, status);
}

// Returns false if there is no room now, or the job has failed.
static bool submit_piece(struct work_item *item, const struct piece *piece)
{
    struct dma_job *job = dma_job_of(item);

    switch (dma_engine_submit(item, &piece->from, &piece->to, piece->length, engine_over)) {
    case DMA_SUBMITTED:
        job->outstanding++;
        return true;
    case DMA_NO_ROOM:
        return false;
    case DMA_NOT_SUBMITTED:
        break;
    }
    doca_error_t r = copy_mapped(item->link, piece, job->total);
    if (r != DOCA_SUCCESS)
        piece_failed(job, r);
    return r == DOCA_SUCCESS;
}

// Submits brokered pieces to engines until there is no room or there are no more; skips mapped
// pieces.
static void issue_brokered(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    struct piece piece;
    doca_error_t error;

    while (job->error == DOCA_SUCCESS && job->left) {
        if (!next_piece(job, &job->from, &job->to, job->left, &piece)) {
            piece_failed(job, DOCA_ERROR_INVALID_VALUE);
            return;
        }
        if (piece.engine) {
            if (!submit_piece(item, &piece))
                return;
        } else if (!piece.from.local || !piece.to.local) {
            error = piece_state(&piece.from, &piece.to);
            enum issue issued = error == DOCA_SUCCESS ? issue(item, &piece, &error) : NOT_POSSIBLE;
            if (issued == NO_ROOM)
                return;
            if (issued == NOT_POSSIBLE) {
                piece_failed(job, error);
                return;
            }
            job->outstanding++;
        }
        advance(&job->from, piece.length);
        advance(&job->to, piece.length);
        job->left -= piece.length;
    }
}

// ---- mapped pieces -----------------------------------------------------------------------

static void copy_all_mapped(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    struct dma_cursor from = start_of(job, false), to = start_of(job, true);
    uint64_t left = job->total;
    struct piece piece;

    while (job->error == DOCA_SUCCESS && left) {
        doca_error_t r = DOCA_ERROR_INVALID_VALUE;
        if (next_piece(job, &from, &to, left, &piece))
            r = piece.from.local && piece.to.local && !piece.engine
                    ? copy_mapped(item->link, &piece, job->total)
                    : DOCA_SUCCESS;
        if (r != DOCA_SUCCESS) {
            piece_failed(job, r);
            return;
        }
        advance(&from, piece.length);
        advance(&to, piece.length);
        left -= piece.length;
    }
}

// ---- the job -------------------------------------------------------------------------------

enum work_status dma_start(struct work_item *item, enum dma_way way)
{
    struct dma_job *job = dma_job_of(item);
    struct errtext err;

    job->way = way;
    doca_error_t r = dma_check(item, &err);
    if (r != DOCA_SUCCESS)
        return dma_failed(item, r, &err);
    job->from = start_of(job, false);
    job->to = start_of(job, true);
    job->left = job->total;
    job->outstanding = 0;
    job->engine = dma_engine_wanted(item);
    job->error = DOCA_SUCCESS;
    issue_brokered(item);
    copy_all_mapped(item);
    return dma_continue(item);
}

enum work_status dma_continue(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    struct errtext err;

    issue_brokered(item);
    // Even a failed job waits for its pieces: they write to its buffers.
    if (job->outstanding || (job->left && job->error == DOCA_SUCCESS))
        return WORK_WAITING;
    if (job->error == DOCA_SUCCESS)
        return dma_succeeded(item);
    errtext_set(&err, job->error, "%s; %llu bytes were to be copied", bytes_error_text(job->error),
                (unsigned long long)job->total);
    return dma_failed(item, job->error, &err);
}
