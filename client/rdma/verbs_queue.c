// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Completions of an instance on an ibverbs device, and its failures.

#include "verbs.h"

#include "clock.h"
#include "core/report.h"
#include "queue/pacer.h"

#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>

#define BATCH    16   // completions taken in one call
#define DRAIN_MS 2000 // how long flushing may take

// ---- ends of jobs -----------------------------------------------------------------------------

static void finish(struct rdma_end *rdma, struct work_item *item, doca_error_t error)
{
    if (rdma_kind(item) == RDMA_JOB_RECV)
        rdma->receives->n--;
    else
        rdma->n_sends--;
    item->error = error;
    rdma_release(item);
    executor_finish(rdma->link->executor, item);
}

// In error: finds jobs that no thread works on any more. The failed job may be among them.
static void finish_flushed(struct rdma_end *rdma, struct work_item *item)
{
    doca_error_t own = rdma_job_of(item)->error;
    finish(rdma, item, own != DOCA_SUCCESS ? own : rdma->flush_error);
}

static void finish_all(struct rdma_end *rdma, struct work_fifo *fifo)
{
    struct work_item *item;
    while ((item = work_fifo_pop(fifo)))
        finish_flushed(rdma, item);
}

static void flush(struct rdma_end *rdma)
{
    struct rdma_verbs *v = rdma->verbs;

    if (v->dead || !v->outstanding) {
        v->outstanding = 0;
        finish_all(rdma, &rdma->posted);
        if (!rdma->shares_receives)
            finish_all(rdma, &rdma->receives->queue);
    }
    // docad's engine may still be writing to the buffer of the first one.
    if (!rdma->posted.head && !(rdma->stalled.head && rdma_at_engine(rdma->stalled.head)))
        finish_all(rdma, &rdma->stalled);
}

// Nothing more will complete, and the channel may stay readable.
static void give_up(struct rdma_end *rdma)
{
    struct rdma_verbs *v = rdma->verbs;
    int epoll_fd = rdma->link->executor->epoll_fd;

    v->dead = true;
    if (epoll_fd >= 0)
        epoll_ctl(epoll_fd, EPOLL_CTL_DEL, v->rc.channel->fd, NULL);
}

// Does not finish jobs: completions that were polled may wait to be handled.
static void end(struct rdma_end *rdma, doca_error_t flush_error, enum rdma_stage why)
{
    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    rdma->flush_error = flush_error;
    rdma->verbs->again = false;
    atomic_store_explicit(&rdma->state, RDMA_STATE_ERROR, memory_order_relaxed);
    if (why != RDMA_HERE && atomic_load_explicit(&rdma->pair, memory_order_acquire))
        rdma_notify_end(rdma, why);
    rdma_drop_descriptors(rdma); // they stay readable
    if (!verbs_rc_fail(&rdma->verbs->rc))
        give_up(rdma);
    rdma_hurry(rdma);
    if (rdma->ended)
        rdma->ended(rdma);
}

void verbs_lose(struct rdma_end *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_HERE);
}

// What the device has completed counts: it is not polled any more once the end is closed. A message
// takes a receive, so the other side cannot keep us here.
void verbs_leave(struct rdma_end *rdma, doca_error_t flush_error)
{
    while (verbs_take(rdma))
        ;
    end(rdma, flush_error, RDMA_LEFT);
}

static void fail(struct rdma_end *rdma)
{
    end(rdma, DOCA_ERROR_CONNECTION_ABORTED, RDMA_FAILED);
}

// The program may see this before docad has reported it.
static void device_gone(struct rdma_end *rdma)
{
    if (rdma_state(rdma) != RDMA_STATE_ERROR)
        log_own_warning(
            "RDMA on %s: the connection ended: the device was removed, or has failed (%s)",
            rdma_device_name(rdma), doca_get_error_name(DOCA_ERROR_IO_FAILED));
    give_up(rdma);
    end(rdma, DOCA_ERROR_IO_FAILED, RDMA_FAILED);
    flush(rdma);
}

// ---- starting jobs ----------------------------------------------------------------------------

// Posts a checked job, or only lists it if its queue pair is about to start again.
static doca_error_t post(struct rdma_end *rdma, struct work_item *item, struct errtext *err)
{
    doca_error_t r = rdma->verbs->again ? DOCA_SUCCESS : verbs_post(item, err);
    if (r == DOCA_SUCCESS)
        work_fifo_push(rdma_kind(item) == RDMA_JOB_RECV ? &rdma->receives->queue : &rdma->posted,
                       item);
    return r;
}

