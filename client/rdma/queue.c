// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma.h"

#include "core/report.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

// A look at docad costs a system call, and one at the clock some ns: of polls without news,
// every 16th looks at the clock, and where this much time has passed, at docad.
#define CLOCK_EVERY    16
#define ALIVE_EVERY_MS 20

// ---- the other side's sleep -----------------------------------------------------------------

static void send_byte(struct doca_rdma *rdma)
{
    ssize_t n = send(rdma->channel, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)n; // a full channel is readable already
}

void rdma_ring(struct doca_rdma *rdma)
{
    struct rdma_side *their = rdma->their;

    // A side in polling mode never sleeps: no fence for it, which would cost more than all
    // else. See rdma_attach() for how the mode comes to be known.
    if (__builtin_expect(!atomic_load_explicit(&their->event_driven, memory_order_relaxed), 1))
        return;
    // Pairs with the one in rdma_arm(): either we see that it is armed, or it sees what we
    // have published.
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&their->armed, memory_order_relaxed)) {
        atomic_store_explicit(&their->armed, 0, memory_order_relaxed);
        send_byte(rdma);
    }
}

// ---- failing --------------------------------------------------------------------------------

static void finish_send(struct doca_rdma *rdma, struct work_item *item)
{
    rdma->n_sends--;
    executor_finish(rdma->link->executor, item);
}

static void flush(struct doca_rdma *rdma)
{
    struct work_item *item;

    while ((item = work_fifo_pop(&rdma->posted))) {
        item->error = rdma->flush_error;
        finish_send(rdma, item);
    }
    // An engine may still write to the buffers of the first one.
    if (!rdma->stalled.head || !rdma_job_of(rdma->stalled.head)->outstanding)
        while ((item = work_fifo_pop(&rdma->stalled))) {
            item->error = rdma->flush_error;
            finish_send(rdma, item);
        }
    while ((item = work_fifo_pop(&rdma->receives))) {
        item->error = rdma->flush_error;
        rdma->n_recvs--;
        executor_finish(rdma->link->executor, item);
    }
}

static void complete_posted(struct doca_rdma *rdma, uint32_t taken)
{
    struct work_item *item;

    rdma->taken = taken;
    while ((item = rdma->posted.head) && (int32_t)(taken - rdma_job_of(item)->number) >= 0) {
        work_fifo_pop(&rdma->posted);
        item->error = DOCA_SUCCESS;
        finish_send(rdma, item);
    }
}

void rdma_acknowledged(struct doca_rdma *rdma, uint16_t taken)
{
    uint16_t more = (uint16_t)(taken - (uint16_t)rdma->taken);

    // Otherwise it is what we knew already, and more, or nonsense, which says nothing.
    if (more && more <= rdma->entered - rdma->taken)
        complete_posted(rdma, rdma->taken + more);
}

// The last look, before the rest is flushed.
static void count_taken(struct doca_rdma *rdma)
{
    // Acquire: as in read_taken().
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_acquire);

    if (taken - rdma->taken <= rdma->entered - rdma->taken)
        complete_posted(rdma, taken);
}

void rdma_tell_here(struct doca_rdma *rdma)
{
    uint32_t awaited = RDMA_AWAITED;

    // The work queue's thread may have told of an end already. The exchange makes what this
    // program has written into its memory visible before, and is a fence before the ring.
    atomic_compare_exchange_strong(&rdma->own->stage, &awaited, RDMA_HERE);
    rdma_ring(rdma);
}

void rdma_tell_end(struct doca_rdma *rdma, enum rdma_stage why)
{
    // Release: what we have taken is counted before.
    atomic_store_explicit(&rdma->own->stage, why, memory_order_release);
    send_byte(rdma);
}

// RDMA_HERE: nothing of ours has failed, and the other side is not told.
static void end(struct doca_rdma *rdma, doca_error_t flush_error, enum rdma_stage why)
{
    if (rdma_state(rdma) == DOCA_RDMA_STATE_ERROR)
        return;
    rdma->flush_error = flush_error;
    rdma->in_message = false;
    if (rdma->posted.head)
        count_taken(rdma);
    atomic_store_explicit(&rdma->state, DOCA_RDMA_STATE_ERROR, memory_order_relaxed);
    if (why != RDMA_HERE && atomic_load_explicit(&rdma->pair, memory_order_acquire))
        rdma_tell_end(rdma, why);
    rdma_forget_descriptors(rdma); // readable for good
    flush(rdma);
}

void rdma_fail(struct doca_rdma *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_FAILED);
}

void rdma_lose(struct doca_rdma *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_HERE);
}

