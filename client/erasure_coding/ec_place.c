// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs whose blocks are multiplied in place.

#include "ec_job.h"

// The most that is touched between two checks that it is still allowed.
#define STEP ((size_t)1 << 20)

static bool one_memory(const struct doca_buf *list)
{
    for (const struct doca_buf *buf = list; buf; buf = buf->next)
        if (buf->memory != list->memory)
            return false;
    return true;
}

static bool in_place(const struct doca_buf *list, const struct stream_sum *sum)
{
    return sum->mapped && (!sum->imported || one_memory(list));
}

bool ec_in_place(const struct ec_job *job, const struct stream_sum *src,
                 const struct stream_sum *dst)
{
    return in_place(job->src, src) && in_place(job->dst, dst);
}

// Finds the stretch at a position of a list: of its data, or of its tailroom. Returns false: the
// list ends before, because it was changed while it was in flight.
static bool find(const struct doca_buf *list, bool room, uint64_t place, struct bytes *out)
{
    for (const struct doca_buf *buf = list; buf && buf_sound(buf); buf = buf->next) {
        size_t size = room ? buf_tailroom(buf) : buf->data_len;
        if (place < size) {
            const uint8_t *start = room ? buf_tail(buf) : buf->data;
            bytes_find(buf, start + place, size - (size_t)place, out);
            return true;
        }
        place -= size;
    }
    return false;
}

// Finds the same part of each block. Returns how many bytes, up to `most`, each has there; 0: the
// list was changed.
static size_t find_blocks(const struct doca_buf *list, bool room, uint32_t n, uint64_t block,
                          uint64_t at, size_t most, uint8_t **blocks)
{
    struct bytes bytes;

    for (uint32_t i = 0; i < n; i++) {
        if (!find(list, room, i * block + at, &bytes) || !bytes.local)
            return 0;
        blocks[i] = bytes.local;
        if (bytes.length < most)
            most = bytes.length;
    }
    return most;
}

void ec_multiply_in_place(struct ec_job *job, struct activity_slot *slot,
                          struct ec_scratch *scratch)
{
    const struct ec_matrix *matrix = job->matrix;
    const struct memory *from = job->src->memory, *to = job->dst->memory;
    size_t step = STEP / (matrix->n_in + matrix->n_out) / 64 * 64;

    while (job->error == DOCA_SUCCESS && job->at < job->block) {
        size_t left = (size_t)(job->block - job->at), n = left < step ? left : step;
        n = find_blocks(job->src, false, matrix->n_in, job->block, job->at, n, scratch->in);
        if (n)
            n = find_blocks(job->dst, true, matrix->n_out, job->block, job->at, n, scratch->out);
        ec_fail(job, n ? touch_begin_at(slot, from, to) : DOCA_ERROR_INVALID_VALUE);
        if (job->error != DOCA_SUCCESS)
            return;
        ec_matrix_multiply(matrix, n, scratch->in, scratch->out);
        touch_end_at(slot, from, to);
        job->at += n;
    }
}
