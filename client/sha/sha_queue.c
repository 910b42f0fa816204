// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sha_queue.h"

#include "cleanup.h"

// ---- digests ---------------------------------------------------------------------------

doca_error_t sha_digest_init(struct sha_digest *digest, const struct doca_sha *sha,
                             struct errtext *err)
{
    for (size_t i = 0; i < SHA_ALGORITHMS; i++) {
        digest->md[i] = EVP_MD_CTX_new();
        // The first time sets up what later ones only reset.
        if (!digest->md[i] || !EVP_DigestInit_ex2(digest->md[i], sha->algorithms[i], NULL))
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for the state of a digest");
    }
    return DOCA_SUCCESS;
}

void sha_digest_fini(struct sha_digest *digest)
{
    for (size_t i = 0; i < SHA_ALGORITHMS; i++) {
        EVP_MD_CTX_free(digest->md[i]);
        digest->md[i] = NULL;
    }
}

struct sha_digest *sha_lane_take(struct sha_queue *queue)
{
    struct sha_digest *lane = queue->free_lane;
    if (lane)
        queue->free_lane = lane->next_free;
    return lane;
}

void sha_lane_put(struct sha_queue *queue, struct sha_digest *lane)
{
    lane->next_free = queue->free_lane;
    queue->free_lane = lane;
    queue->freed = true;
}

bool sha_session_valid(const struct sha_queue *queue,
                       const struct doca_sha_partial_session *session)
{
    uintptr_t at = (uintptr_t)session, first = (uintptr_t)queue->sessions;

    return at >= first && at < first + SHA_SESSIONS_MAX * sizeof(*session) &&
           (at - first) % sizeof(*session) == 0 && session->used;
}

// ---- turns -------------------------------------------------------------------------------

static void new_round(struct work_source *source)
{
    struct sha_queue *queue = container_of(source, struct sha_queue, source);

    queue->budget = SHA_STEP;
    queue->halted = queue->blocked = queue->freed = false;
}

// Jobs that gave way wait for nobody but their next turn.
static bool turn_is_due(struct work_source *source)
{
    struct sha_queue *queue = container_of(source, struct sha_queue, source);
    return queue->halted || (queue->blocked && queue->freed);
}

static void nothing_to_clear(struct work_source *source)
{
    (void)source;
}

// ---- work queues come and go ----------------------------------------------------------------

static void free_queue(struct sha_queue *queue)
{
    sha_digest_fini(&queue->scratch);
    for (size_t i = 0; i < SHA_LANES; i++)
        sha_digest_fini(&queue->lanes[i]);
    for (size_t i = 0; queue->sessions && i < SHA_SESSIONS_MAX; i++)
        if (queue->sessions[i].used)
            sha_digest_fini(&queue->sessions[i].digest);
    free(queue->sessions);
    free(queue);
}

static doca_error_t fill_queue(struct sha_queue *queue, const struct doca_sha *sha,
                               struct errtext *err)
{
    queue->sessions = calloc(SHA_SESSIONS_MAX, sizeof(*queue->sessions));
    if (!queue->sessions)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for sessions");
    for (size_t i = SHA_SESSIONS_MAX; i-- > 0;) {
        queue->sessions[i].next_free = queue->free_session;
        queue->free_session = &queue->sessions[i];
    }
    doca_error_t r = sha_digest_init(&queue->scratch, sha, err);
    for (size_t i = 0; r == DOCA_SUCCESS && i < SHA_LANES; i++) {
        r = sha_digest_init(&queue->lanes[i], sha, err);
        sha_lane_put(queue, &queue->lanes[i]);
    }
    return r;
}

doca_error_t sha_queue_attach(struct work_link *link, struct errtext *err)
{
    struct sha_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a work queue's digests");
    doca_error_t r = fill_queue(queue, sha_of(link->ctx), err);
    if (r != DOCA_SUCCESS) {
        free_queue(queue);
        return r;
    }
    queue->source =
        (struct work_source){.poll = new_round, .arm = turn_is_due, .clear = nothing_to_clear};
    new_round(&queue->source);
    executor_add_source(link->executor, &queue->source);
    link->state = queue;
    return DOCA_SUCCESS;
}

void sha_queue_detach(struct work_link *link)
{
    struct sha_queue *queue = link->state;

    list_remove(&queue->source.node);
    free_queue(queue);
    link->state = NULL;
}