static enum work_status stall(struct rdma_end *rdma, struct work_item *item)
{
    work_fifo_push(&rdma->stalled, item);
    return executor_keep(rdma->link->executor);
}

// The owner of ends that share their receives does not count the jobs of each.
static bool full(const struct rdma_end *rdma)
{
    return rdma->shares_receives && rdma->verbs->outstanding >= rdma->set.send_size;
}

static enum work_status done(struct rdma_end *rdma, struct work_item *item, doca_error_t error)
{
    if (rdma_kind(item) == RDMA_JOB_RECV)
        rdma->receives->n--;
    else
        rdma->n_sends--;
    item->error = error;
    rdma_release(item);
    return WORK_DONE;
}

enum work_status verbs_execute(struct work_item *item)
{
    struct rdma_end *rdma = rdma_of(item);
    bool receive = rdma_kind(item) == RDMA_JOB_RECV;
    struct errtext err;

    item->error = DOCA_SUCCESS;
    // A removed device keeps working for its users until they notice it here.
    if (__builtin_expect(state_table_read(rdma->table, rdma->slot, rdma->endpoint) != SLOT_LIVE,
                         0) &&
        rdma_state(rdma) != RDMA_STATE_ERROR)
        rdma_check_end(rdma);
    doca_error_t r = rdma_hold(item, &err);
    if (__builtin_expect(r != DOCA_SUCCESS, 0)) {
        rdma_job_failed(item, r, &err);
        done(rdma, item, r);
        fail(rdma);
        return WORK_DONE;
    }
    if (__builtin_expect(rdma_state(rdma) == RDMA_STATE_ERROR, 0))
        return rdma->posted.head || rdma->stalled.head ? stall(rdma, item)
                                                       : done(rdma, item, rdma->flush_error);
    if (__builtin_expect(rdma->stalled.head != NULL || full(rdma) || rdma_is_other(item), 0) &&
        !receive)
        return stall(rdma, item);
    r = verbs_check(item, &err);
    if (__builtin_expect(r == DOCA_SUCCESS, 1))
        r = post(rdma, item, &err);
    if (__builtin_expect(r == DOCA_SUCCESS, 1))
        return executor_keep(rdma->link->executor);
    rdma_job_failed(item, r, &err);
    if (rdma->posted.head && !receive)
        return stall(rdma, item); // earlier jobs take effect first
    done(rdma, item, r);
    fail(rdma);
    return WORK_DONE;
}

// The jobs before it are done: the first stalled job is a wrong one.
static void fail_stalled(struct rdma_end *rdma)
{
    struct work_item *item = work_fifo_pop(&rdma->stalled);

    finish(rdma, item, item->error);
    fail(rdma);
}

// Posts the first stalled job, or finds that it is invalid.
static void start_stalled(struct rdma_end *rdma)
{
    struct work_item *item = work_fifo_pop(&rdma->stalled);
    struct errtext err;

    doca_error_t r = verbs_check(item, &err);
    if (r == DOCA_SUCCESS)
        r = post(rdma, item, &err);
    if (r == DOCA_SUCCESS)
        return;
    rdma_job_failed(item, r, &err);
    work_fifo_unpop(&rdma->stalled, item);
}

// The other side's program has not connected yet. If docad does not have it, this cannot be known.
static bool is_awaited(const struct rdma_end *rdma)
{
    // Acquire: everything that the other side did before it connected is visible.
    return atomic_load_explicit(&rdma->pair, memory_order_acquire) &&
           atomic_load_explicit(&rdma->their->stage, memory_order_acquire) == RDMA_AWAITED;
}

// The first stalled job is one that was not posted to the device. Returns false if it continues
// later.
static bool run_other(struct rdma_end *rdma)
{
    struct work_item *item = rdma->stalled.head;

    if (rdma->posted.head || is_awaited(rdma) || rdma->others->step(item) != RDMA_DONE)
        return false;
    work_fifo_pop(&rdma->stalled);
    doca_error_t error = item->error;
    finish(rdma, item, error);
    if (error != DOCA_SUCCESS)
        fail(rdma);
    return true;
}

