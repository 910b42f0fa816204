// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The executor's view of an end in shared memory: jobs start, move on, and wait.

#include "quick.h"

// ---- starting jobs ----------------------------------------------------------------------------

static bool has_entry_only(const struct work_item *item)
{
    return rdma_kind(item) == RDMA_JOB_SEND || rdma_kind(item) == RDMA_JOB_SEND_IMM;
}

// Before the job moves, or waits. Returns false if it has failed.
static bool hold(struct work_item *item)
{
    struct errtext err;

    doca_error_t r = rdma_hold(item, &err);
    if (r != DOCA_SUCCESS)
        rdma_job_failed(item, r, &err);
    return r == DOCA_SUCCESS;
}

static enum rdma_step start(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);

    if (has_entry_only(item))
        return rdma_send(item);
    if (rdma_is_other(item)) {
        if (!hold(item))
            return RDMA_DONE;
        // Messages before it take effect first.
        return rdma_of(item)->posted.head ? RDMA_STALLED : rdma_of(item)->others->step(item);
    }
    if (job->entered)
        return RDMA_POSTED;
    enum rdma_step step =
        rdma_kind(item) == RDMA_JOB_WRITE_IMM && job->checked && job->moved == job->length &&
                !job->outstanding && !job->error
            ? RDMA_DONE // the bytes of a write with immediate arrived, only its entry did not
            : rdma_access(item);
    if (step != RDMA_DONE || rdma_kind(item) != RDMA_JOB_WRITE_IMM || rdma_of(item)->broken)
        return step;
    return rdma_send(item);
}

static enum work_status execute_receive(struct rdma_end *rdma, struct work_item *item)
{
    if (!rdma_receive_check(item, rdma->set.recv_chain)) {
        rdma->receives->n--;
        rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
        return WORK_DONE;
    }
    work_fifo_push(&rdma->receives->queue, item);
    return executor_keep(rdma->link->executor);
}

static enum work_status flushed(struct rdma_end *rdma, struct work_item *item)
{
    item->error = rdma->flush_error;
    if (rdma_kind(item) == RDMA_JOB_RECV)
        rdma->receives->n--;
    else
        rdma->n_sends--;
    return WORK_DONE;
}

static bool other_here(const struct rdma_end *rdma)
{
    // Acquire: everything that the other side did before it connected is visible.
    return atomic_load_explicit(&rdma->their->stage, memory_order_acquire) == RDMA_HERE;
}

static bool connection_live(const struct rdma_end *rdma)
{
    return state_table_read(rdma->table, rdma->slot, rdma->endpoint) == SLOT_LIVE &&
           other_here(rdma);
}

// The job has failed, or is done, before it was queued.
static enum work_status done(struct rdma_end *rdma, struct work_item *item)
{
    rdma_release(item);
    rdma->n_sends--;
    if (__builtin_expect(rdma->broken, 0))
        rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
    return WORK_DONE;
}

static enum work_status stall(struct rdma_end *rdma, struct work_item *item)
{
    if (!hold(item))
        return done(rdma, item);
    work_fifo_push(&rdma->stalled, item);
    return executor_keep(rdma->link->executor);
}

// The connection has ended, or the other side has not connected yet. Returns true if the job waits
// for that.
static __attribute__((noinline, cold)) bool waits_for_other(struct rdma_end *rdma,
                                                            const struct work_item *item)
{
    rdma_check_end(rdma);
    return rdma_state(rdma) == RDMA_STATE_CONNECTED && !has_entry_only(item) && !other_here(rdma);
}

enum work_status rdma_execute(struct work_item *item)
{
    struct rdma_end *rdma = rdma_of(item);

    if (rdma_kind(item) != RDMA_JOB_RECV && rdma_state(rdma) == RDMA_STATE_CONNECTED &&
        __builtin_expect(!connection_live(rdma), 0) && waits_for_other(rdma, item))
        return stall(rdma, item);
    if (__builtin_expect(rdma_state(rdma) == RDMA_STATE_ERROR, 0)) {
        // In order: an engine may still execute an earlier job.
        if (!rdma->stalled.head || rdma_kind(item) == RDMA_JOB_RECV)
            return flushed(rdma, item);
        return stall(rdma, item);
    }
    if (rdma_kind(item) == RDMA_JOB_RECV)
        return execute_receive(rdma, item);
    if (__builtin_expect(rdma->stalled.head != NULL, 0))
        return stall(rdma, item);
    switch (start(item)) {
    case RDMA_DONE:
        return done(rdma, item);
    case RDMA_POSTED:
        rdma_post(rdma, item);
        return executor_keep(rdma->link->executor);
    default:
        return stall(rdma, item);
    }
}

// A job on remote memory that has not begun.
static bool unbegun(struct work_item *item)
{
    return !has_entry_only(item) && !rdma_job_of(item)->checked;
}

// The first job must not begin: the other side has not connected, or has ended.
static bool first_waits(const struct rdma_end *rdma)
{
    return rdma->stalled.head && unbegun(rdma->stalled.head) && !other_here(rdma);
}

