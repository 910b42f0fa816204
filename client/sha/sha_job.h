// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A digest, or a segment of one, as a work item holds it: what both generations have in common.

#ifndef CLIENT_SHA_SHA_JOB_H
#define CLIENT_SHA_SHA_JOB_H

#include "core/device_card.h"
#include "sha_queue.h"
#include "stream/stream.h"

#define SHA_LIST_MAX 64
#define SHA_SIZE_MAX (1ull << 40)

// Handing a job over costs some 5 us; it is worth it from 20 us on. On a core with instructions for
// it SHA-256 hashes 1.8 bytes a ns, and SHA-512 0.65.
#define SHA_OFFLOAD_FROM ((uint64_t)32 << 10)

enum sha_phase {
    SHA_QUEUED, // perhaps behind other segments of its session
    SHA_LATER,  // is computed by the thread that polls
    SHA_HASHING,
    SHA_WRITING, // the digest
};

struct sha_job {
    struct worker_op worker;
    struct work_item *item;
    void (*over)(struct sha_job *job);        // called in the end, unless it is NULL
    struct doca_buf *src, *response;          // copies of the program's, see sha_take_buffers()
    struct doca_sha_partial_session *session; // or NULL: in one job
    uint32_t ticket;                          // number of a segment
    uint8_t algorithm;                        // enum sha_algorithm
    bool final;                               // the digest is to be written
    bool too_long;                            // for the card, which fails such jobs late
    // While it is executed:
    uint8_t phase; // enum sha_phase
    bool mapped;   // all of its source
    bool direct;   // its response, too
    bool imported; // some of it
    doca_error_t error;
    uint64_t size;
    struct sha_digest *digest;
    struct source source;
    struct sink sink;
    struct sha_digest own;
};

// An item refers to its job.
static inline void sha_job_set(struct work_item *item, struct sha_job *job)
{
    *(struct sha_job **)item->job = job;
}

static inline struct sha_job *sha_job_of(const struct work_item *item)
{
    return *(struct sha_job *const *)item->job;
}

static inline struct sha_queue *sha_queue_of(const struct work_item *item)
{
    return item->link->state;
}

uint32_t sha_digest_size(enum sha_algorithm algorithm);

// Sums up a source: false if a buffer's data lies outside of it, or there are more than `most`.
bool sha_source_size(const struct doca_buf *source, uint32_t most, uint64_t *bytes);

// Returns whether the data starts inside the buffer and there is room for the digest.
bool sha_response_fits(const struct doca_buf *response, enum sha_algorithm algorithm);

// In bytes: the length of all segments but the last is a multiple of it.
uint32_t sha_block_size(enum sha_algorithm algorithm);

// Returns what is wrong with the buffers of a job, on a card; NULL if nothing is. Either may be
// NULL.
const char *sha_wrong_buffers(const struct card *card, const struct doca_buf *source,
                              const struct doca_buf *response, enum sha_algorithm algorithm,
                              bool whole_blocks);
// The text for a source with too much data.
extern const char sha_too_long[];

// Called while a job is prepared, as the last step: stores the present state of its buffers.
// NO_MEMORY, with the item's refusal.
doca_error_t sha_take_buffers(struct sha_job *job, const struct doca_buf *source,
                              const struct doca_buf *response);

// work_ops, with `eager`.
void sha_drop(struct work_item *item);
enum work_status sha_execute(struct work_item *item);
enum work_status sha_continue(struct work_item *item);

// Ends a job that waits for its turn, if it has not begun; see ctx_kind.cancel.
enum work_status sha_cancel(struct work_item *item);

extern const struct worker_calls sha_worker_calls;

// Hashes the rest and writes the digest: job->error is the result. Returns false if it has to wait,
// for an engine, or because it has used up the queue's turn; without a queue there are no turns.
bool sha_move(struct sha_job *job, struct activity_slot *slot, struct sha_queue *queue);

// Completes a job; logs one line if it failed.
enum work_status sha_succeeded(struct work_item *item);
enum work_status sha_failed(struct work_item *item, doca_error_t error, const struct errtext *err);

#endif
