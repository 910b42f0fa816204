// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests whose bytes the engine does not move itself. Grants treat them as copies in progress.

#include "engine_move.h"
#include "engine_private.h"

#include <doca_error.h>

bool engine_hold_begin(struct engine_queue_pair *qp, const struct qp_request *r,
                       struct engine_hold *out)
{
    struct engine_importer *importer = qp->importer;
    pthread_mutex_t *lock = &importer->engine->lock;

    pthread_mutex_lock(lock);
    struct engine_grant *grant = engine_grants_find(&importer->grants, r->key);
    bool good = engine_check(grant, r) == DOCA_SUCCESS;
    if (good) {
        grant->busy++;
        importer->busy++;
        *out = (struct engine_hold){.qp = qp, .grant = grant, .memory = grant->memory};
    }
    pthread_mutex_unlock(lock);
    return good;
}

void engine_hold_end(struct engine_hold *hold, uint32_t bytes)
{
    struct engine_importer *importer = hold->qp->importer;
    struct engine_totals *totals = &importer->engine->totals;
    struct engine_stats *stats = &hold->qp->stats;

    pthread_mutex_lock(&importer->engine->lock);
    stats->requests += bytes > 0;
    stats->bytes += bytes;
    totals->requests += bytes > 0;
    if (hold->by_docad) {
        totals->bytes += bytes;
    } else {
        stats->held_bytes += bytes;
        totals->held_bytes += bytes;
    }
    importer->busy--;
    engine_let_go(importer, hold->grant);
    engine_settle_importer(importer);
    pthread_mutex_unlock(&importer->engine->lock);
    hold->qp = NULL;
}

bool engine_hold_is_dropped(const struct engine_hold *hold)
{
    return hold->grant->error != DOCA_SUCCESS; // only the loop's thread sets it
}