// Continues a job that could not be finished before. Returns true if it has moved.
static bool push_stalled(struct rdma_end *rdma)
{
    struct work_item *item;
    bool any = false;

    while (!first_waits(rdma) && (item = work_fifo_pop(&rdma->stalled))) {
        uint64_t moved = rdma_job_of(item)->moved;
        enum rdma_step step = start(item);
        any = any || step != RDMA_STALLED || moved != rdma_job_of(item)->moved;
        if (step == RDMA_POSTED) {
            rdma_post(rdma, item);
        } else if (step == RDMA_DONE) {
            rdma_finish_send(rdma, item);
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

// Reads how much the other side has taken, and completes those jobs.
static bool read_taken(struct rdma_end *rdma)
{
    // Acquire: everything that the other side did before it took a message is visible.
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_acquire);

    if ((int32_t)(taken - rdma->taken) <= 0 && rdma->taken - taken <= RDMA_ENTRIES)
        return false; // an entry has already reported it
    if (taken - rdma->taken > rdma->entered - rdma->taken) {
        rdma_corrupted(rdma);
        return true;
    }
    rdma_complete_posted(rdma, taken);
    return true;
}

// A side that waits for an answer leaves the cache line to the other side, which writes its
// progress there.
#define UNREAD_MAX   32
#define UNREAD_AGAIN 8

static inline bool answer_may_come(struct rdma_end *rdma)
{
    if (!rdma->receives->queue.head || rdma->stalled.head || rdma->rings_us)
        return false;
    if (++rdma->unread < UNREAD_MAX)
        return true;
    rdma->unread -= UNREAD_AGAIN;
    return false;
}

static bool move_on(struct rdma_end *rdma, bool all)
{
    bool any = all && read_taken(rdma);
    if (rdma_state(rdma) == RDMA_STATE_CONNECTED && rdma->stalled.head)
        any = push_stalled(rdma) || any;
    if (rdma_state(rdma) == RDMA_STATE_CONNECTED)
        any = rdma_receive(rdma) || any;
    return any;
}

bool rdma_take_rest(struct rdma_end *rdma)
{
    return atomic_load_explicit(&rdma->pair, memory_order_acquire) && move_on(rdma, true);
}

// Waits for an engine that still holds a piece of a flushed job.
static __attribute__((noinline, cold)) void poll_failed(struct rdma_end *rdma)
{
    if (rdma_state(rdma) == RDMA_STATE_ERROR && rdma->stalled.head &&
        !rdma_at_engine(rdma->stalled.head))
        rdma_flush(rdma);
    else if (rdma_state(rdma) != RDMA_STATE_ERROR)
        rdma_check_end(rdma);
}

// A message has come, or the rest of one.
static inline bool entry_there(const struct rdma_end *rdma)
{
    const struct rdma_entry *entry = &rdma->rx->entries[rdma->received % RDMA_ENTRIES];
    // Relaxed: it only decides whether to poll.
    uint64_t head = atomic_load_explicit(&entry->head, memory_order_relaxed);

    // Messages are similar: fetch the second line of the next one along with its first.
    if (rdma->message.length > RDMA_FIRST_LINE)
        __builtin_prefetch(entry->payload + RDMA_FIRST_LINE);
    return (uint32_t)head == rdma->received + 1;
}

static __attribute__((noinline)) void poll_fully(struct rdma_end *rdma, bool all)
{
    if (!move_on(rdma, all))
        rdma_check_end(rdma);
}

// Every 8th empty poll checks that everything the connection needs still exists.
// still exists.
#define CHECK_EVERY 8

void rdma_poll(struct work_source *source)
{
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);

    if (__builtin_expect(rdma_state(rdma) != RDMA_STATE_CONNECTED ||
                             !atomic_load_explicit(&rdma->pair, memory_order_acquire),
                         0)) {
        poll_failed(rdma);
        return;
    }
    bool all = rdma->posted.head && !answer_may_come(rdma);
    rdma->empty_polls++;
    if (entry_there(rdma) || all || rdma->stalled.head || ++rdma->quiet_polls % CHECK_EVERY == 0)
        poll_fully(rdma, all);
}

void rdma_poll_seldom(struct rdma_end *rdma)
{
    if (rdma_state(rdma) == RDMA_STATE_CONNECTED &&
        atomic_load_explicit(&rdma->pair, memory_order_acquire))
        poll_fully(rdma, true);
    else
        poll_failed(rdma);
}

// ---- sleeping ---------------------------------------------------------------------------------

static bool something_there(struct rdma_end *rdma)
{
    // Relaxed: we see what was published before our fence; anything later wakes us.
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
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);

    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return false;
    if (state_table_read(rdma->table, rdma->slot, rdma->endpoint) != SLOT_LIVE)
        return true;
    if (!atomic_load_explicit(&rdma->pair, memory_order_acquire))
        return false;
    if (!rdma->rings_us)
        rdma_show_mode(rdma, true);
    atomic_store_explicit(&rdma->own->armed, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the one in rdma_ring()
    return something_there(rdma);
}

void rdma_clear(struct work_source *source)
{
    struct rdma_end *rdma = container_of(source, struct rdma_end, source);

    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    doca_error_t error = rdma_check_descriptors(rdma);
    if (error != DOCA_SUCCESS)
        rdma_ended(rdma, error);
}

const struct rdma_transport rdma_on_shm = {
    .source = {.poll = rdma_poll, .arm = rdma_arm, .clear = rdma_clear},
    .take_rest = rdma_take_rest,
    .lose = rdma_lose,
    .leave = rdma_leave,
};
