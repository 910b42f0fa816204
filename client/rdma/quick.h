// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The common case of a job, in few instructions: everything is valid and mapped here, nothing is
// queued before it, and the job is done or posted immediately. In any other case nothing happens,
// and the job takes the slow path (queue.c), which finds the reason.

#ifndef CLIENT_RDMA_QUICK_H
#define CLIENT_RDMA_QUICK_H

#include "rdma_end.h"

#include "work/short.h"
#include "work/touch.h"
#include "work_stats.h"

#include <string.h>

#define RDMA_QUICK static inline __attribute__((always_inline))

_Static_assert((int)RDMA_JOB_SEND == (int)RDMA_MSG_SEND &&
                   (int)RDMA_JOB_SEND_IMM == (int)RDMA_MSG_SEND_IMM,
               "kinds of sends are kinds of messages");

// ---- the direction
// ----------------------------------------------------------------------------------

// Called after something was published: wakes the other side if it sleeps.
RDMA_QUICK void rdma_ring(struct rdma_end *rdma)
{
    // A side in polling mode never sleeps: it needs no fence, which would cost more than everything
    // else. rdma_show_mode() calls membarrier(2) for this process instead; for that it suffices
    // that the compiler keeps the store before the load.
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&rdma->their->event_driven, memory_order_relaxed), 0))
        rdma_ring_sleeper(rdma);
}

// Writes an entry; there must be room. Returns its number.
RDMA_QUICK uint32_t rdma_write_entry(struct rdma_end *rdma, struct rdma_message message,
                                     const uint8_t *from, size_t size)
{
    struct rdma_entry *entry = &rdma->tx->entries[rdma->entered % RDMA_ENTRIES];
    uint32_t number = ++rdma->entered;

    rdma->unread = 0;
    // Writes the first line last, and in one piece: the other side polls it.
    if (size > RDMA_FIRST_LINE) {
        copy_short(entry->payload + RDMA_FIRST_LINE, from + RDMA_FIRST_LINE,
                   size - RDMA_FIRST_LINE);
        memcpy(entry->payload, from, RDMA_FIRST_LINE);
    } else {
        copy_short(entry->payload, from, size);
    }
    entry->length = message.length;
    entry->immediate = message.immediate;
    // Release: a thread that sees the number sees the rest, and everything the job wrote
    // before.
    atomic_store_explicit(&entry->head,
                          rdma_head(number, message.kind, message.where, (uint16_t)rdma->received),
                          memory_order_release);
    return number;
}

// ---- common to all jobs ------------------------------------------------------------------

// Both sides are connected through shared memory, and nothing waits to begin.
RDMA_QUICK bool rdma_quick_end(const struct rdma_end *rdma)
{
    // Acquire: everything that the other side did before it connected is visible.
    return rdma_state(rdma) == RDMA_STATE_CONNECTED && rdma->slot_word &&
           atomic_load_explicit(rdma->slot_word, memory_order_acquire) == rdma->slot_live &&
           atomic_load_explicit(&rdma->their->stage, memory_order_acquire) == RDMA_HERE &&
           !rdma->stalled.head;
}

// One buffer of this process's own memory, with its data inside it.
RDMA_QUICK bool rdma_quick_local(const struct doca_buf *buf, const struct doca_dev *device)
{
    return buf && buf->device == device && !buf->next && buf->refcount &&
           (buf->flags & (BUF_DIRECT | BUF_WRITABLE | BUF_IMPORTED)) ==
               (BUF_DIRECT | BUF_WRITABLE) &&
           buf_sound(buf);
}

// Called when the job's entry was written.
RDMA_QUICK void rdma_post(struct rdma_end *rdma, struct work_item *item)
{
    work_fifo_push(&rdma->posted, item);
    if (rdma->group)
        rdma->group->sender = rdma;
}

// Touches imported memory, see touch.h: false if it may not be touched.
RDMA_QUICK bool rdma_touch_begin(const struct work_link *link, const struct memory *memory)
{
    work_in_order(); // jobs of a connection take effect one after the other
    activity_enter(link->activity, memory->import_id, 0);
    // Acquire: as in state_table_read(). If it is not live, the slow path returns the error from
    // there.
    bool live = atomic_load_explicit(&memory->table->words[memory->slot], memory_order_acquire) ==
                state_word(memory->import_id, SLOT_LIVE);
    if (__builtin_expect(!live, 0))
        activity_leave(link->activity);
    return live;
}

// ---- jobs: the caller counts them --------------------------------------------------------------

