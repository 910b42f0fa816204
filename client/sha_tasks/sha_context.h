// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A SHA context of DOCA 3, and its tasks. The hashing is that of client/sha.

#ifndef CLIENT_SHA_TASKS_SHA_CONTEXT_H
#define CLIENT_SHA_TASKS_SHA_CONTEXT_H

#include "progress/context.h"
#include "sha/sha_job.h"

#include <doca_sha.h>

#define SHA_TASKS_MAX (1u << 16)

enum { SHA_TASK_HASH, SHA_TASK_PARTIAL_HASH };

struct doca_sha {
    struct doca_ctx ctx;
};

// The common part of both kinds of tasks. The job is made of it when the task is submitted.
struct sha_fields {
    const struct doca_buf *src;
    struct doca_buf *dst;
    enum doca_sha_algorithm algorithm;
};

struct sha_task {
    struct doca_task task;
    struct sha_fields fields;
    struct sha_job job;
};

struct doca_sha_task_hash {
    struct sha_task sha;
};

struct doca_sha_task_partial_hash {
    struct sha_task sha;
    // The message whose parts are submitted one after the other, since alloc_init or reset.
    struct doca_sha_partial_session message;
    bool last;       // the next part is the last one
    bool ended;      // the last one was executed
    bool has_result; // and the digest was written
};

static inline bool sha_algorithm_known(enum doca_sha_algorithm algorithm)
{
    return (unsigned)algorithm < SHA_ALGORITHMS;
}

// ---- sha_task.c ----------------------------------------------------------------------

// A ..._set_conf().
doca_error_t sha_task_configure(const char *function, struct doca_sha *sha, uint32_t type,
                                doca_task_completion_cb_t done, doca_task_completion_cb_t failed,
                                uint8_t log_num_tasks);

// An ..._alloc_init(): `*out` stays NULL on failure.
doca_error_t sha_task_take(const char *function, struct doca_sha *sha, uint32_t type,
                           const struct sha_fields *fields, union doca_data user_data,
                           struct sha_task **out);

// For setters: returns `code`, and logs a line, if the task is in flight.
doca_error_t sha_task_settable(const char *function, const struct sha_task *task,
                               doca_error_t code);

// task_kind.check.
doca_error_t sha_task_check(struct doca_task *task, struct errtext *err);

// work_ops.
doca_error_t sha_task_prepare(struct work_item *item, const void *unused);
enum work_status sha_task_execute(struct work_item *item);

// ---- sha_partial.c -------------------------------------------------------------------

// Returns why the next part cannot be submitted: DOCA_ERROR_BAD_STATE after the last one.
doca_error_t sha_partial_check(const struct doca_sha_task_partial_hash *task, struct errtext *err);

// A part was executed.
void sha_partial_over(struct doca_sha_task_partial_hash *task);

#endif
