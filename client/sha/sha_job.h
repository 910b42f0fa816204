// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A digest, or a segment of one, as a work item holds it: what both generations have in common.

#ifndef CLIENT_SHA_SHA_JOB_H
#define CLIENT_SHA_SHA_JOB_H

#include "buf/buf.h"
#include "sha_queue.h"

#define SHA_LIST_MAX 64
#define SHA_SIZE_MAX (1ull << 40)

struct broker_piece;

// A place in a list of buffers, or in the response.
struct sha_place {
    const struct doca_buf *buf;
    size_t offset;
};

enum sha_phase {
    SHA_QUEUED,  // behind other segments of its session
    SHA_CHECKED, // waits for a lane
    SHA_HASHING,
    SHA_WRITING, // the digest, to a brokered response
};

struct sha_job {
    struct doca_buf *response;
    struct doca_sha_partial_session *session; // or NULL: all at once
    struct sha_digest *digest;                // from SHA_HASHING on
    struct sha_place at;                      // the part not hashed, or not written, yet
    struct sha_place ahead;                   // the part that no engine was asked for yet
    struct broker_piece *first, *last;        // at an engine, or returned, in order
    uint32_t ticket;                          // number of a segment
    doca_error_t error;                       // of the first failure
    uint8_t n_pieces;
    uint8_t algorithm; // enum sha_algorithm
    uint8_t phase;     // enum sha_phase
    bool final;        // the digest is wanted
    bool quick;        // short and mapped: done at once
};

_Static_assert(sizeof(struct sha_job) <= WORK_JOB_SIZE, "fits the item");

static inline struct sha_job *sha_job_of(struct work_item *item)
{
    return (struct sha_job *)item->job;
}

static inline struct sha_queue *sha_queue_of(const struct work_item *item)
{
    return item->link->state;
}

uint32_t sha_digest_size(enum sha_algorithm algorithm);

// Sums up a source: false if a buffer's data lies outside of it, or there are too many.
bool sha_source_size(const struct doca_buf *source, uint64_t *bytes);

// Says whether the data starts inside the buffer and there is room for the digest.
bool sha_response_fits(const struct doca_buf *response, enum sha_algorithm algorithm);

// In bytes: the length of all segments but the last is a multiple of it.
uint32_t sha_block_size(enum sha_algorithm algorithm);

// Says what is wrong with the buffers of a job; NULL if nothing is. Either may be NULL.
const char *sha_wrong_buffers(const struct doca_buf *source, const struct doca_buf *response,
                              enum sha_algorithm algorithm, bool whole_blocks);

// work_ops.
enum work_status sha_execute(struct work_item *item);
enum work_status sha_continue(struct work_item *item);

// Hashes the rest and writes the digest. WORK_DONE: item->error is the result.
enum work_status sha_move(struct work_item *item);

// Completes a job; logs one line if it failed.
enum work_status sha_succeeded(struct work_item *item);
enum work_status sha_failed(struct work_item *item, doca_error_t error, const struct errtext *err);

#endif
