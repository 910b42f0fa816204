// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "remote.h"

#include "access.h"
#include "buf/buf.h"
#include "cleanup.h"
#include "rdma/quick.h"

#include <doca_mmap.h>
#include <string.h>

// ---- lifetime ------------------------------------------------------------------------------

// Producers read the ring when they send; there is nothing to poll.
static const struct rdma_transport transport = {.start = NULL};

static void release(struct comch_remote *remote)
{
    rdma_end_close(&remote->rdma);
    remote->relayed = comch_relayed_free(remote->relayed);
    if (remote->memory)
        (void)doca_mmap_destroy(remote->memory);
    free(remote);
}

static doca_error_t open_ring(struct comch_remote *remote, const struct comch_packet *packet,
                              struct errtext *err)
{
    doca_error_t e = rdma_end_connect(&remote->rdma, packet->endpoint, packet->endpoint_size, err);
    if (e != DOCA_SUCCESS)
        return e;
    remote->receives = comch_receives_in(remote->rdma.rx);
    remote->messages = comch_messages_in(remote->rdma.tx);
    e = doca_mmap_create_from_export(NULL, packet->memory, packet->memory_size, remote->rdma.device,
                                     &remote->memory);
    if (e != DOCA_SUCCESS)
        return errtext_set(err, e, "its memory cannot be imported");
    if (!access_lets_write(mmap_memory(remote->memory)->access))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "its memory may not be written to");
    return DOCA_SUCCESS;
}

// Has an endpoint at docad, so that docad lists it.
static doca_error_t open_remote(struct comch_remote **out, struct doca_dev *device,
                                uint64_t channel, const struct comch_packet *packet,
                                struct errtext *err)
{
    if (packet->slots < COMCH_SLOTS_MIN || packet->slots > COMCH_SLOTS_MAX ||
        (packet->slots & (packet->slots - 1)) != 0)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "its description is not valid");
    struct comch_remote *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *made =
        (struct comch_remote){.refs = 1, .slots = packet->slots, .imm_length = packet->imm_length};
    rdma_end_init(&made->rdma);
    made->rdma.comch = (struct rdma_comch){RDMA_PRODUCERS, channel, packet->id};
    doca_error_t e = rdma_end_open(&made->rdma, device, &transport, err);
    if (e != DOCA_SUCCESS) {
        free(made);
        return e;
    }
    *out = made;
    return DOCA_SUCCESS;
}

doca_error_t comch_remote_new(struct comch_remote **out, struct doca_dev *device, uint64_t channel,
                              const struct comch_packet *packet, struct errtext *err)
{
    struct comch_remote *made;

    if (!packet->endpoint_size || !packet->memory_size)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "its description is not valid");
    doca_error_t e = open_remote(&made, device, channel, packet, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = open_ring(made, packet, err);
    if (e != DOCA_SUCCESS) {
        release(made);
        return e;
    }
    *out = made;
    return DOCA_SUCCESS;
}

static doca_error_t open_relayed(struct comch_remote *remote, struct doca_dev *device,
                                 const struct comch_packet *packet, const char *server,
                                 struct errtext *err)
{
    remote->relayed = comch_relayed_new(remote->slots, false);
    if (!remote->relayed)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    memcpy(remote->relayed->key, packet->key, sizeof(packet->key));
    remote->receives = remote->relayed->receives;
    return server ? comch_relayed_connect(remote->relayed, device, server, err) : DOCA_SUCCESS;
}

