// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs under way. Bytes are hashed in order, in steps. Mapped bytes are hashed in place.
// Brokered bytes are requested from the engine in advance, and hashed in the chunk to which it
// brings them. The digest is written in the same two ways.

#include "sha_job.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"
#include "work/touch.h"
#include "work_stats.h"

#include <string.h>

// The number of chunks that one job may hold, among the QP_CHUNKS that all jobs share.
#define PIECES_MAX 8

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void fail_with(struct sha_job *job, doca_error_t error)
{
    if (job->error == DOCA_SUCCESS)
        job->error = error;
}

// Finds the next stretch of the source; false at its end. Buffers were sound when the job was
// checked; a program that changes one meanwhile only makes the job fail.
static bool next_bytes(struct sha_job *job, struct sha_place *place, struct bytes *out)
{
    while (place->buf && place->offset >= place->buf->data_len)
        *place = (struct sha_place){place->buf->next, 0};
    if (!place->buf)
        return false;
    if (!buf_sound(place->buf)) {
        fail_with(job, DOCA_ERROR_INVALID_VALUE);
        return false;
    }
    bytes_find(place->buf, place->buf->data + place->offset, place->buf->data_len - place->offset,
               out);
    if (!out->local)
        out->length = min_size(out->length, QP_CHUNK_SIZE);
    return true;
}

// ---- pieces at an engine -----------------------------------------------------------------

static void piece_over(struct broker_piece *piece, doca_error_t status)
{
    if (status != DOCA_SUCCESS)
        fail_with(sha_job_of(piece->owner), status);
}

static bool has_come(const struct broker_piece *piece)
{
    return !piece->done;
}

static void drop_first(struct sha_job *job)
{
    struct broker_piece *piece = job->first;

    job->first = piece->hop;
    job->n_pieces--;
    broker_piece_put(piece);
}

// Posts a request; false if there is no chunk for it now, or it failed. Copies the bytes of a
// write first.
static bool post(struct work_item *item, const struct bytes *bytes, const uint8_t *write)
{
    struct sha_job *job = sha_job_of(item);
    struct broker_queue *queue = broker_port_queue(item->link->port, bytes->memory->broker);

    if (!queue) {
        fail_with(job, DOCA_ERROR_NOT_CONNECTED);
        return false;
    }
    struct broker_piece *piece = job->n_pieces < PIECES_MAX ? broker_piece_take(queue) : NULL;
    if (!piece)
        return false;
    piece->owner = item;
    piece->length = (uint32_t)bytes->length;
    piece->memory = bytes->memory;
    piece->address = bytes->address;
    piece->hop = NULL; // here: the next piece
    if (write)
        memcpy(broker_piece_data(piece), write, bytes->length);
    doca_error_t r = broker_piece_post(piece, write ? QP_WRITE : QP_READ, bytes->address,
                                       bytes->memory->grant_key, piece_over);
    if (r != DOCA_SUCCESS) {
        fail_with(job, r);
        broker_piece_put(piece);
        return false;
    }
    broker_queue_ring(queue);
    if (job->first)
        job->last->hop = piece;
    else
        job->first = piece;
    job->last = piece;
    job->n_pieces++;
    return true;
}

static void read_ahead(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct bytes bytes;

    while (job->error == DOCA_SUCCESS && next_bytes(job, &job->ahead, &bytes)) {
        if (!bytes.local && !post(item, &bytes, NULL))
            return;
        job->ahead.offset += bytes.length;
    }
}

// ---- hashing -------------------------------------------------------------------------------

static void update(struct sha_job *job, const uint8_t *data, size_t size)
{
    sha_digest_update(job->digest, job->algorithm, data, size);
    job->at.offset += size;
}

// True if a piece was hashed, false if none has come. Pieces come in the order in which they were
// requested.
static bool hash_piece(struct sha_job *job, const struct bytes *bytes)
{
    struct broker_piece *piece = job->first;

    if (!piece || !has_come(piece))
        return false;
    if (piece->memory != bytes->memory || piece->address != bytes->address ||
        piece->length != bytes->length)
        fail_with(job, DOCA_ERROR_INVALID_VALUE); // the buffers were changed under way
    else
        update(job, broker_piece_data(piece), piece->length);
    drop_first(job);
    return true;
}