void rdma_leave(struct doca_rdma *rdma)
{
    end(rdma, DOCA_ERROR_CONNECTION_ABORTED, RDMA_LEFT);
}

void rdma_corrupted(struct doca_rdma *rdma)
{
    log_own_error("RDMA on %s: the connection was corrupted by its other side, and is ended",
                  rdma_device_name(rdma));
    rdma_fail(rdma, DOCA_ERROR_IO_FAILED);
}

static const char *name_of(const struct work_item *item)
{
    switch (item->type) {
    case DOCA_RDMA_JOB_SEND:
    case DOCA_RDMA_JOB_SEND_IMM:
        return "send";
    case DOCA_RDMA_JOB_READ:
        return "read";
    case DOCA_RDMA_JOB_WRITE:
    case DOCA_RDMA_JOB_WRITE_IMM:
        return "write";
    case DOCA_RDMA_JOB_ATOMIC_CMP_SWP:
        return "compare and swap";
    case DOCA_RDMA_JOB_ATOMIC_FETCH_ADD:
        return "fetch and add";
    default:
        return "receive";
    }
}

void rdma_job_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "RDMA on %s: a %s failed: %s (%s)",
            rdma_device_name(rdma_of(item)), name_of(item), err->s, doca_get_error_name(error));
    item->error = error;
    rdma_of(item)->broken = true;
}

// ---- starting jobs ----------------------------------------------------------------------------

static bool has_entry_only(const struct work_item *item)
{
    return item->type == DOCA_RDMA_JOB_SEND || item->type == DOCA_RDMA_JOB_SEND_IMM;
}

static enum rdma_step start(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);

    if (has_entry_only(item))
        return rdma_send(item);
    if (job->entered)
        return RDMA_POSTED;
    enum rdma_step step =
        item->type == DOCA_RDMA_JOB_WRITE_IMM && job->checked && job->moved == job->length &&
                !job->outstanding && !job->error
            ? RDMA_DONE // the bytes of a write with immediate are there, only the entry was not
            : rdma_access(item);
    if (step != RDMA_DONE || item->type != DOCA_RDMA_JOB_WRITE_IMM || rdma_of(item)->broken)
        return step;
    return rdma_send(item);
}

static enum work_status execute_receive(struct doca_rdma *rdma, struct work_item *item)
{
    if (!rdma_receive_check(item)) {
        rdma->n_recvs--;
        rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
        return WORK_DONE;
    }
    work_fifo_push(&rdma->receives, item);
    return executor_keep(rdma->link->executor);
}

static enum work_status flushed(struct doca_rdma *rdma, struct work_item *item)
{
    item->error = rdma->flush_error;
    if (item->type == DOCA_RDMA_JOB_RECV)
        rdma->n_recvs--;
    else
        rdma->n_sends--;
    return WORK_DONE;
}

static bool other_here(const struct doca_rdma *rdma)
{
    // Acquire: what the other side did before it connected is there.
    return atomic_load_explicit(&rdma->their->stage, memory_order_acquire) == RDMA_HERE;
}

static bool connection_live(const struct doca_rdma *rdma)
{
    return state_table_read(rdma->table, rdma->slot, rdma->endpoint) == SLOT_LIVE &&
           other_here(rdma);
}

static enum work_status stall(struct doca_rdma *rdma, struct work_item *item)
{
    work_fifo_push(&rdma->stalled, item);
    return executor_keep(rdma->link->executor);
}

// The connection has ended, or the other side has not connected yet. True if that is what
// the job waits for.
static __attribute__((noinline, cold)) bool waits_for_other(struct doca_rdma *rdma,
                                                            const struct work_item *item)
{
    rdma_look_after(rdma);
    return rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED && !has_entry_only(item) &&
           !other_here(rdma);
}

enum work_status rdma_execute(struct work_item *item)
{
    struct doca_rdma *rdma = rdma_of(item);

    if (item->type != DOCA_RDMA_JOB_RECV && rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED &&
        __builtin_expect(!connection_live(rdma), 0) && waits_for_other(rdma, item))
        return stall(rdma, item);
    if (__builtin_expect(rdma_state(rdma) == DOCA_RDMA_STATE_ERROR, 0)) {
        // In their order: an earlier one may be with an engine.
        if (!rdma->stalled.head || item->type == DOCA_RDMA_JOB_RECV)
            return flushed(rdma, item);
        return stall(rdma, item);
    }
    if (item->type == DOCA_RDMA_JOB_RECV)
        return execute_receive(rdma, item);
    if (__builtin_expect(rdma->stalled.head != NULL, 0))
        return stall(rdma, item);
    switch (start(item)) {
    case RDMA_DONE:
        rdma->n_sends--;
        if (__builtin_expect(rdma->broken, 0))
            rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
        return WORK_DONE;
    case RDMA_POSTED:
        work_fifo_push(&rdma->posted, item);
        break;
    case RDMA_STALLED:
        work_fifo_push(&rdma->stalled, item);
        break;
    }
    return executor_keep(rdma->link->executor);
}