doca_error_t comch_remote_new_relayed(struct comch_remote **out, struct doca_dev *device,
                                      uint64_t channel, const struct comch_packet *packet,
                                      const char *server, struct errtext *err)
{
    struct comch_remote *made;

    doca_error_t e = open_remote(&made, device, channel, packet, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = open_relayed(made, device, packet, server, err);
    if (e != DOCA_SUCCESS) {
        release(made);
        return e;
    }
    *out = made;
    return DOCA_SUCCESS;
}

struct comch_remote *comch_remote_ref(struct comch_remote *remote)
{
    atomic_fetch_add_explicit(&remote->refs, 1, memory_order_relaxed);
    return remote;
}

struct comch_remote *comch_remote_unref(struct comch_remote *remote)
{
    // Acquire and release: the last holder sees the stores of the others.
    if (remote && atomic_fetch_sub_explicit(&remote->refs, 1, memory_order_acq_rel) == 1)
        release(remote);
    return NULL;
}

void comch_remote_expire(struct comch_remote *remote)
{
    atomic_store_explicit(&remote->expired, true, memory_order_relaxed);
    comch_remote_unref(remote);
}

// ---- claiming --------------------------------------------------------------------------------

static struct comch_place place_of(const struct comch_remote *remote, uint32_t number)
{
    const struct comch_posted *posted = &remote->receives->at[number & (remote->slots - 1)];

    // Relaxed: the count, which was read before, was published after them.
    return (struct comch_place){atomic_load_explicit(&posted->address, memory_order_relaxed),
                                atomic_load_explicit(&posted->room, memory_order_relaxed)};
}

// Returns whether the receive is posted; *seen is set to the count that was read.
static bool is_posted(struct comch_remote *remote, uint32_t number, uint64_t *seen)
{
    // Acquire: another thread may have read the count for us.
    *seen = atomic_load_explicit(&remote->seen, memory_order_acquire);
    if ((int32_t)((uint32_t)*seen - number) > 0)
        return true;
    // Acquire: the receive is described, and its memory is the program's no more.
    *seen = atomic_load_explicit(&remote->receives->count, memory_order_acquire);
    if ((uint32_t)*seen - number - 1 >= remote->slots)
        return false; // none, or more than there can be
    atomic_store_explicit(&remote->seen, *seen, memory_order_release);
    return true;
}

enum comch_claim comch_remote_claim(struct comch_remote *remote, size_t size, bool in_entry,
                                    uint32_t *number, struct comch_place *place)
{
    uint32_t n = atomic_load_explicit(&remote->claimed, memory_order_relaxed);
    uint64_t seen;

    do {
        if (!is_posted(remote, n, &seen))
            return COMCH_NONE_POSTED;
        if (!in_entry || (int32_t)(n + 1 - (uint32_t)(seen >> 32)) <= 0) {
            *place = place_of(remote, n);
            if (size > place->room)
                return COMCH_TOO_LONG;
        }
        // Relaxed: the claim orders nothing; the message is published by its entry.
    } while (!atomic_compare_exchange_weak_explicit(&remote->claimed, &n, n + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    *number = n;
    return COMCH_CLAIMED;
}

// ---- messages --------------------------------------------------------------------------------

static struct rdma_entry *entry_of(struct comch_remote *remote, uint32_t number)
{
    return &remote->messages[number & (remote->slots - 1)];
}

// Writes the first line last, and in one piece: the consumer polls it.
static void put_payload(struct rdma_entry *entry, const uint8_t *from, size_t size)
{
    if (size > RDMA_FIRST_LINE) {
        copy_short(entry->payload + RDMA_FIRST_LINE, from + RDMA_FIRST_LINE,
                   size - RDMA_FIRST_LINE);
        memcpy(entry->payload, from, RDMA_FIRST_LINE);
    } else {
        copy_short(entry->payload, from, size);
    }
}

static __attribute__((noinline)) void put_both(struct rdma_entry *entry,
                                               const struct comch_message *message, size_t size)
{
    uint8_t both[RDMA_INLINE];

    copy_short(both, message->bytes, size);
    copy_short(both + size, message->imm, message->imm_length);
    put_payload(entry, both, size + message->imm_length);
}

void comch_remote_send(struct comch_remote *remote, uint32_t number, enum comch_where where,
                       const struct comch_message *message)
{
    struct rdma_entry *entry = entry_of(remote, number);
    size_t size = where == COMCH_IN_ENTRY ? message->length : 0;

    if (message->imm_length)
        put_both(entry, message, size);
    else
        put_payload(entry, message->bytes, size);
    entry->length = message->length;
    entry->immediate = message->producer;
    // Release: a thread that sees the number sees the rest, and the bytes written elsewhere.
    atomic_store_explicit(
        &entry->head,
        rdma_head(number + 1, RDMA_MSG_SEND, (uint8_t)where, (uint16_t)message->imm_length),
        memory_order_release);
    rdma_ring(&remote->rdma);
}

bool comch_remote_begin_writing(struct comch_remote *remote, uint32_t number)
{
    // In this order for all threads: either the consumer waits for the entry, or we see that it is
    // closed.
    atomic_store(&entry_of(remote, number)->head,
                 rdma_head(number + 1, RDMA_MSG_SEND, COMCH_WRITING, 0));
    return !atomic_load(&remote->receives->closed);
}

enum comch_verdict comch_remote_verdict(const struct comch_remote *remote, uint32_t number)
{
    const struct comch_receives *receives = remote->receives;
    // Before `closed`: a consumer sets it, and then ends.
    bool there = comch_remote_there(remote);

    // Acquire: the rest is visible.
    if (atomic_load_explicit(&receives->closed, memory_order_acquire) != COMCH_CLOSED)
        return there ? COMCH_UNDECIDED : COMCH_WAS_LOST;
    uint32_t first = atomic_load_explicit(&receives->first, memory_order_relaxed);
    if ((int32_t)(number - first) < 0 || place_of(remote, number).address == COMCH_RECEIVED)
        return COMCH_WAS_RECEIVED;
    return COMCH_WAS_LOST;
}
