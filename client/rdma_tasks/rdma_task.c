// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes a job of a task, and runs it.

#include "rdma_task.h"

#include "rdma/quick.h"
#include "rdma/verbs.h"

#include "log/own.h"
#include "plural.h"

_Static_assert(RDMA_JOB_KINDS <= CONTEXT_TASK_KINDS_MAX, "a pool for each kind");

// ---- checks ------------------------------------------------------------------------------------

static bool given_back(const struct doca_buf *buf)
{
    return buf && !buf->refcount;
}

static uint32_t count(const struct doca_buf *buf)
{
    uint32_t n = 0;

    for (; buf; buf = buf->next)
        n++;
    return n;
}

// Returns whether buffers are missing. If a read or write has none to read from, no bytes are
// moved.
static bool incomplete(const struct work_item *item)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);

    if (job->kind >= RDMA_JOB_ATOMIC_CMP_SWP)
        return !job->local || !job->remote;
    if (job->kind < RDMA_JOB_READ)
        return false;
    if (!(job->kind == RDMA_JOB_READ ? job->remote : job->local))
        job->local = job->remote = NULL;
    return !job->local != !job->remote;
}

static doca_error_t check_buffers(const struct work_item *item, struct errtext *err)
{
    const struct doca_rdma *rdma = rdma_context_of(item->link->ctx);
    const struct rdma_job *job = rdma_job_of((struct work_item *)item);
    uint32_t most = job->kind == RDMA_JOB_RECV ? rdma->set.recv_chain : rdma->send_chain;

    if (rdma_is_other(item))
        return rdma_event_check(item, err);
    if (incomplete(item))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "one of its buffers is NULL");
    if (given_back(job->local) || given_back(job->remote))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "one of its buffers was given back");
    if (job->local && job->local->next && count(job->local) > most)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "its local list has more than %u buffer%s; see %s()", most, PLURAL(most),
                           job->kind == RDMA_JOB_RECV
                               ? "doca_rdma_task_receive_set_dst_buf_list_len"
                               : "doca_rdma_set_max_send_buf_list_len");
    return DOCA_SUCCESS;
}

// Arriving bytes are appended, but for the result of an atomic.
static enum rdma_extent extent_of(enum rdma_job_kind kind)
{
    if (kind >= RDMA_JOB_ATOMIC_CMP_SWP)
        return RDMA_ROOM;
    return kind == RDMA_JOB_RECV || kind == RDMA_JOB_READ ? RDMA_BEHIND : RDMA_DATA;
}

static void fill_job(struct work_item *item)
{
    const struct rdma_task_fields *fields = &((struct rdma_task *)item)->fields;

    *rdma_job_of(item) = (struct rdma_job){
        .end = fields->connection ? &fields->connection->end : NULL,
        .local = (struct doca_buf *)fields->local,
        .remote = (struct doca_buf *)fields->remote,
        .operand = fields->operand,
        .compare = fields->compare,
        .immediate = fields->immediate,
        .kind = (uint8_t)item->type,
        .extent = (uint8_t)extent_of((enum rdma_job_kind)item->type),
    };
}

// Otherwise submission reports the reason.
static bool is_connected(const struct work_item *item)
{
    const struct doca_rdma_connection *connection = ((struct rdma_task *)item)->fields.connection;

    return connection && rdma_has_connection(rdma_context_of(item->link->ctx), connection) &&
           connection->end.link && rdma_state(&connection->end) != RDMA_STATE_INIT;
}

// For doca_task_try_submit().
static doca_error_t check(struct doca_task *task, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of(&task->item);

    fill_job(&task->item);
    doca_error_t r = check_buffers(&task->item, err);
    if (r != DOCA_SUCCESS || job->kind < RDMA_JOB_READ || !is_connected(&task->item))
        return r;
    return rdma_is_other(&task->item) ? rdma_event_permitted(&task->item, err)
                                      : rdma_access_check(&task->item, err);
}

#define KIND_ON(text, card)                                                                        \
    {                                                                                              \
        .name = (text), .size = sizeof(struct rdma_task), .max = RDMA_QUEUE_MAX, .needs = (card),  \
        .check = check                                                                             \
    }
