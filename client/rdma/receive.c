// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Incoming messages. The other side, which may be hostile, wrote everything in its direction: each
// field is read once and checked, and the copy is used.

#include "quick.h"

#include "work/bytes.h"

#define BATCH 32 // messages before the other side is notified

enum taken { TAKEN, UNFINISHED, NONSENSE, NO_BYTES };

static __attribute__((noinline)) bool check_list(struct work_item *item, uint32_t chain)
{
    struct rdma_job *job = rdma_job_of(item);
    struct errtext err;

    doca_error_t r =
        rdma_list_check(item->link, job->local, chain, job->extent, &job->length, &err);
    if (r == DOCA_SUCCESS && job->local && job->local->next)
        r = rdma_hold(item, &err);
    else if (r == DOCA_SUCCESS)
        rdma_note_place(job);
    if (r != DOCA_SUCCESS)
        rdma_job_failed(item, r, &err);
    return r == DOCA_SUCCESS;
}

bool rdma_receive_check(struct work_item *item, uint32_t chain)
{
    struct rdma_job *job = rdma_job_of(item);
    const struct doca_buf *local = job->local;

    if (__builtin_expect(local && !local->next &&
                             (local->flags & (BUF_WRITABLE | BUF_IMPORTED)) == BUF_WRITABLE &&
                             buf_has_device(local, item->link->device) && buf_sound(local),
                         1)) {
        job->length = rdma_part(local, job->extent);
        rdma_note_place(job);
        return true;
    }
    return check_list(item, chain);
}

static struct rdma_entry *next_entry(const struct rdma_end *rdma, uint64_t *head)
{
    struct rdma_entry *entry = &rdma->rx->entries[rdma->received % RDMA_ENTRIES];
    // Acquire: the entry is complete, and everything written before it is visible.
    *head = atomic_load_explicit(&entry->head, memory_order_acquire);
    return (uint32_t)*head == rdma->received + 1 ? entry : NULL;
}

bool rdma_receivable(const struct rdma_end *rdma)
{
    // Relaxed: it only decides whether to poll.
    if (rdma->receiving)
        return atomic_load_explicit(&rdma->rx->chunks_filled, memory_order_relaxed) != rdma->copied;
    uint64_t head;
    return next_entry(rdma, &head) &&
           (rdma->receives->queue.head || (uint8_t)(head >> 32) == RDMA_MSG_OFFER);
}

static struct rdma_message read_message(const struct rdma_entry *entry, uint64_t head)
{
    const volatile struct rdma_entry *e = entry;
    return (struct rdma_message){.kind = (uint8_t)(head >> 32),
                                 .where = (uint8_t)(head >> 40),
                                 .taken = (uint16_t)(head >> 48),
                                 .length = e->length,
                                 .immediate = e->immediate};
}

// ---- locations of the bytes -------------------------------------------------------------------

// Chunks that are filled and that we have not copied; more than exist is an error.
static bool chunks_there(const struct rdma_end *rdma, uint32_t *out)
{
    // Acquire: their bytes are visible.
    uint32_t filled = atomic_load_explicit(&rdma->rx->chunks_filled, memory_order_acquire);
    *out = filled - rdma->copied;
    return *out <= RDMA_CHUNKS;
}

static void chunk_copied(struct rdma_end *rdma)
{
    // Release: we have read the bytes.
    atomic_store_explicit(&rdma->rx->chunks_taken, ++rdma->copied, memory_order_release);
}

static __attribute__((noinline)) enum taken take_chunks(struct rdma_end *rdma, struct rdma_job *job)
{
    uint64_t length = rdma->message.length;
    uint32_t there;

    while (job->moved < length) {
        if (!chunks_there(rdma, &there))
            return NONSENSE;
        if (!there)
            return UNFINISHED;
        size_t n = length - job->moved < RDMA_CHUNK_SIZE ? length - job->moved : RDMA_CHUNK_SIZE;
        rdma_received_at(job, job->moved, rdma->rx->chunks[rdma->copied % RDMA_CHUNKS], n, n);
        job->moved += n;
        chunk_copied(rdma);
        rdma_ring(rdma);
    }
    return TAKEN;
}