// Posts a send of a few bytes. Returns false for the slow path.
RDMA_QUICK bool rdma_quick_send(struct rdma_end *rdma, struct work_item *item,
                                enum rdma_job_kind kind, const struct doca_buf *local,
                                uint32_t immediate)
{
    struct rdma_job *job = rdma_job_of(item);

    if (!rdma_quick_local(local, item->link->device) || local->data_len - 1 >= RDMA_INLINE ||
        !rdma_quick_end(rdma) || rdma->entered - rdma->taken >= RDMA_ENTRIES)
        return false;
    struct rdma_message message = {.kind = (uint8_t)kind,
                                   .where = RDMA_IN_ENTRY,
                                   .length = (uint32_t)local->data_len,
                                   .immediate = immediate};
    job->end = rdma;
    job->length = message.length;
    job->immediate = immediate;
    job->kind = (uint8_t)kind;
    job->opcode = 0;
    job->held = false;
    job->entered = true;
    job->number = rdma_write_entry(rdma, message, local->data, local->data_len);
    rdma_ring(rdma);
    rdma_post(rdma, item);
    item->link->executor->kept++;
    return true;
}

// Posts a receive, which overwrites the buffer's data. `end` is NULL until a message arrives,
// or its only end.
RDMA_QUICK bool rdma_quick_receive(struct rdma_receives *receives, struct work_item *item,
                                   struct rdma_end *end, struct doca_buf *local)
{
    struct rdma_job *job = rdma_job_of(item);

    if (!rdma_quick_local(local, item->link->device))
        return false;
    job->end = end;
    job->local = local;
    job->length = rdma_part(local, RDMA_ROOM);
    job->moved = 0;
    job->kind = RDMA_JOB_RECV;
    job->extent = RDMA_ROOM;
    job->held = false;
    rdma_note_place(job);
    work_fifo_push(&receives->queue, item);
    item->link->executor->kept++;
    return true;
}

RDMA_QUICK void rdma_change_word(enum rdma_job_kind kind, uint64_t *word, uint64_t operand,
                                 uint64_t compare, void *result)
{
    uint64_t before = compare;

    if (kind == RDMA_JOB_ATOMIC_FETCH_ADD)
        before = __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
    else
        __atomic_compare_exchange_n(word, &before, operand, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
    memcpy(result, &before, sizeof(before));
}

#define RDMA_SHORT 128 // bytes: see copy_short()

RDMA_QUICK void rdma_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n <= RDMA_SHORT)
        copy_short(to, from, n);
    else
        memcpy(to, from, n);
}

// Executes a read, a write or an atomic operation. A read that appends takes all data of its
// source.
RDMA_QUICK bool rdma_quick_access(struct rdma_end *rdma, struct work_item *item,
                                  enum rdma_job_kind kind, bool reads_append,
                                  struct doca_buf *local, const struct doca_buf *remote,
                                  uint64_t operand, uint64_t compare)
{
    const struct doca_dev *device = item->link->device;
    const uint8_t both = BUF_DIRECT | BUF_IMPORTED;
    const bool atomic = kind >= RDMA_JOB_ATOMIC_CMP_SWP;
    const bool append = reads_append && kind == RDMA_JOB_READ;
    const uint32_t needed = atomic                  ? ACCESS_RDMA_ATOMIC
                            : kind == RDMA_JOB_READ ? ACCESS_RDMA_READ
                                                    : ACCESS_RDMA_WRITE;

    if (!rdma_quick_local(local, device) || !rdma_quick_end(rdma) || rdma->posted.head || !remote ||
        remote->device != device || !remote->refcount || (remote->flags & both) != both)
        return false;
    const struct memory *memory = remote->memory;
    size_t n = append ? remote->data_len : local->data_len;
    if ((size_t)(remote->data - remote->head) > remote->len || n > rdma_part(remote, RDMA_ROOM) ||
        (append && n > rdma_part(local, RDMA_BEHIND)) || n - 1 >= RDMA_STEP ||
        !(memory->access & rdma->remote_permissions & needed) ||
        (atomic && (n != sizeof(uint64_t) || (uintptr_t)remote->data % sizeof(uint64_t))) ||
        !rdma_touch_begin(item->link, memory))
        return false;
    uint8_t *there = remote->data + remote->to_local;
    if (atomic)
        rdma_change_word(kind, (uint64_t *)(void *)there, operand, compare, local->data);
    else if (kind == RDMA_JOB_READ)
        rdma_copy(rdma_part_at(local, append ? RDMA_BEHIND : RDMA_DATA), there, n);
    else
        rdma_copy(there, local->data, n);
    activity_leave(item->link->activity);
    if (append)
        local->data_len += n;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
    struct rdma_job *job = rdma_job_of(item);
    job->end = rdma;
    job->length = n;
    job->immediate = 0;
    job->kind = (uint8_t)kind;
    job->opcode = 0;
    job->held = false;
    item->error = DOCA_SUCCESS;
    return true;
}

#endif
