// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Serves a queue pair when it is its turn.

#include "engine_move.h"
#include "engine_private.h"
#include "limit.h"

#include <doca_error.h>

#include <string.h>

#define HANGS_MAX    2           // threads that may hang in one user's memory
#define HANG_FAIL_NS 2000000000u // after that time, requests that wait for them fail

// Requests of one queue pair before another user or client has its turn.
#define TURN_REQUESTS 8
#define TURN_BYTES    QP_CHUNK_SIZE

// The step of a longer request while another user waits, whose request may be short: two
// microseconds.
#define STEP_BYTES 8192u

static void fail_queue_pair(struct engine *engine, struct engine_queue_pair *qp)
{
    qp->stats.failed = true;
    engine_see_depth(qp);
    if (qp->failed_fn) {
        qp->failure = (struct engine_callback){.fn = qp->failed_fn, .arg = qp->failed_arg};
        engine_announce(engine, &qp->failure);
    }
}

// ---- serving -------------------------------------------------------------------

enum hang_policy { HANG_POLICY_RUN, HANG_POLICY_WAIT, HANG_POLICY_FAIL };

// A few threads may hang in one user's memory, but no more, so that some are left for other users.
// Copies also take long on a loaded machine; only time distinguishes the two.
static enum hang_policy hang_policy(const struct engine *engine, uid_t uid)
{
    uint64_t now = clock_ns(), longest = 0;
    unsigned n = 0, others = 0;
    if (engine->n_workers <= engine->options.threads)
        return HANG_POLICY_RUN; // nothing has hung yet
    for (size_t i = 0; i < engine->n_workers; i++) {
        const struct worker *worker = &engine->workers[i];
        if (!worker->busy_since || now < worker->busy_since)
            continue;
        uint64_t busy = now - worker->busy_since;
        if (worker->busy_uid != uid) {
            others += busy > HANG_NS;
            continue;
        }
        n += busy > HANG_NS;
        longest = busy > longest ? busy : longest;
    }
    if (n < HANGS_MAX && n < limit_share(THREADS_MAX, others))
        return HANG_POLICY_RUN;
    return longest > HANG_FAIL_NS ? HANG_POLICY_FAIL : HANG_POLICY_WAIT;
}

static void park(struct engine *engine, struct engine_queue_pair *qp, const struct qp_request *r)
{
    qp->kept = *r;
    list_append(&engine->parked, &qp->in_runnable);
}

// Called when one thread has returned or time has passed.
void engine_unpark_all(struct engine *engine)
{
    while (!list_empty(&engine->parked)) {
        struct engine_queue_pair *qp =
            list_entry(engine->parked.next, struct engine_queue_pair, in_runnable);
        list_remove(&qp->in_runnable);
        engine_make_runnable(qp);
    }
}

// The lock is released during the copy.
static uint32_t carry_out(struct worker *worker, struct engine_queue_pair *qp,
                          struct engine_grant *grant, const struct qp_request *r)
{
    struct engine *engine = worker->engine;
    struct engine_importer *importer = qp->importer;

    grant->busy++;
    importer->busy++;
    worker->busy_since = clock_ns();
    worker->busy_uid = grant->owner->uid;
    pthread_mutex_unlock(&engine->lock);
    uint32_t status = engine_move(grant, r, &qp->ring.shared->data[0][0] + r->offset,
                                  &qp->ring.shared->intent, qp->ring.completion_head, qp->restored);
    pthread_mutex_lock(&engine->lock);
    uint64_t busy = clock_ns() - worker->busy_since;
    engine->totals.busy_ns += busy;
    if (busy > HANG_NS)
        engine_unpark_all(engine);
    worker->busy_since = 0;
    qp->restored = false; // only the first request can have been begun before
    importer->busy--;
    engine_let_go(importer, grant);
    return status;
}

// The rest is checked again, like a new request: its grant may have been dropped.
static int take_request(struct engine_queue_pair *qp, struct qp_request *r)
{
    if (qp->kept.length == 0)
        return qp_server_next(&qp->ring, r);
    *r = qp->kept;
    qp->kept.length = 0;
    return 1;
}

// Shortens a long request while another user waits, and keeps the rest for the next turn. Returns
// true if there is a rest.
static bool split_request(struct engine_queue_pair *qp, struct qp_request *r)
{
    if (r->length <= STEP_BYTES || !engine_sched_others(&qp->importer->user->sched))
        return false;
    qp->kept = *r;
    qp->kept.address += STEP_BYTES;
    qp->kept.offset += STEP_BYTES;
    qp->kept.length -= STEP_BYTES;
    r->length = STEP_BYTES;
    return true;
}

// Completes a request. Returns false if no more requests can be taken from this queue pair.
static bool complete(struct worker *worker, struct engine_queue_pair *qp, uint32_t tag,
                     uint32_t status)
{
    worker->served++;
    qp->stats.requests++;
    qp->stats.errors += status != DOCA_SUCCESS;
    worker->engine->totals.requests++;
    worker->engine->totals.errors += status != DOCA_SUCCESS;
    if (!qp->dead && qp_server_complete(&qp->ring, tag, status) < 0) {
        fail_queue_pair(worker->engine, qp);
        return false;
    }
    return !qp->dead;
}

