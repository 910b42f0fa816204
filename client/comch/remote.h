// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A consumer of the other side, as the producers of this process see it. Any of their threads may
// send to it at any time.

#ifndef CLIENT_COMCH_REMOTE_H
#define CLIENT_COMCH_REMOTE_H

#include "relayed.h"
#include "path.h"
#include "rdma/rdma_end.h"
#include "ring.h"

struct comch_remote {
    _Atomic uint32_t refs;
    _Atomic bool expired;
    uint32_t slots, imm_length;
    struct comch_relayed *relayed; // NULL: the consumer is on this machine
    struct rdma_end rdma;
    struct doca_mmap *memory; // of the consumer, imported
    const struct comch_receives *receives;
    struct rdma_entry *messages;
    // Posted receives: how many were claimed, and the ring's `count` when it was last read.
    _Alignas(64) _Atomic uint32_t claimed;
    _Atomic uint64_t seen;
};

// Connects this process to the consumer that the packet describes, by a request to docad.
doca_error_t comch_remote_new(struct comch_remote **out, struct doca_dev *device, uint64_t channel,
                              const struct comch_packet *packet, struct errtext *err);

// The same for a consumer on another machine: connects its channel for a client, whose server has
// this name; NULL: waits for the client to connect it. `memory` and `messages` stay NULL.
doca_error_t comch_remote_new_relayed(struct comch_remote **out, struct doca_dev *device,
                                      uint64_t channel, const struct comch_packet *packet,
                                      const char *server, struct errtext *err);

struct comch_remote *comch_remote_ref(struct comch_remote *remote);
struct comch_remote *comch_remote_unref(struct comch_remote *remote); // takes NULL, returns NULL

// The consumer has ended. Drops the caller's reference.
void comch_remote_expire(struct comch_remote *remote);

// Returns whether the consumer still exists, even if it closes.
static inline bool comch_remote_there(const struct comch_remote *remote)
{
    const struct rdma_end *rdma = &remote->rdma;

    return !atomic_load_explicit(&remote->expired, memory_order_relaxed) &&
           state_table_read(rdma->table, rdma->slot, rdma->endpoint) == SLOT_LIVE;
}

// Returns whether messages still reach the consumer.
static inline bool comch_remote_live(const struct comch_remote *remote)
{
    // Relaxed: a thread that sees the end late sends a message that is lost.
    return comch_remote_there(remote) &&
           !atomic_load_explicit(&remote->receives->closed, memory_order_relaxed);
}

// ---- sending: claim, then one of the others --------------------------------------------------

enum comch_claim { COMCH_CLAIMED, COMCH_NONE_POSTED, COMCH_TOO_LONG };

// Claims a receive for a message of `size` bytes, which goes into its entry if `in_entry` is set,
// else into the posted memory, whose place is then *posted.
struct comch_place {
    uint64_t address, room;
};
enum comch_claim comch_remote_claim(struct comch_remote *remote, size_t size, bool in_entry,
                                    uint32_t *number, struct comch_place *place);

struct comch_message {
    uint32_t producer, length, imm_length;
    const uint8_t *bytes; // only in an entry
    const uint8_t *imm;
};

void comch_remote_send(struct comch_remote *remote, uint32_t number, enum comch_where where,
                       const struct comch_message *message);

// Called after a message was sent in its entry: returns whether the consumer closes, and may not
// have received it.
static inline bool comch_remote_closes(const struct comch_remote *remote)
{
    // The consumer calls membarrier(2) for this process: it suffices that the compiler stores the
    // entry before the load.
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(&remote->receives->closed, memory_order_relaxed) != COMCH_OPEN;
}

// Returns whether a consumer that closes has received a message in an entry.
enum comch_verdict { COMCH_UNDECIDED, COMCH_WAS_RECEIVED, COMCH_WAS_LOST };
enum comch_verdict comch_remote_verdict(const struct comch_remote *remote, uint32_t number);

// Before bytes are written to the posted memory. Returns false: they must not be.
bool comch_remote_begin_writing(struct comch_remote *remote, uint32_t number);

#endif
