// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state of a SHA context for each executor of its jobs (a work queue of 2.2, the context itself
// of DOCA 3): digests, sessions, and the turns of jobs. All of it is allocated before the first
// job.

#ifndef CLIENT_SHA_SHA_QUEUE_H
#define CLIENT_SHA_SHA_QUEUE_H

#include "buf/held.h"
#include "queue/executor.h"
#include "sha_digest.h"
#include "workers/workers.h"

#define SHA_SESSIONS_MAX 1024
// The most that is hashed before other jobs get their turn.
#define SHA_STEP ((size_t)1 << 20)

// A message that is hashed segment by segment.
struct doca_sha_partial_session {
    struct sha_digest digest;
    struct doca_sha_partial_session *next_free;
    bool used;
    // At submission: the requirements for the next segment.
    bool open; // in the middle of a message
    enum sha_algorithm algorithm;
    uint32_t submitted;
    // At execution.
    bool started; // the digest holds a message's beginning
    bool failed;  // so the rest of this message fails
    uint32_t executed;
};

struct sha_job;

struct sha_queue {
    struct work_source source;
    struct worker_port port;
    struct sha_digest scratch;   // for jobs that are done in one call
    struct buf_allocator copies; // of buffers, see buf/held.h
    struct sha_job *jobs;        // one for each item of the executor, at the same index; or NULL
    struct doca_sha_partial_session *sessions;
    uint32_t n_sessions;
    struct doca_sha_partial_session *free_session;
    // For the round in which waiting jobs are moved on.
    size_t budget; // bytes that may still be hashed
    bool halted;   // a job could go on, except for the budget
};

// Makes link->state, with room for `sessions` sessions, and jobs: NO_MEMORY. Closing it removes
// sessions that were not destroyed.
doca_error_t sha_queue_open(struct work_link *link, uint32_t sessions, uint32_t jobs,
                            struct errtext *err);
void sha_queue_close(struct work_link *link);

// Returns whether the pointer, which may be anything, is a session of this queue.
bool sha_session_valid(const struct sha_queue *queue,
                       const struct doca_sha_partial_session *session);

static inline bool sha_session_busy(const struct doca_sha_partial_session *session)
{
    return session->submitted != session->executed;
}

#endif