static __attribute__((noinline)) enum taken take_direct(struct rdma_end *rdma, struct rdma_job *job,
                                                        const struct rdma_entry *entry)
{
    uint64_t length = rdma->message.length;
    struct rdma_direct direct;

    memcpy(&direct, entry->payload, sizeof(direct));
    const struct memory *memory = rdma_direct_memory(rdma, direct.offer);
    if (!memory)
        return NONSENSE;
    uint64_t into = direct.address - memory->start;
    if (into > memory->length || length > memory->length - into)
        return NONSENSE;
    const struct memory_part *part = memory_part_at(memory, direct.address);
    into = direct.address - part->start;
    if (!part->local || length > part->length - into)
        return NONSENSE;
    for (uint64_t at = 0; at < length; at += RDMA_STEP) {
        if (touch_begin(rdma->link, memory, memory) != DOCA_SUCCESS)
            return NO_BYTES;
        size_t n = length - at < RDMA_STEP ? length - at : RDMA_STEP;
        rdma_received_at(job, at, part->local + into + at, n, length);
        touch_end(rdma->link, memory, memory);
    }
    return TAKEN;
}

static enum taken take_bytes(struct rdma_end *rdma, struct rdma_job *job,
                             const struct rdma_entry *entry)
{
    const struct rdma_message *message = &rdma->message;

    if (message->kind == RDMA_MSG_WRITE_IMM || message->length == 0)
        return message->where == RDMA_NOWHERE ? TAKEN : NONSENSE;
    switch (message->where) {
    case RDMA_IN_ENTRY:
        if (message->length > RDMA_INLINE)
            return NONSENSE;
        if (__builtin_expect(!job->held, 1))
            copy_short(job->place, entry->payload, message->length);
        else
            rdma_scatter(job->local, job->extent, 0, entry->payload, message->length, 0);
        return TAKEN;
    case RDMA_IN_CHUNKS:
        return take_chunks(rdma, job);
    case RDMA_IN_OFFER:
        return take_direct(rdma, job, entry);
    default:
        return NONSENSE;
    }
}

// ---- messages ------------------------------------------------------------------------------

static void entry_taken(struct rdma_end *rdma)
{
    rdma->received++;
}

// Returns true if the message was valid.
static __attribute__((noinline, cold)) bool take_offer(struct rdma_end *rdma,
                                                       const struct rdma_entry *entry,
                                                       const struct rdma_message *message)
{
    uint8_t desc[RDMA_DESC_SIZE_MAX];
    uint32_t slot, there;

    memcpy(&slot, entry->payload, sizeof(slot));
    if (slot >= RDMA_OFFERS || message->length > sizeof(desc) || !chunks_there(rdma, &there) ||
        !there)
        return false;
    memcpy(desc, rdma->rx->chunks[rdma->copied % RDMA_CHUNKS], message->length);
    chunk_copied(rdma);
    rdma_direct_take(rdma, slot, message->immediate, desc, message->length);
    entry_taken(rdma);
    return true;
}

static __attribute__((noinline, cold)) void corrupted(struct rdma_end *rdma)
{
    rdma_corrupted(rdma);
}

// Ends the receive that the message belongs to.
static struct work_item *take_receive(struct rdma_end *rdma)
{
    struct work_item *item = rdma->receiving;

    if (__builtin_expect(!item, 1))
        item = work_fifo_pop(&rdma->receives->queue);
    rdma->receiving = NULL;
    rdma->receives->n--;
    rdma_job_of(item)->end = rdma;
    return item;
}