// A job on remote memory of which nothing has been done.
static bool unbegun(struct work_item *item)
{
    return !has_entry_only(item) && !rdma_job_of(item)->checked;
}

// The first one must not begin: the other side has not connected, or has ended.
static bool first_waits(const struct doca_rdma *rdma)
{
    return rdma->stalled.head && unbegun(rdma->stalled.head) && !other_here(rdma);
}

// Goes on with what could not be finished at once. True if it has moved.
static bool push_stalled(struct doca_rdma *rdma)
{
    struct work_item *item;
    bool any = false;

    while (!first_waits(rdma) && (item = work_fifo_pop(&rdma->stalled))) {
        uint64_t moved = rdma_job_of(item)->moved;
        enum rdma_step step = start(item);
        any = any || step != RDMA_STALLED || moved != rdma_job_of(item)->moved;
        if (step == RDMA_POSTED) {
            work_fifo_push(&rdma->posted, item);
        } else if (step == RDMA_DONE) {
            finish_send(rdma, item);
            if (rdma->broken) {
                rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
                break;
            }
        } else {
            work_fifo_unpop(&rdma->stalled, item);
            break;
        }
    }
    return any;
}

// ---- polling ----------------------------------------------------------------------------------

// Looks at what the other side has taken, and completes it.
static bool read_taken(struct doca_rdma *rdma)
{
    // Acquire: what the other side did before it took a message is there.
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_acquire);

    if ((int32_t)(taken - rdma->taken) <= 0 && rdma->taken - taken <= RDMA_ENTRIES)
        return false; // an entry has told us before
    if (taken - rdma->taken > rdma->entered - rdma->taken) {
        rdma_corrupted(rdma);
        return true;
    }
    complete_posted(rdma, taken);
    return true;
}

// A side that waits for an answer lets the other one write where it says how far it has
// come, without taking the cache line away each time.
#define UNREAD_MAX   32
#define UNREAD_AGAIN 8

static bool answer_may_come(struct doca_rdma *rdma)
{
    if (!rdma->receives.head || rdma->stalled.head || rdma->epoll_fd >= 0)
        return false;
    if (++rdma->unread < UNREAD_MAX)
        return true;
    rdma->unread -= UNREAD_AGAIN;
    return false;
}

static bool move_on(struct doca_rdma *rdma, bool all)
{
    bool any = (all || !answer_may_come(rdma)) && read_taken(rdma);
    if (rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED && rdma->stalled.head)
        any = push_stalled(rdma) || any;
    if (rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED)
        any = rdma_receive(rdma) || any;
    return any;
}

bool rdma_take_rest(struct doca_rdma *rdma)
{
    return atomic_load_explicit(&rdma->pair, memory_order_acquire) && move_on(rdma, true);
}

static const char *reason(doca_error_t error)
{
    switch (error) {
    case DOCA_ERROR_IO_FAILED:
        return "the device was removed, or has failed";
    case DOCA_ERROR_NOT_PERMITTED:
        return "docad does not offer the device any more";
    case DOCA_ERROR_NOT_CONNECTED:
        return "a docad is out of reach";
    case DOCA_ERROR_CONNECTION_ABORTED:
        return "a job of the other side failed";
    default:
        return "the other side was stopped, or has gone";
    }
}

// The other side stopped its instance, and owes us nothing.
static bool is_normal_end(const struct doca_rdma *rdma)
{
    return atomic_load_explicit(&rdma->pair, memory_order_acquire) &&
           atomic_load_explicit(&rdma->their->stage, memory_order_relaxed) == RDMA_LEFT &&
           !rdma->n_sends && !rdma->n_recvs;
}

void rdma_ended_now(struct doca_rdma *rdma, doca_error_t error)
{
    if (rdma_state(rdma) == DOCA_RDMA_STATE_ERROR)
        return;
    if (!is_normal_end(rdma))
        log_own_warning("RDMA on %s: the connection ended: %s (%s)", rdma_device_name(rdma),
                        reason(error), doca_get_error_name(error));
    rdma->transport->lose(rdma, error);
}

void rdma_ended(struct doca_rdma *rdma, doca_error_t error)
{
    while (rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED && rdma->transport->take_rest(rdma))
        ;
    rdma_ended_now(rdma, error);
}

