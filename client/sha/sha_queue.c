// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sha_queue.h"

#include "cleanup.h"
#include "core/device.h"
#include "sha_job.h"

#include <string.h>

bool sha_session_valid(const struct sha_queue *queue,
                       const struct doca_sha_partial_session *session)
{
    uintptr_t at = (uintptr_t)session, first = (uintptr_t)queue->sessions;

    return at >= first && at < first + queue->n_sessions * sizeof(*session) &&
           (at - first) % sizeof(*session) == 0 && session->used;
}

// ---- turns -------------------------------------------------------------------------------

static void new_round(struct work_source *source)
{
    struct sha_queue *queue = container_of(source, struct sha_queue, source);

    queue->budget = SHA_STEP;
    queue->halted = false;
}

// Jobs that have used up their turn only wait for the next one. Jobs that wait for a segment before
// them continue in the round after that is done.
static bool turn_is_due(struct work_source *source)
{
    return container_of(source, struct sha_queue, source)->halted;
}

static void nothing_to_clear(struct work_source *source)
{
    (void)source;
}

// ---- lifetime ----------------------------------------------------------------------------

// Pages that are never used cost no memory.
static void *room(uint32_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

doca_error_t sha_queue_open(struct work_link *link, uint32_t n, uint32_t n_jobs,
                            struct errtext *err)
{
    cleanup_free struct sha_queue *queue =
        aligned_alloc(_Alignof(struct sha_queue), sizeof(*queue));
    cleanup_free struct doca_sha_partial_session *sessions = room(n, sizeof(*sessions));
    cleanup_free struct sha_job *jobs = room(n_jobs, sizeof(*jobs));

    if (!queue || !sessions || !jobs)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for digests in flight");
    memset(queue, 0, sizeof(*queue));
    doca_error_t r = held_open(&queue->copies, link->depth, err);
    if (r != DOCA_SUCCESS)
        return r;
    for (size_t i = n; i-- > 0;) {
        sessions[i].next_free = queue->free_session;
        queue->free_session = &sessions[i];
    }
    queue->jobs = steal_ptr(jobs);
    queue->sessions = steal_ptr(sessions);
    queue->n_sessions = n;
    queue->source =
        (struct work_source){.poll = new_round, .arm = turn_is_due, .clear = nothing_to_clear};
    new_round(&queue->source);
    executor_add_source(link->executor, &queue->source);
    worker_port_open(&queue->port, link->executor, link->device ? dev_session(link->device) : NULL,
                     &sha_worker_calls);
    link->state = steal_ptr(queue);
    return DOCA_SUCCESS;
}

void sha_queue_close(struct work_link *link)
{
    struct sha_queue *queue = link->state;

    worker_port_close(&queue->port);
    list_remove(&queue->source.node);
    held_close(&queue->copies);
    free(queue->jobs);
    free(queue->sessions);
    free(queue);
    link->state = NULL;
}