static __attribute__((noinline)) void push_stalled(struct rdma_end *rdma)
{
    while (rdma->stalled.head && rdma_state(rdma) != RDMA_STATE_ERROR) {
        if (rdma_is_other(rdma->stalled.head)) {
            if (run_other(rdma))
                continue;
            return;
        }
        bool wrong = rdma->stalled.head->error != DOCA_SUCCESS;
        if (wrong ? rdma->posted.head != NULL : full(rdma))
            return;
        if (wrong)
            fail_stalled(rdma);
        else
            start_stalled(rdma);
    }
}

// ---- completions ------------------------------------------------------------------------------

static void received(struct work_item *item, const struct ibv_wc *wc)
{
    struct rdma_job *job = rdma_job_of(item);
    bool write = wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM;

    job->opcode = write                            ? RDMA_RECEIVED_WRITE_IMM
                  : wc->wc_flags & IBV_WC_WITH_IMM ? RDMA_RECEIVED_SEND_IMM
                                                   : RDMA_RECEIVED_SEND;
    job->immediate = wc->wc_flags & IBV_WC_WITH_IMM ? wc->imm_data : 0;
    job->length = wc->byte_len;
    if (!write && job->local)
        rdma_set_lengths(job->local, job->extent, job->length);
}

// Nothing was received from the other side yet, and there is time: it may not have connected.
static bool begin_again(struct rdma_end *rdma, enum ibv_wc_status status)
{
    struct rdma_verbs *v = rdma->verbs;

    if (v->again)
        return true;
    if (v->received || status != IBV_WC_RETRY_EXC_ERR || rdma_state(rdma) != RDMA_STATE_CONNECTED ||
        (!v->linked && clock_ms() > v->deadline_ms))
        return false;
    v->again = true;
    return true;
}

// Some devices (rxe) report this for a valid receive if a message is longer.
static enum ibv_wc_status meant(const struct work_item *item, enum ibv_wc_status status)
{
    return rdma_kind(item) == RDMA_JOB_RECV && status == IBV_WC_LOC_QP_OP_ERR ? IBV_WC_LOC_LEN_ERR
                                                                              : status;
}

// docad's state of the memory that the job works on: the device does not have it.
static doca_error_t memory_error(struct work_item *item)
{
    const struct doca_buf *remote = rdma_job_of(item)->remote;
    return remote ? memory_state(remote->memory) : DOCA_SUCCESS;
}

static bool port_is_down(const struct verbs_rc *rc)
{
    struct ibv_port_attr port;
    return ibv_query_port(rc->qp->context, rc->port, &port) == 0 && port.state < IBV_PORT_ACTIVE;
}

static doca_error_t explain(struct work_item *item, enum ibv_wc_status status, struct errtext *err)
{
    const struct verbs_rc *rc = &rdma_of(item)->verbs->rc;
    doca_error_t r = status == IBV_WC_REM_ACCESS_ERR ? memory_error(item) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        return errtext_set(err, r, RDMA_MEMORY_GONE);
    if (port_is_down(rc))
        return errtext_set(err, verbs_status_error(status), "%s; port %u is down",
                           verbs_status_text(status), rc->port);
    return errtext_set(err, verbs_status_error(status), "%s", verbs_status_text(status));
}

// docad has withdrawn the device: anything that fails now fails because of that.
static doca_error_t device_error(const struct rdma_end *rdma)
{
    enum slot_state state = state_table_read(rdma->table, rdma->slot, rdma->endpoint);
    bool gone = state == SLOT_DEVICE_GONE || state == SLOT_REVOKED;
    return gone ? slot_state_error(state) : DOCA_SUCCESS;
}

// A completion with an error may arrive before we have checked whether the connection still exists.
static void record_error(struct rdma_end *rdma, enum ibv_wc_status status)
{
    bool flushed = status == IBV_WC_WR_FLUSH_ERR; // no job of ours has failed

    doca_error_t error = flushed ? rdma_check(rdma) : device_error(rdma);
    if (error != DOCA_SUCCESS) {
        rdma_ended_now(rdma, error);
    } else if (flushed) {
        log_own_warning(
            "RDMA on %s: the connection ended: its queue pair has failed; the other side "
            "made a request that is not allowed, or the device gave it up (%s)",
            rdma_device_name(rdma), doca_get_error_name(DOCA_ERROR_CONNECTION_ABORTED));
        fail(rdma);
    }
}

