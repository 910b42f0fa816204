// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An erasure coding job, as a work item holds it: a matrix times blocks. What both generations have
// in common.
//
// Source and destination are lists of buffers whose data, one after the other, is the blocks; a
// block may lie across buffers. The result goes to the tailroom of the destination. Bytes that are
// mapped, in one memory on each side, are read and written in place. All others, brokered ones
// among them, pass slice by slice through a stage: the same part of each block.

#ifndef CLIENT_ERASURE_CODING_EC_JOB_H
#define CLIENT_ERASURE_CODING_EC_JOB_H

#include "buf/buf.h"
#include "ec_matrix.h"
#include "queue/executor.h"

#define EC_LIST_MAX   256
#define EC_BLOCK_MAX  (1u << 30)
#define EC_STAGE_SIZE ((size_t)1 << 20)
// Of a job: an update has all blocks twice, and the redundancy.
#define EC_INPUTS_MAX (2 * EC_BLOCKS_MAX)

enum ec_kind { EC_GALOIS_MUL, EC_CREATE_RDNC, EC_UPDATE_RDNC, EC_RECOVER_DATA };

// Of a thread that runs jobs: link->state.
struct ec_queue {
    struct work_item *on_stage;                      // the job that has it, or NULL
    uint8_t *stage;                                  // EC_STAGE_SIZE
    uint8_t *in[EC_INPUTS_MAX], *out[EC_BLOCKS_MAX]; // scratch
};

enum ec_phase { EC_NEW, EC_READING, EC_WRITING };

struct ec_job {
    struct ec_matrix *matrix;
    uint64_t matrix_number; // that it had when it was given
    const struct doca_buf *src;
    struct doca_buf *dst;
    uint64_t block;       // bytes
    uint64_t at;          // what is done of each block
    uint32_t slice;       // on the stage
    uint32_t next;        // of the stage, that is to be moved
    uint32_t outstanding; // pieces at engines
    doca_error_t error;
    uint8_t kind;  // enum ec_kind
    uint8_t phase; // enum ec_phase
    bool holds;    // the matrix
};

_Static_assert(sizeof(struct ec_job) <= WORK_JOB_SIZE, "fits the item");

static inline struct ec_job *ec_job_of(struct work_item *item)
{
    return (struct ec_job *)item->job;
}

static inline struct ec_queue *ec_queue_of(const struct work_item *item)
{
    return item->link->state;
}

// Makes link->state: DOCA_ERROR_NO_MEMORY.
doca_error_t ec_queue_open(struct work_link *link, struct errtext *err);
void ec_queue_close(struct work_link *link);

// Says why a job cannot be done. Fills in the length of its blocks.
doca_error_t ec_check(struct work_item *item, struct errtext *err);

// work_ops: the first fields, and the kind, have been filled in.
enum work_status ec_execute(struct work_item *item);
enum work_status ec_progress(struct work_item *item);

// ---- ec_stage.c ----------------------------------------------------------------------

// Goes on with a job that is on the stage. False: it waits for an engine.
bool ec_stage_move(struct work_item *item);

// ---- ec_list.c -----------------------------------------------------------------------

struct bytes;

// Finds the stretch at a place of a list: of its data, or of its tailroom. False: the list ends
// before, because it was changed under way.
bool ec_list_find(const struct doca_buf *list, bool room, uint64_t place, struct bytes *out);

// Sums up the data of a list, or its tailroom: false if a buffer's data lies outside of it, or
// there are too many.
bool ec_list_sum(const struct doca_buf *list, bool room, uint64_t *bytes);

// Adds to the data of a list what has been written to its tailroom.
void ec_list_extend(struct doca_buf *list, uint64_t bytes);

// Says whether all of it is mapped, in one memory.
bool ec_list_direct(const struct doca_buf *list);

#endif
