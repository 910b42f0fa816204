// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Outgoing messages. Short ones travel in their entry. Long ones stay in place if the other side
// may copy them from there; otherwise they go through free chunks, while the other side empties
// them.

#include "quick.h"

#include "core/device_card.h"

#define DIRECT_FROM 16384 // bytes: shorter messages go through chunks

static void enter_message(struct work_item *item, enum rdma_where where, const void *payload,
                          size_t size)
{
    struct rdma_end *rdma = rdma_of(item);
    struct rdma_job *job = rdma_job_of(item);
    uint8_t kind = rdma_kind(item) == RDMA_JOB_SEND       ? RDMA_MSG_SEND
                   : rdma_kind(item) == RDMA_JOB_SEND_IMM ? RDMA_MSG_SEND_IMM
                                                          : RDMA_MSG_WRITE_IMM;
    struct rdma_message message = {.kind = kind,
                                   .where = (uint8_t)where,
                                   .length = (uint32_t)job->length,
                                   .immediate = job->immediate};

    job->number = rdma_enter(rdma, &message, payload, size);
    job->entered = true;
}

// ---- jobs --------------------------------------------------------------------------------

static bool check(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);
    struct errtext err;

    doca_error_t r = rdma_list_check(item->link, job->local, rdma_of(item)->list_max, RDMA_DATA,
                                     &job->length, &err);
    if (r == DOCA_SUCCESS && job->length > rdma_of(item)->message_max)
        r = errtext_set(&err, dev_over_limit(item->link->device),
                        "%llu bytes are more than a message can have",
                        (unsigned long long)job->length);
    if (r != DOCA_SUCCESS)
        rdma_job_failed(item, r, &err);
    job->checked = true;
    return r == DOCA_SUCCESS;
}

// Fills free chunks. The entry is written after the first chunks, so that a message that
// fits is complete when it is seen.
static enum rdma_step through_chunks(struct work_item *item)
{
    struct rdma_end *rdma = rdma_of(item);
    struct rdma_job *job = rdma_job_of(item);
    bool any = false;

    while (job->moved < job->length && rdma_has_chunk(rdma)) {
        uint64_t left = job->length - job->moved;
        size_t n = left < RDMA_CHUNK_SIZE ? (size_t)left : RDMA_CHUNK_SIZE;
        rdma_gather(job->local, job->moved, rdma->tx->chunks[rdma->filled % RDMA_CHUNKS], n, n);
        job->moved += n;
        // Release: the bytes are visible before the index that publishes them.
        atomic_store_explicit(&rdma->tx->chunks_filled, ++rdma->filled, memory_order_release);
        any = true;
        if (!job->entered) {
            enter_message(item, RDMA_IN_CHUNKS, NULL, 0);
            rdma_ring(rdma);
        }
    }
    if (any)
        rdma_ring(rdma);
    return job->moved == job->length ? RDMA_POSTED : RDMA_STALLED;
}

static enum rdma_step send_long(struct work_item *item)
{
    struct rdma_end *rdma = rdma_of(item);
    struct rdma_job *job = rdma_job_of(item);
    struct rdma_direct direct = {0};

    // The search may use up an entry.
    if (job->entered || job->length < DIRECT_FROM || job->local->next ||
        !rdma_direct_find(rdma, job->local, &direct.offer))
        return job->entered || rdma_has_entry(rdma) ? through_chunks(item) : RDMA_STALLED;
    if (!rdma_has_entry(rdma))
        return RDMA_STALLED;
    direct.address = (uintptr_t)job->local->data;
    enter_message(item, RDMA_IN_OFFER, &direct, sizeof(direct));
    rdma_ring(rdma);
    return RDMA_POSTED;
}

static __attribute__((noinline)) enum rdma_step send_list(struct work_item *item)
{
    uint8_t gathered[RDMA_INLINE];
    struct rdma_job *job = rdma_job_of(item);
    size_t size = (size_t)job->length;

    rdma_gather(job->local, 0, gathered, size, size);
    enter_message(item, RDMA_IN_ENTRY, gathered, size);
    return RDMA_POSTED;
}

enum rdma_step rdma_send(struct work_item *item)
{
    struct rdma_end *rdma = rdma_of(item);
    struct rdma_job *job = rdma_job_of(item);

    if (!job->checked && !check(item))
        return RDMA_DONE;
    bool write = rdma_kind(item) == RDMA_JOB_WRITE_IMM; // the bytes have already arrived
    if (!write && job->length > RDMA_INLINE)
        return send_long(item);
    if (!rdma_has_entry(rdma))
        return RDMA_STALLED;
    if (write || !job->length)
        enter_message(item, RDMA_NOWHERE, NULL, 0);
    else if (!job->local->next)
        enter_message(item, RDMA_IN_ENTRY, job->local->data, (size_t)job->length);
    else
        send_list(item);
    rdma_ring(rdma);
    return RDMA_POSTED;
}