// Hashes until the end, or, returning false, until other jobs get their turn.
static bool hash(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct sha_queue *queue = sha_queue_of(item);
    size_t own = SHA_STEP, *budget = job->quick ? &own : &queue->budget;
    struct bytes bytes;

    while (job->error == DOCA_SUCCESS && next_bytes(job, &job->at, &bytes)) {
        doca_error_t state = memory_state(bytes.memory);
        if (state != DOCA_SUCCESS) {
            fail_with(job, state);
            return true;
        }
        if (*budget == 0) {
            queue->halted = true;
            return false;
        }
        size_t n = min_size(bytes.length, *budget);
        if (bytes.local) {
            state = touch_begin(item->link, bytes.memory, bytes.memory);
            if (state != DOCA_SUCCESS) {
                fail_with(job, state);
                return true;
            }
            update(job, bytes.local, n);
            touch_end(item->link, bytes.memory, bytes.memory);
            WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
        } else if (!hash_piece(job, &bytes)) {
            return false;
        } else {
            WORK_STATS_ADD(item->link->stats->engine_bytes, n);
            read_ahead(item);
        }
        *budget -= n;
    }
    return true;
}

// ---- the digest ------------------------------------------------------------------------------

static void begin_writing(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);

    job->phase = SHA_WRITING;
    job->at = (struct sha_place){job->response, 0};
    sha_digest_end(job->digest, job->algorithm);
    if (!sha_response_fits(job->response, job->algorithm))
        fail_with(job, DOCA_ERROR_INVALID_VALUE);
}

static doca_error_t write_mapped(struct work_item *item, const struct bytes *bytes,
                                 const uint8_t *value)
{
    doca_error_t r = touch_begin(item->link, bytes->memory, bytes->memory);
    if (r != DOCA_SUCCESS) {
        fail_with(sha_job_of(item), r);
        return r;
    }
    memcpy(bytes->local, value, bytes->length);
    touch_end(item->link, bytes->memory, bytes->memory);
    return DOCA_SUCCESS;
}

// Writes the whole digest; false if there was no free chunk.
static bool write_digest(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    size_t size = sha_digest_size(job->algorithm), *done = &job->at.offset;
    const struct doca_buf *response = job->response;
    struct bytes bytes;

    while (job->error == DOCA_SUCCESS && *done < size) {
        bytes_find(response, response->data + *done, size - *done, &bytes);
        if (!bytes.local) {
            doca_error_t state = memory_state(bytes.memory);
            if (state != DOCA_SUCCESS)
                fail_with(job, state);
            else if (!post(item, &bytes, job->digest->value + *done))
                return job->error != DOCA_SUCCESS;
        } else if (write_mapped(item, &bytes, job->digest->value + *done) != DOCA_SUCCESS) {
            return true;
        }
        *done += bytes.length;
    }
    return true;
}

// ---- the job -----------------------------------------------------------------------------------

// All pieces have come: the remaining ones are dropped.
static bool drained(struct sha_job *job)
{
    while (job->first && has_come(job->first))
        drop_first(job);
    return !job->first;
}

enum work_status sha_move(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->phase == SHA_HASHING) {
        if (!job->quick)
            read_ahead(item);
        if (!hash(item))
            return WORK_WAITING;
        if (job->error == DOCA_SUCCESS && job->final)
            begin_writing(item);
    }
    if (job->phase == SHA_WRITING && !write_digest(item))
        return WORK_WAITING;
    // Even a failed job waits for its pieces: they refer to it.
    if (!drained(job))
        return WORK_WAITING;
    if (job->error == DOCA_SUCCESS)
        return sha_succeeded(item);
    errtext_set(&err, job->error, "%s", bytes_error_text(job->error));
    return sha_failed(item, job->error, &err);
}