#define KIND(text)   KIND_ON(text, CARD_RDMA)
#define ATOMIC(text) KIND_ON(text, CARD_RDMA_ATOMICS)

#define EVENT_KIND(text)                                                                           \
    {                                                                                              \
        .name = (text), .size = sizeof(struct rdma_event_task), .max = RDMA_QUEUE_MAX,             \
        .needs = CARD_RDMA, .check = check                                                         \
    }

const struct task_kind rdma_task_kinds[RDMA_JOB_KINDS] = {
    [RDMA_JOB_RECV] = KIND("receive"),
    [RDMA_JOB_SEND] = KIND("send"),
    [RDMA_JOB_SEND_IMM] = KIND("send with immediate"),
    [RDMA_JOB_READ] = KIND("read"),
    [RDMA_JOB_WRITE] = KIND("write"),
    [RDMA_JOB_WRITE_IMM] = KIND("write with immediate"),
    [RDMA_JOB_ATOMIC_CMP_SWP] = ATOMIC("compare and swap"),
    [RDMA_JOB_ATOMIC_FETCH_ADD] = ATOMIC("fetch and add"),
    [RDMA_JOB_EVENT_GET] = EVENT_KIND("get of a sync event"),
    [RDMA_JOB_EVENT_SET] = EVENT_KIND("notify set of a sync event"),
    [RDMA_JOB_EVENT_ADD] = EVENT_KIND("notify add of a sync event"),
};

// ---- submitting --------------------------------------------------------------------------------

static doca_error_t refuse(struct work_item *item, doca_error_t error, const char *why)
{
    item->refusal = why;
    return error;
}

// A task for a connection that has ended is taken, and fails.
doca_error_t rdma_task_prepare(struct work_item *item, const void *job)
{
    const struct doca_rdma_connection *connection = ((struct rdma_task *)item)->fields.connection;

    (void)job;
    if (item->type != RDMA_JOB_RECV) {
        if (!connection || !rdma_has_connection(rdma_context_of(item->link->ctx), connection))
            return refuse(item, DOCA_ERROR_INVALID_VALUE,
                          "the task has no connection, or one that the context does not have now");
        if (!connection->end.link || rdma_state(&connection->end) == RDMA_STATE_INIT)
            return refuse(item, DOCA_ERROR_BAD_STATE,
                          "the connection is not made; call doca_rdma_connect() first, or wait "
                          "until it is established");
    }
    fill_job(item);
    return DOCA_SUCCESS;
}

// Tasks of the connection's send queue whose completion was not reported.
static uint32_t sends_in_flight(const struct doca_ctx *ctx,
                                const struct doca_rdma_connection *connection)
{
    uint32_t n = 0;

    for (uint32_t type = RDMA_JOB_SEND; type < RDMA_JOB_KINDS; type++) {
        const struct task_pool *pool = &ctx->pools[type];
        for (uint32_t i = 0; i < pool->n; i++) {
            const struct doca_task *task = task_at(pool, i);
            n += task->item.state >= TASK_IN_FLIGHT &&
                 ((const struct rdma_task *)task)->fields.connection == connection;
        }
    }
    return n;
}

doca_error_t rdma_task_prepare_bounded(struct work_item *item, const void *job)
{
    const struct doca_ctx *ctx = item->link->ctx;
    uint32_t most = rdma_context_of(item->link->ctx)->set.send_size;

    // They are counted only if there may be too many.
    if (item->type != RDMA_JOB_RECV && ctx->link.in_flight >= most &&
        sends_in_flight(ctx, ((const struct rdma_task *)item)->fields.connection) >= most)
        return refuse(item, DOCA_ERROR_FULL,
                      "the connection's send queue is full; wait for completions first, or see "
                      "doca_rdma_set_send_queue_size()");
    return rdma_task_prepare(item, job);
}

// Out of line: a send needs fewer registers.
static __attribute__((noinline)) enum work_status quick_access(struct rdma_end *rdma,
                                                               struct work_item *item)
{
    const struct rdma_task_fields *fields = &((struct rdma_task *)item)->fields;