static bool docad_gone(struct doca_rdma *rdma)
{
    struct timespec now;

    if (++rdma->empty_polls % CLOCK_EVERY)
        return false;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (now_ms - rdma->looked_ms < ALIVE_EVERY_MS)
        return false;
    rdma->looked_ms = now_ms;
    return !session_alive(rdma->session);
}

doca_error_t rdma_look(struct doca_rdma *rdma)
{
    enum slot_state state = state_table_read(rdma->table, rdma->slot, rdma->endpoint);
    bool paired = atomic_load_explicit(&rdma->pair, memory_order_acquire) != NULL;

    // Acquire: what the other side has taken is counted before.
    uint32_t stage =
        paired ? atomic_load_explicit(&rdma->their->stage, memory_order_acquire) : RDMA_AWAITED;

    if (rdma_stage_over(stage))
        return stage == RDMA_LEFT ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_CONNECTION_ABORTED;
    if (state != SLOT_LIVE)
        return slot_state_error(state);
    return docad_gone(rdma) ? DOCA_ERROR_NOT_CONNECTED : DOCA_SUCCESS;
}

void rdma_look_after(struct doca_rdma *rdma)
{
    doca_error_t error = rdma_look(rdma);
    if (error != DOCA_SUCCESS)
        rdma_ended(rdma, error);
}

// Waits for an engine that still has a piece of a flushed job.
static void poll_failed(struct doca_rdma *rdma)
{
    if (rdma->stalled.head && !rdma_job_of(rdma->stalled.head)->outstanding)
        flush(rdma);
}

void rdma_poll(struct work_source *source)
{
    struct doca_rdma *rdma = container_of(source, struct doca_rdma, source);
    bool connected = rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED &&
                     atomic_load_explicit(&rdma->pair, memory_order_acquire);

    if (__builtin_expect(rdma_state(rdma) == DOCA_RDMA_STATE_ERROR, 0))
        poll_failed(rdma);
    else if (!connected || !move_on(rdma, false))
        rdma_look_after(rdma);
}

// ---- sleeping ---------------------------------------------------------------------------------

static bool something_there(struct doca_rdma *rdma)
{
    // Relaxed: what was there before our fence is seen; what comes later rings.
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_relaxed);
    return (int32_t)(taken - rdma->taken) > 0 ||
           (rdma->stalled.head &&
            atomic_load_explicit(&rdma->tx->chunks_taken, memory_order_relaxed) != rdma->emptied) ||
           (rdma->stalled.head && !rdma->posted.head && unbegun(rdma->stalled.head) &&
            other_here(rdma)) ||
           rdma_stage_over(atomic_load_explicit(&rdma->their->stage, memory_order_relaxed)) ||
           rdma_receivable(rdma);
}

bool rdma_arm(struct work_source *source)
{
    struct doca_rdma *rdma = container_of(source, struct doca_rdma, source);

    if (rdma_state(rdma) == DOCA_RDMA_STATE_ERROR)
        return false;
    if (state_table_read(rdma->table, rdma->slot, rdma->endpoint) != SLOT_LIVE)
        return true;
    if (!atomic_load_explicit(&rdma->pair, memory_order_acquire))
        return false;
    atomic_store_explicit(&rdma->own->armed, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the one in rdma_ring()
    return something_there(rdma);
}

static bool closed(int fd)
{
    char drop[64];
    ssize_t n;

    do
        n = recv(fd, drop, sizeof(drop), MSG_DONTWAIT);
    while (n > 0);
    return n == 0 || (errno != EAGAIN && errno != EINTR);
}

doca_error_t rdma_look_at_descriptors(struct doca_rdma *rdma)
{
    // docad writes the reason before it lets go of the lifeline.
    bool lifeline = closed(rdma->lifeline);
    bool channel = rdma->channel >= 0 && closed(rdma->channel);

    doca_error_t error = rdma_look(rdma);
    if (error != DOCA_SUCCESS)
        return error;
    return lifeline  ? DOCA_ERROR_NOT_CONNECTED
           : channel ? DOCA_ERROR_CONNECTION_RESET
                     : DOCA_SUCCESS;
}

void rdma_clear(struct work_source *source)
{
    struct doca_rdma *rdma = container_of(source, struct doca_rdma, source);

    if (rdma_state(rdma) == DOCA_RDMA_STATE_ERROR)
        return;
    doca_error_t error = rdma_look_at_descriptors(rdma);
    if (error != DOCA_SUCCESS)
        rdma_ended(rdma, error);
}
