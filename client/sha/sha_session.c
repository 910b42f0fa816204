// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sessions: messages that are hashed segment by segment. They lie in an array of their queue,
// so that a wrong pointer is recognized.

#include "core/refused.h"
#include "sha_queue.h"
#include "work/workq.h"

#include <doca_sha.h>

static struct sha_queue *find_queue(struct doca_sha *ctx, struct doca_workq *workq)
{
    struct work_link *link = workq_link(workq, doca_sha_as_ctx(ctx));
    return link ? link->state : NULL;
}

static doca_error_t create(struct doca_sha *ctx, struct doca_workq *workq,
                           struct doca_sha_partial_session **out, struct errtext *err)
{
    struct sha_queue *queue = find_queue(ctx, workq);
    if (!queue)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the work queue was not added to the SHA context");
    struct doca_sha_partial_session *session = queue->free_session;
    if (!session)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "the context has reached the limit of %u sessions with this work queue",
                           SHA_SESSIONS_MAX);
    queue->free_session = session->next_free;
    *session = (struct doca_sha_partial_session){.used = true};
    *out = session;
    return DOCA_SUCCESS;
}

// Finds a session of the context and work queue that has no segment in flight.
static doca_error_t check_idle(const struct sha_queue *queue,
                               const struct doca_sha_partial_session *session, struct errtext *err)
{
    if (!queue || !sha_session_valid(queue, session))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the session does not belong to this context and this work queue, or "
                           "was destroyed");
    if (sha_session_busy(session))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%u segments of the session are in flight; retrieve their events first",
                           session->submitted - session->executed);
    return DOCA_SUCCESS;
}

static doca_error_t check_pair(const struct sha_queue *queue,
                               const struct doca_sha_partial_session *from,
                               const struct doca_sha_partial_session *to, struct errtext *err)
{
    doca_error_t r = check_idle(queue, from, err);
    if (r == DOCA_SUCCESS)
        r = check_idle(queue, to, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (from == to)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "both sessions are the same");
    if (from->failed)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a segment of the message has failed; there is nothing to copy");
    return DOCA_SUCCESS;
}

static void copy(const struct doca_sha_partial_session *from, struct doca_sha_partial_session *to)
{
    to->digest = from->digest;
    to->algorithm = from->algorithm;
    to->open = from->open;
    to->started = from->started;
    to->failed = false;
}

// ---- the public interface ------------------------------------------------------------------

doca_error_t doca_sha_partial_session_create(struct doca_sha *ctx, struct doca_workq *workq,
                                             struct doca_sha_partial_session **session)
{
    struct errtext err;

    if (!ctx || !workq || !session)
        return REFUSED_NULL(ctx, workq, session);
    doca_error_t r = create(ctx, workq, session, &err);
    return report(__func__, r, &err);
}

doca_error_t doca_sha_partial_session_destroy(struct doca_sha *ctx, struct doca_workq *workq,
                                              struct doca_sha_partial_session *session)
{
    struct errtext err;

    if (!ctx || !workq || !session)
        return REFUSED_NULL(ctx, workq, session);
    struct sha_queue *queue = find_queue(ctx, workq);
    doca_error_t r = check_idle(queue, session, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    session->used = false;
    session->next_free = queue->free_session;
    queue->free_session = session;
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_partial_session_copy(struct doca_sha *ctx, struct doca_workq *workq,
                                           const struct doca_sha_partial_session *from_session,
                                           struct doca_sha_partial_session *to_session)
{
    struct errtext err;

    if (!ctx || !workq || !from_session || !to_session)
        return REFUSED_NULL(ctx, workq, from_session, to_session);
    doca_error_t r = check_pair(find_queue(ctx, workq), from_session, to_session, &err);
    if (r == DOCA_SUCCESS)
        copy(from_session, to_session);
    return report(__func__, r, &err);
}