    return rdma_quick_access(rdma, item, (enum rdma_job_kind)item->type, true,
                             (struct doca_buf *)fields->local, fields->remote, fields->operand,
                             fields->compare)
               ? WORK_DONE
               : WORK_UNTRIED;
}

enum work_status rdma_task_quick(struct work_item *item, const void *job)
{
    const struct rdma_task_fields *fields = &((struct rdma_task *)item)->fields;
    struct doca_rdma *rdma = rdma_context_of(item->link->ctx);
    struct doca_rdma_connection *connection = fields->connection;

    (void)job;
    if (item->type == RDMA_JOB_RECV) {
        // If the buffer has data, the message goes behind them.
        if (!fields->local || fields->local->data_len ||
            !rdma_quick_receive(&rdma->receives, item, NULL, (struct doca_buf *)fields->local))
            return WORK_UNTRIED;
        rdma->receives.n++;
        return WORK_KEPT;
    }
    if (!connection || !rdma_has_connection(rdma, connection) || item->type == RDMA_JOB_WRITE_IMM ||
        item->type >= RDMA_JOB_EVENT_GET)
        return WORK_UNTRIED;
    if (item->type >= RDMA_JOB_READ)
        return quick_access(&connection->end, item);
    if (!rdma_quick_send(&connection->end, item, (enum rdma_job_kind)item->type, fields->local,
                         fields->immediate))
        return WORK_UNTRIED;
    connection->end.n_sends++;
    return WORK_KEPT;
}

// ---- executing ---------------------------------------------------------------------------------

// Only this task fails: nothing was done for it.
static __attribute__((noinline, cold)) enum work_status
wrong(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "RDMA on %s: a %s task failed: %s (%s)",
            dev_name(item->link->device), rdma_task_kinds[item->type].name, err->s,
            doca_error_get_name(error));
    item->error = error;
    rdma_release(item);
    return WORK_DONE;
}

static enum work_status post_receive(struct work_item *item)
{
    struct doca_rdma *rdma = rdma_context_of(item->link->ctx);

    if (!rdma_receive_check(item, rdma->set.recv_chain))
        return WORK_DONE;
    work_fifo_push(&rdma->receives.queue, item);
    rdma->receives.n++;
    return executor_keep(item->link->executor);
}

enum work_status rdma_task_execute(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);
    struct errtext err;

    if (__builtin_expect(check_buffers(item, &err) != DOCA_SUCCESS, 0))
        return wrong(item, DOCA_ERROR_INVALID_VALUE, &err);
    if (job->kind == RDMA_JOB_RECV)
        return post_receive(item);
    job->end->n_sends++;
    return rdma_execute(item);
}

enum work_status rdma_task_execute_on_verbs(struct work_item *item)
{
    struct doca_rdma *rdma = rdma_context_of(item->link->ctx);
    struct errtext err;

    doca_error_t r = check_buffers(item, &err);
    bool receive = item->type == RDMA_JOB_RECV;
    if (r == DOCA_SUCCESS && receive)
        r = verbs_receives_post(&rdma->receives, item, &err);
    if (r != DOCA_SUCCESS)
        return wrong(item, r, &err);
    if (receive)
        return executor_keep(item->link->executor);
    rdma_job_of(item)->end->n_sends++;
    return verbs_execute(item);
}

void rdma_flush_receives(struct doca_rdma *rdma)
{
    struct work_item *item;

    while ((item = work_fifo_pop(&rdma->receives.queue))) {
        item->error = DOCA_ERROR_SHUTDOWN;
        rdma_release(item);
        rdma->receives.n--;
        executor_finish(rdma->ctx.link.executor, item);
    }
}

// ---- configuration -----------------------------------------------------------------------------

doca_error_t rdma_task_set_conf(const char *function, struct doca_rdma *rdma,
                                enum rdma_job_kind kind, doca_task_completion_cb_t done,
                                doca_task_completion_cb_t failed, uint32_t n)
{
    struct errtext err;

    return report(function, task_configure(&rdma->ctx, kind, done, failed, n, &err), &err);
}