// Returns whether the job has failed by itself, by what the other side answered or our device
// found. It may have done so before the end of the connection, which shows first. All else that
// fails in an ended connection does so because of that end.
static bool is_own_failure(const struct rdma_end *rdma, struct work_item *item,
                           enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_LOC_PROT_ERR:
    case IBV_WC_LOC_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_OP_ERR:
        return rdma_job_of(item)->error == DOCA_SUCCESS && device_error(rdma) == DOCA_SUCCESS;
    default:
        return false;
    }
}

static void failed(struct rdma_end *rdma, struct work_item *item, enum ibv_wc_status status)
{
    struct errtext err;

    status = meant(item, status);
    if (rdma_state(rdma) != RDMA_STATE_ERROR)
        record_error(rdma, status);
    if (rdma_state(rdma) == RDMA_STATE_ERROR && !is_own_failure(rdma, item, status)) {
        finish_flushed(rdma, item);
        return;
    }
    doca_error_t error = explain(item, status, &err);
    rdma_job_failed(item, error, &err);
    finish(rdma, item, error);
    fail(rdma);
}

static void complete(struct rdma_end *rdma, const struct ibv_wc *wc)
{
    struct work_item *item = (struct work_item *)(uintptr_t)wc->wr_id;
    struct rdma_job *job = rdma_job_of(item);
    bool receive = rdma_kind(item) == RDMA_JOB_RECV;
    struct rdma_verbs *v = rdma->verbs;

    if (receive && rdma->shares_receives) {
        if (!verbs_receives_take(rdma->receives, item))
            return;
        job->end = rdma;
    } else {
        v->outstanding--;
        if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0) && begin_again(rdma, wc->status))
            return;
        // These come in order.
        work_fifo_pop(receive ? &rdma->receives->queue : &rdma->posted);
    }
    // A request that failed after its retries may have been executed nevertheless.
    if (__builtin_expect(wc->status != IBV_WC_SUCCESS || job->error != DOCA_SUCCESS, 0)) {
        failed(rdma, item, wc->status);
        return;
    }
    if (__builtin_expect(!v->received, 0)) {
        v->received = true;
        atomic_store_explicit(&v->sent, false, memory_order_relaxed);
    }
    if (receive)
        received(item, wc);
    else if (rdma_kind(item) == RDMA_JOB_READ && job->local)
        rdma_set_lengths(job->local, job->extent, job->length);
    finish(rdma, item, DOCA_SUCCESS);
}

// ---- beginning again ----------------------------------------------------------------------------

static doca_error_t post_list(const struct work_fifo *fifo, struct errtext *err)
{
    doca_error_t r = DOCA_SUCCESS;
    for (struct work_item *item = fifo->head; item && r == DOCA_SUCCESS; item = item->next)
        r = verbs_post(item, err);
    return r;
}

static void connect_again(struct rdma_end *rdma)
{
    struct rdma_verbs *v = rdma->verbs;
    struct verbs_address other = v->rc.other;
    struct errtext err;

    v->again = false;
    doca_error_t r = verbs_rc_again(&v->rc, &err);
    if (r == DOCA_SUCCESS)
        r = rdma->shares_receives ? DOCA_SUCCESS : post_list(&rdma->receives->queue, &err);
    if (r == DOCA_SUCCESS)
        r = verbs_rc_connect(&v->rc, &other, &err);
    if (r == DOCA_SUCCESS)
        r = post_list(&rdma->posted, &err);
    if (r != DOCA_SUCCESS) {
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(&err), "RDMA on %s: the connection failed: %s",
                rdma_device_name(rdma), err.s);
        end(rdma, DOCA_ERROR_IO_FAILED, RDMA_FAILED);
    }
}

// ---- polling ------------------------------------------------------------------------------------

bool verbs_take(struct rdma_end *rdma)
{
    struct rdma_verbs *v = rdma->verbs;
    struct ibv_wc wc[BATCH];

    if (__builtin_expect(v->dead, 0))
        return false;
    int n = ibv_poll_cq(v->rc.cq, BATCH, wc);
    for (int i = 0; i < n; i++)
        complete(rdma, &wc[i]);
    if (__builtin_expect(n < 0, 0))
        device_gone(rdma);
    if (__builtin_expect(v->again && !v->outstanding, 0))
        connect_again(rdma);
    if (__builtin_expect(rdma->stalled.head != NULL, 0))
        push_stalled(rdma);
    return n > 0;
}

