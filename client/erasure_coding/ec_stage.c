// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs whose blocks pass through the stage, slice by slice: input blocks one after the other, then
// output blocks.

#include "ec_job.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"
#include "work/touch.h"
#include "work_stats.h"

#include <string.h>

static void fail_with(struct ec_job *job, doca_error_t error)
{
    if (job->error == DOCA_SUCCESS)
        job->error = error;
}

// ---- pieces ----------------------------------------------------------------------------

static void was_read(struct broker_piece *piece, doca_error_t status)
{
    struct work_item *item = piece->owner;

    if (status == DOCA_SUCCESS)
        memcpy(piece->local, broker_piece_data(piece), piece->length);
    else
        fail_with(ec_job_of(item), status);
    ec_job_of(item)->outstanding--;
    broker_piece_put(piece);
}

static void was_written(struct broker_piece *piece, doca_error_t status)
{
    struct work_item *item = piece->owner;

    if (status != DOCA_SUCCESS)
        fail_with(ec_job_of(item), status);
    ec_job_of(item)->outstanding--;
    broker_piece_put(piece);
}

// False if there is no chunk for it now, or it failed.
static bool post(struct work_item *item, const struct bytes *bytes, uint8_t *staged)
{
    struct ec_job *job = ec_job_of(item);
    struct broker_queue *queue = broker_port_queue(item->link->port, bytes->memory->broker);
    bool writes = job->phase == EC_WRITING;

    if (!queue) {
        fail_with(job, DOCA_ERROR_NOT_CONNECTED);
        return false;
    }
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return false;
    piece->owner = item;
    piece->length = (uint32_t)bytes->length;
    piece->local = staged;
    if (writes)
        memcpy(broker_piece_data(piece), staged, bytes->length);
    doca_error_t r = broker_piece_post(piece, writes ? QP_WRITE : QP_READ, bytes->address,
                                       bytes->memory->grant_key, writes ? was_written : was_read);
    if (r != DOCA_SUCCESS) {
        fail_with(job, r);
        broker_piece_put(piece);
        return false;
    }
    job->outstanding++;
    broker_queue_ring(queue);
    WORK_STATS_ADD(item->link->stats->engine_bytes, bytes->length);
    return true;
}

static bool copy(struct work_item *item, const struct bytes *bytes, uint8_t *staged)
{
    struct ec_job *job = ec_job_of(item);
    doca_error_t r = touch_begin(item->link, bytes->memory, bytes->memory);

    if (r != DOCA_SUCCESS) {
        fail_with(job, r);
        return false;
    }
    if (job->phase == EC_WRITING)
        memcpy(bytes->local, staged, bytes->length);
    else
        memcpy(staged, bytes->local, bytes->length);
    touch_end(item->link, bytes->memory, bytes->memory);
    WORK_STATS_ADD(item->link->stats->mapped_bytes, bytes->length);
    return true;
}

// ---- slices ----------------------------------------------------------------------------

// Moves bytes between the lists and the stage. False: it has to wait, or has failed.
static bool move_slice(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct ec_queue *queue = ec_queue_of(item);
    bool writes = job->phase == EC_WRITING;
    uint32_t n = writes ? job->matrix->n_out : job->matrix->n_in;
    uint8_t *staged = queue->stage + (writes ? (size_t)job->matrix->n_in * job->slice : 0);
    struct bytes bytes;

    while (job->next < n * job->slice) {
        uint32_t block = job->next / job->slice, into = job->next % job->slice;
        uint64_t place = block * job->block + job->at + into;
        size_t most = job->slice - into < QP_CHUNK_SIZE ? job->slice - into : QP_CHUNK_SIZE;

        if (!ec_list_find(writes ? job->dst : job->src, writes, place, &bytes)) {
            fail_with(job, DOCA_ERROR_INVALID_VALUE);
            return false;
        }
        if (bytes.length > most)
            bytes.length = most;
        doca_error_t state = memory_state(bytes.memory);
        if (state != DOCA_SUCCESS) {
            fail_with(job, state);
            return false;
        }
        if (!(bytes.local ? copy(item, &bytes, staged + job->next)
                          : post(item, &bytes, staged + job->next)))
            return false;
        job->next += (uint32_t)bytes.length;
    }
    return job->outstanding == 0;
}

static void multiply(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);
    struct ec_queue *queue = ec_queue_of(item);
    uint32_t n_in = job->matrix->n_in, n_out = job->matrix->n_out;

    for (uint32_t i = 0; i < n_in; i++)
        queue->in[i] = queue->stage + (size_t)i * job->slice;
    for (uint32_t i = 0; i < n_out; i++)
        queue->out[i] = queue->stage + (size_t)(n_in + i) * job->slice;
    ec_matrix_multiply(job->matrix, job->slice, queue->in, queue->out);
}

static void next_slice(struct ec_job *job)
{
    uint64_t left = job->block - job->at;
    size_t most = EC_STAGE_SIZE / (job->matrix->n_in + job->matrix->n_out);

    job->slice = (uint32_t)(left < most ? left : most);
    job->next = 0;
    job->phase = EC_READING;
}

bool ec_stage_move(struct work_item *item)
{
    struct ec_job *job = ec_job_of(item);

    if (!job->slice)
        next_slice(job);
    while (job->error == DOCA_SUCCESS && move_slice(item)) {
        if (job->phase == EC_READING) {
            multiply(item);
            job->phase = EC_WRITING;
            job->next = 0;
            continue;
        }
        job->at += job->slice;
        if (job->at == job->block)
            return true;
        next_slice(job);
    }
    // Even a failed job waits for its pieces: they refer to it.
    return job->error != DOCA_SUCCESS && job->outstanding == 0;
}