// The lock is released during the copy.
static void carry_out_step(struct worker *worker, struct engine_queue_pair *qp,
                           const struct engine_step *step)
{
    struct engine *engine = worker->engine;
    struct engine_importer *importer = qp->importer;

    step->from->busy++;
    step->to->busy++;
    importer->busy++;
    worker->busy_since = clock_ns();
    worker->busy_uid = importer->user->uid;
    pthread_mutex_unlock(&engine->lock);
    memmove(step->target, step->source, step->length); // both may be the same file
    pthread_mutex_lock(&engine->lock);
    worker->busy_since = 0;
    importer->busy--;
    engine_let_go(importer, step->from);
    engine_let_go(importer, step->to);
}

// Executes one step of a copy, which uses up a turn. Returns false if no more requests can be taken
// from this queue pair.
static bool serve_copy(struct worker *worker, struct engine_queue_pair *qp, uint64_t *moved)
{
    struct engine_copy *copy = &qp->copy;
    struct engine_step step;

    uint32_t status = engine_copy_next(copy, &qp->importer->grants, &step);
    if (status == DOCA_SUCCESS) {
        carry_out_step(worker, qp, &step);
        *moved += TURN_BYTES;
        worker->served = DOORBELL_EVERY; // it took a while, so check the doorbells now
        copy->done += step.length;
        if (copy->done < copy->what.length)
            return !qp->dead;
        qp->stats.bytes += copy->what.length;
        worker->engine->totals.bytes += copy->what.length;
    }
    copy->under_way = false;
    return complete(worker, qp, copy->tag, status);
}

static bool begin_copy(struct worker *worker, struct engine_queue_pair *qp,
                       const struct qp_request *r, uint64_t *moved)
{
    uint32_t status = engine_copy_begin(&qp->copy, r, &qp->ring.shared->data[0][0]);
    if (status != DOCA_SUCCESS)
        return complete(worker, qp, r->tag, status);
    return serve_copy(worker, qp, moved);
}

// Carries out a checked request, or its first step.
static bool serve_move(struct worker *worker, struct engine_queue_pair *qp,
                       struct engine_grant *grant, struct qp_request *r, uint64_t *moved)
{
    bool more = split_request(qp, r);
    uint32_t status = carry_out(worker, qp, grant, r);

    *moved += more ? TURN_BYTES : r->length;
    // A client that rings in between must not wait for many long copies.
    worker->served += (uint64_t)r->length * DOORBELL_EVERY / DOORBELL_BYTES;
    if (status == DOCA_SUCCESS) {
        qp->stats.bytes += r->length;
        worker->engine->totals.bytes += r->length;
        if (more)
            return !qp->dead;
    }
    qp->kept.length = 0;
    return complete(worker, qp, r->tag, status);
}

// Takes and completes one request, or a part of it. Returns false if no more requests can be taken
// from this queue pair now. Adds the bytes that were moved to *moved.
static bool serve_one(struct worker *worker, struct engine_queue_pair *qp, uint64_t *moved)
{
    struct engine *engine = worker->engine;
    struct qp_request r;

    if (qp->copy.under_way)
        return serve_copy(worker, qp, moved);
    int taken = take_request(qp, &r);
    if (taken < 0)
        fail_queue_pair(engine, qp);
    if (taken <= 0)
        return false;
    if (r.opcode == QP_COPY)
        return begin_copy(worker, qp, &r, moved);

    struct engine_grant *grant = engine_grants_find(&qp->importer->grants, r.key);
    uint32_t status = engine_check(grant, &r);
    enum hang_policy how =
        status == DOCA_SUCCESS ? hang_policy(engine, grant->owner->uid) : HANG_POLICY_RUN;
    if (how == HANG_POLICY_WAIT) {
        park(engine, qp, &r);
        return false;
    }
    if (how == HANG_POLICY_FAIL)
        status = DOCA_ERROR_IO_FAILED;
    if (status == DOCA_SUCCESS)
        return serve_move(worker, qp, grant, &r, moved);
    return complete(worker, qp, r.tag, status);
}

// After a turn the queue pair is runnable again, or asleep with its doorbell armed.
static void settle_queue_pair(struct engine *engine, struct engine_queue_pair *qp, bool more)
{
    uint64_t now = clock_ns();

    if (!more && qp->spin.since == 0)
        spin_begin(&qp->spin, now);
    if (more || spin_goes_on(&qp->spin, now, engine->options.spin_ns)) {
        engine_make_runnable(qp);
        return;
    }
    spin_give_up(&qp->spin);
    if (qp_server_sleep(&qp->ring)) {
        qp_server_awake(&qp->ring);
        qp->spin.since = 0;
        engine_make_runnable(qp);
        return;
    }
    qp->asleep_ns = now;
    list_append(engine->dozing.next, &qp->in_dozing); // in front of the first
}

// Serves one queue pair for one turn.
void engine_serve(struct worker *worker, struct engine_queue_pair *qp)
{
    struct engine *engine = worker->engine;
    struct engine_importer *importer = qp->importer;
    uint64_t moved = 0;
    bool more = true;

    qp->busy = true;
    engine_see_depth(qp);
    for (int i = 0; i < TURN_REQUESTS && moved < TURN_BYTES && more; i++) {
        more = serve_one(worker, qp, &moved);
        if (more && qp->spin.since)
            spin_end(&qp->spin, clock_ns(), engine->options.spin_ns);
    }
    qp->busy = false;
    engine_see_depth(qp);
    if (qp->dead) {
        engine_end_queue_pair(engine, qp);
        engine_settle_importer(importer);
    } else if (!qp->stats.failed && !list_linked(&qp->in_runnable)) {
        settle_queue_pair(engine, qp, more);
    }
}
