// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory that a consumer and the producers of the other side share: the pair of an RDMA
// connection, see common/rdma_pair.h, with another layout. The two ends are the consumer, and the
// process of its producers.
//
// The consumer numbers the receives that it posts, and publishes them in the room for chunks of its
// direction. A producer claims the next one by a count that is private to its process, and then
// owns the message of the same number: an entry in the room for chunks of the other direction.
// Short messages are in their entry. Others are written to the posted memory, which the producer's
// process has imported, and the entry is marked so.
//
// A producer that is about to write into posted memory marks its entry first (COMCH_WRITING), and
// then loads `closed`; a consumer that stops sets `closed`, and waits for marked entries. So
// nothing is written to memory that the program has back. Each of them stores and then loads, both
// sequentially consistent: otherwise each could miss the other's store (tests/models/closing.pml).
//
// A producer loads `closed` again after it has written an entry. It has no fence there, which would
// cost more than all else: a consumer that stops sets `closed`, calls membarrier(2) for the
// producer's process, and then reads the entries. So either the producer sees that it closes, or
// the consumer sees the entry (tests/models/verdict.pml). Both may be true: a producer that sees
// that a consumer closes waits until that has published which messages it has received.

#ifndef CLIENT_COMCH_RING_H
#define CLIENT_COMCH_RING_H

#include "rdma_pair.h"

#define COMCH_SLOTS_MIN 64u
#define COMCH_SLOTS_MAX 8192u // of receives, and of messages; a power of two
#define COMCH_IMM_MAX   32u

#define COMCH_BUFFER_MAX (1u << 30) // bytes of a message

#define COMCH_RECEIVED 1 // a marker, never a valid address

struct comch_posted {
    _Atomic uint64_t address, room;
};

enum comch_closed {
    COMCH_OPEN = 0,
    COMCH_CLOSING = 1, // nothing more is to be sent
    COMCH_CLOSED = 2,  // the received messages are published
};

// Written by the consumer.
struct comch_receives {
    // The number of receives so far, and above it (<< 32) the number of the latest one that is too
    // small for any message in an entry.
    _Alignas(64) _Atomic uint64_t count;
    _Alignas(64) _Atomic uint32_t closed; // enum comch_closed
    // Once it is closed: the messages before this one were received, and of the others those whose
    // receive has the address COMCH_RECEIVED.
    _Atomic uint32_t first;
    _Alignas(64) struct comch_posted at[COMCH_SLOTS_MAX];
};

// `where` of an entry. `immediate` is the producer's id, `taken` the length of the immediate data,
// which follow the bytes in the entry.
enum comch_where {
    COMCH_IN_ENTRY = 1,
    COMCH_WRITTEN = 2, // to the posted memory
    COMCH_WRITING = 3, // wait
    COMCH_FAILED = 4,  // they could not be written
};

static inline uint8_t comch_where_of(uint64_t head)
{
    return (uint8_t)(head >> 40);
}

static inline struct comch_receives *comch_receives_in(struct rdma_direction *of_consumer)
{
    return (struct comch_receives *)of_consumer->chunks;
}

static inline struct rdma_entry *comch_messages_in(struct rdma_direction *of_producers)
{
    return (struct rdma_entry *)of_producers->chunks;
}

_Static_assert(sizeof(struct comch_receives) <= sizeof(((struct rdma_direction *)0)->chunks),
               "room");
_Static_assert(COMCH_SLOTS_MAX * sizeof(struct rdma_entry) <=
                   sizeof(((struct rdma_direction *)0)->chunks),
               "room");

#endif
