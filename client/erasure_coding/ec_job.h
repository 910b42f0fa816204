// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An erasure coding job, which is part of a work item: a matrix times blocks. Common to both
// generations.
//
// Source and destination are lists of buffers whose data, one after the other, is the blocks; a
// block may span buffers. The result goes to the tailroom of the destination. Bytes that are mapped
// are read and written in place, unless they are of several imported memories on one side. All
// others, brokered ones among them, pass slice by slice through a staging buffer: the same part of
// each block.

#ifndef CLIENT_ERASURE_CODING_EC_JOB_H
#define CLIENT_ERASURE_CODING_EC_JOB_H

#include "buf/held.h"
#include "core/device_card.h"
#include "ec_matrix.h"
#include "stream/stream.h"
#include "workers/workers.h"

#define EC_LIST_MAX   256
#define EC_BLOCK_MAX  (1u << 30)
#define EC_STAGE_SIZE ((size_t)1 << 20)
// The most blocks of a job: an update has all blocks twice, and the redundancy.
#define EC_INPUTS_MAX (2 * EC_BLOCKS_MAX)

// Offloading a job costs some 5 us; it is worth it from 20 us on. Bytes of the source times the
// number of blocks that are made of them: on a core with AVX2 a MiB takes 19 us.
#define EC_OFFLOAD_FROM ((uint64_t)1 << 20)

enum ec_kind { EC_GALOIS_MUL, EC_CREATE_RDNC, EC_UPDATE_RDNC, EC_RECOVER_DATA };

// Whether blocks are computed in place or in the staging buffer.
struct ec_scratch {
    uint8_t *in[EC_INPUTS_MAX], *out[EC_BLOCKS_MAX];
};

struct ec_job;

// The state of a thread that runs jobs; stored in link->state.
struct ec_queue {
    struct worker_port port;
    struct buf_allocator copies;  // of buffers, see buf/held.h
    struct ec_job *jobs;          // one for each item of the executor, at the same index; or NULL
    struct ec_job *on_stage;      // the job that has it, or NULL
    uint8_t *stage;               // EC_STAGE_SIZE
    struct ec_scratch *scratches; // for each worker, and the last one for the context's own thread
    struct ec_scratch *own;       // the last one
};

enum ec_phase {
    EC_NEW,
    EC_LATER, // is computed by the thread that polls
    EC_CHECKED,
    EC_READING, // to the stage
    EC_WRITING, // from there
};

struct ec_job {
    struct worker_op worker;
    struct work_item *item;
    struct ec_matrix *matrix;
    uint64_t matrix_number;     // number of the matrix when the job was submitted
    struct doca_buf *src, *dst; // copies of the program's, from ec_take() on
    uint8_t kind;               // enum ec_kind
    // While it is executed:
    uint8_t phase; // enum ec_phase
    bool in_place;
    bool imported; // some of its buffers
    bool holds;    // holds a reference to the matrix
    doca_error_t error;
    uint64_t block; // bytes
    uint64_t at;    // how much of each block is done
    uint32_t slice; // on the stage
    size_t staged;  // bytes that were read into it, or written
    struct source source;
    struct sink sink;
};

// An item refers to its job.
static inline void ec_job_set(struct work_item *item, struct ec_job *job)
{
    *(struct ec_job **)item->job = job;
}

static inline struct ec_job *ec_job_of(const struct work_item *item)
{
    return *(struct ec_job *const *)item->job;
}

static inline struct ec_queue *ec_queue_of(const struct work_item *item)
{
    return item->link->state;
}

static inline void ec_fail(struct ec_job *job, doca_error_t error)
{
    if (job->error == DOCA_SUCCESS)
        job->error = error;
}

// Returns DOCA_ERROR_INVALID_VALUE if the card has no matrices with that many blocks. `dev` may be
// NULL.
doca_error_t ec_check_blocks(const struct doca_dev *dev, size_t n_data, size_t n_rdnc,
                             struct errtext *err);

// Makes link->state, with room for `jobs` jobs: DOCA_ERROR_NO_MEMORY.
doca_error_t ec_queue_open(struct work_link *link, uint32_t jobs, struct errtext *err);
void ec_queue_close(struct work_link *link);

// Checks a job, and returns the reason if it cannot be done. Fills in the length of its blocks, and
// whether it is done in place.
doca_error_t ec_check(struct ec_job *job, struct errtext *err);

// Called while a job is prepared, after its other fields have been set: stores the present state of
// its buffers, and holds its matrix, if they are not NULL. NO_MEMORY, with the item's refusal.
doca_error_t ec_take(struct ec_job *job, const struct doca_buf *src, const struct doca_buf *dst);

// work_ops, with `eager`, for a job whose phase is EC_NEW.
void ec_measure(const struct work_item *item, struct card_work *work);
void ec_drop(struct work_item *item);
enum work_status ec_execute(struct work_item *item);
enum work_status ec_progress(struct work_item *item);

// Ends a job that waits for its turn, if it has not begun; see ctx_kind.cancel.
enum work_status ec_cancel(struct work_item *item);

// ---- ec_place.c ----------------------------------------------------------------------

// Returns whether the blocks of a job, which were summed up, can be multiplied where they are.
bool ec_in_place(const struct ec_job *job, const struct stream_sum *src,
                 const struct stream_sum *dst);

// Multiplies: job->error is the result.
void ec_multiply_in_place(struct ec_job *job, struct activity_slot *slot,
                          struct ec_scratch *scratch);

// ---- ec_stage.c ----------------------------------------------------------------------

// Continues a job in the staging buffer: job->error is the result. Returns false if it waits for an
// engine.
bool ec_stage_move(struct ec_job *job, struct ec_queue *queue);

#endif