// The memory of the oldest job may go while the device works on it. Not all devices report that: on
// rxe (kernel 6.1) the refusal of a read that has begun has a number that this side considers old,
// and repeated requests are not answered.
static void check_imports(struct rdma_end *rdma)
{
    struct work_item *item = rdma->posted.head;
    struct errtext err;

    doca_error_t r = item ? memory_error(item) : DOCA_SUCCESS;
    if (__builtin_expect(r == DOCA_SUCCESS, 1))
        return;
    // If both end, docad ends the connection before the memory: then that is the reason.
    rdma_check_end(rdma);
    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    errtext_set(&err, r, RDMA_MEMORY_GONE);
    rdma_job_failed(item, r, &err);
    rdma_job_of(item)->error = r;
    fail(rdma);
}

void verbs_poll(struct work_source *source)
{
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);

    if (verbs_take(rdma))
        ;
    else if (__builtin_expect(rdma_state(rdma) != RDMA_STATE_ERROR, 1)) {
        rdma_check_end(rdma);
        if (rdma_state(rdma) != RDMA_STATE_ERROR)
            check_imports(rdma);
    }
    if (__builtin_expect(rdma_state(rdma) == RDMA_STATE_ERROR, 0))
        flush(rdma);
}

void verbs_discard(struct work_link *link)
{
    struct rdma_end *rdma = link->state;
    uint64_t until = clock_ms() + DRAIN_MS;

    end(rdma, DOCA_ERROR_CONNECTION_ABORTED, RDMA_LEFT);
    while (rdma->verbs->outstanding && !rdma->verbs->dead && clock_ms() < until)
        if (!verbs_take(rdma))
            sched_yield();
    // The device will not return anything more: its queue pair is in error.
    if (rdma->verbs->outstanding)
        give_up(rdma);
    flush(rdma);
    if (link->pacing)
        pacer_report_all(link);
    executor_discard(link->executor, link);
}

// ---- sleeping -----------------------------------------------------------------------------------

// A job that was not posted to the device waits for the other side's program, which wakes us when
// it has connected.
// connected.
static __attribute__((noinline, cold)) void arm_for_other(struct rdma_end *rdma)
{
    if (!rdma->rings_us)
        rdma_show_mode(rdma, true);
    atomic_store_explicit(&rdma->own->armed, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the one in rdma_ring()
}

bool verbs_arm(struct work_source *source)
{
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);
    const struct executor *executor = rdma->link->executor;
    uint32_t kept = executor->kept;

    if (__builtin_expect(rdma->stalled.head != NULL, 0) && rdma_is_other(rdma->stalled.head) &&
        is_awaited(rdma))
        arm_for_other(rdma);
    if (!rdma->verbs->dead && ibv_req_notify_cq(rdma->verbs->rc.cq, 0) != 0)
        device_gone(rdma);
    // Completions from before it was armed make no event, nor does a removed device. An item of a
    // graph is not among the done ones, but it is no longer kept.
    verbs_poll(source);
    return executor->done.head || executor->kept != kept;
}

// Returns true if there was one.
static bool take_wakes(struct verbs_rc *rc)
{
    struct ibv_cq *cq;
    void *context;
    bool any = false;

    while (ibv_get_cq_event(rc->channel, &cq, &context) == 0) {
        ibv_ack_cq_events(cq, 1);
        any = true;
    }
    return any;
}

// A driver that does not wait for its users takes the device from them: the channel, for which the
// kernel then reports nothing else, stays readable.
static bool taken_away(const struct verbs_rc *rc)
{
    struct pollfd channel = {.fd = rc->channel->fd, .events = POLLIN};
    return poll(&channel, 1, 0) > 0 && (channel.revents & (POLLERR | POLLHUP));
}

void verbs_clear(struct work_source *source)
{
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);

    if (!take_wakes(&rdma->verbs->rc) && !rdma->verbs->dead && taken_away(&rdma->verbs->rc))
        device_gone(rdma);
    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    doca_error_t error = rdma_check_descriptors(rdma);
    // Earlier completions are retrieved first: the end is detected again later.
    if (error != DOCA_SUCCESS && !verbs_take(rdma))
        rdma_ended(rdma, error);
}