static void complete(struct rdma_end *rdma, struct work_item *item)
{
    static const uint8_t opcodes[] = {[RDMA_MSG_SEND] = RDMA_RECEIVED_SEND,
                                      [RDMA_MSG_SEND_IMM] = RDMA_RECEIVED_SEND_IMM,
                                      [RDMA_MSG_WRITE_IMM] = RDMA_RECEIVED_WRITE_IMM};
    struct rdma_job *job = rdma_job_of(item);

    job->opcode = opcodes[rdma->message.kind];
    job->immediate = rdma->message.immediate;
    job->length = rdma->message.length;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, job->length);
    item->error = DOCA_SUCCESS;
    if (job->local && rdma->message.kind != RDMA_MSG_WRITE_IMM)
        rdma_received_all(job, job->length);
    rdma_release(item);
    entry_taken(rdma);
    executor_finish(rdma->link->executor, take_receive(rdma));
}

static __attribute__((noinline, cold)) void fail_first(struct rdma_end *rdma, doca_error_t error)
{
    struct work_item *item = take_receive(rdma);
    struct errtext err;

    if (error == DOCA_ERROR_CONNECTION_RESET)
        errtext_set(&err, error, "the sender's memory has ended");
    else
        errtext_set(&err, error, "a message of %u bytes arrived, but the receive has room for %llu",
                    rdma->message.length, (unsigned long long)rdma_job_of(item)->length);
    executor_finish(rdma->link->executor, item);
    rdma_job_failed(item, error, &err);
    rdma_release(item);
    rdma_fail(rdma, DOCA_ERROR_CONNECTION_ABORTED);
}

static bool fits(const struct rdma_end *rdma, const struct rdma_job *job)
{
    return rdma->message.length <= job->length || rdma->message.kind == RDMA_MSG_WRITE_IMM;
}

// Continues the message in rdma->message. Returns false: no further message now.
static bool take_message(struct rdma_end *rdma, const struct rdma_entry *entry)
{
    struct work_item *item = rdma->receiving ? rdma->receiving : rdma->receives->queue.head;
    struct rdma_job *job = rdma_job_of(item);

    switch (take_bytes(rdma, job, entry)) {
    case TAKEN:
        complete(rdma, item);
        return true;
    case UNFINISHED:
        if (!rdma->receiving)
            rdma->receiving = work_fifo_pop(&rdma->receives->queue);
        return false;
    case NO_BYTES:
        fail_first(rdma, DOCA_ERROR_CONNECTION_RESET);
        return false;
    default:
        corrupted(rdma);
        return false;
    }
}

// Takes one message, or an offer. Returns false: nothing more now.
static bool take_next(struct rdma_end *rdma)
{
    uint64_t head;
    struct rdma_entry *entry = next_entry(rdma, &head);
    if (!entry)
        return false;
    if (!rdma->receiving) {
        struct rdma_message message = read_message(entry, head);
        if (message.kind == RDMA_MSG_OFFER) {
            if (take_offer(rdma, entry, &message))
                return true;
            corrupted(rdma);
            return false;
        }
        if (!rdma->receives->queue.head)
            return false; // the sender waits
        if (message.kind < RDMA_MSG_SEND || message.kind > RDMA_MSG_WRITE_IMM ||
            message.length > RDMA_SIZE_MAX) {
            corrupted(rdma);
            return false;
        }
        rdma->message = message;
        rdma->taken_is_new = true;
        if (!fits(rdma, rdma_job_of(rdma->receives->queue.head))) {
            fail_first(rdma, DOCA_ERROR_INVALID_VALUE);
            return false;
        }
    }
    return take_message(rdma, entry);
}

bool rdma_receive(struct rdma_end *rdma)
{
    uint32_t before = rdma->received, copied = rdma->copied;

    rdma->taken_is_new = false;
    for (unsigned n = 0; n < BATCH && take_next(rdma); n++)
        ;
    if (rdma->received == before)
        return rdma->copied != copied;
    // A thread that waits for an answer gets it before its own message is acknowledged.
    if (rdma->posted.head && rdma->taken_is_new)
        rdma_acknowledged(rdma, rdma->message.taken);
    rdma_spot_set(rdma);
    // Release: we have read the entries, and the bytes that belong to them.
    atomic_store_explicit(&rdma->rx->taken, rdma->received, memory_order_release);
    rdma_ring(rdma);
    return true;
}
