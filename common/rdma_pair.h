// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A pair: the memory file that two connected RDMA instances share. docad makes it, and both
// map it. It has two sides, each of which sends on a direction of its own.
//
// A direction is a ring of entries, one for each message, and a ring of chunks for the bytes that
// do not fit into an entry. The sender fills both; the receiver publishes how many it has taken. A
// short message is complete in its entry: payload, length and the number that makes it valid are in
// one cache line, or two.
//
// A sender also publishes in the entry how many messages it has received, so that sides that answer
// each other touch one cache line for each message. `taken` of the direction is for sides that do
// not answer, and is read rarely while an answer may come.
//
// Each side keeps its own indices in private memory. What the other side writes is hostile:
// it is read once, checked, and only then used. A side that finds invalid data fails its
// instance.
//
// Orders (tests/models: direction, mode, doorbell, connect; processors such as arm64 keep no
// others):
//
//   `head` of an entry, `chunks_filled` and `stage` are stored with a release after the data that
//   they describe, and read with an acquire before it. So are `taken` and `chunks_taken`, after
//   which the sender writes there again; and `taken` in an entry, as a part of its head. A side
//   that publishes anything then loads `event_driven`, without a fence; a side that sets it issues
//   membarrier(2) for the other side's process, which has registered for that before it publishes
//   anything. A side that finds it set, or that is about to sleep, has a fence between its stores
//   and its loads. Jobs on memory of the other side are copied with plain instructions. A fence
//   before each keeps them in the order of the jobs (tests/models/jobs.pml); the next message's
//   head follows them, being a release.
//
// Numbers are in the machine's byte order: only processes of one machine map the file.
//
// Both directions begin at the entry that docad has chosen, not at the first: if the pairs of a
// context began alike, the entries that it polls would compete for the same few lines of its cache.
//
// Sizes are fixed by the version; a different layout is a different version.

#ifndef COMMON_RDMA_PAIR_H
#define COMMON_RDMA_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RDMA_PAIR_MAGIC   0x31505244u // "DRP1"
#define RDMA_PAIR_VERSION 4u
// Messages in flight in one direction, a power of two. Each message goes to the next entry, so the
// entries of all connections of a program should fit into its caches.
#define RDMA_ENTRIES    128u
#define RDMA_CHUNK_SIZE 32768u
#define RDMA_CHUNKS     32u  // 1 MiB, whose untouched pages cost nothing
#define RDMA_INLINE     112u // payload bytes in an entry
#define RDMA_FIRST_LINE 48u  // the part of it in the first cache line
#define RDMA_OFFERS     16u  // memory maps that the receiver can keep imported

enum rdma_kind {
    RDMA_MSG_SEND = 1,
    RDMA_MSG_SEND_IMM = 2,
    RDMA_MSG_WRITE_IMM = 3, // the bytes were written elsewhere; `length` is their number
    RDMA_MSG_OFFER = 4,     // not a message: the export descriptor of a memory map
};

enum rdma_where {
    RDMA_IN_ENTRY = 1,  // the payload is in the entry
    RDMA_IN_CHUNKS = 2, // it follows in the chunk ring, each chunk but the last one full
    RDMA_IN_OFFER = 3,  // it is in the sender's memory: struct rdma_direct
    RDMA_NOWHERE = 4,   // there is no payload
};

// The contents of `payload` for RDMA_IN_OFFER.
struct rdma_direct {
    uint64_t address; // in the sender's address space
    uint32_t offer;   // which
    uint32_t reserved;
};

struct rdma_entry {
    // rdma_head(): written last, and read first, in one.
    _Atomic uint64_t head;
    uint32_t length;
    uint32_t immediate;
    uint8_t payload[RDMA_INLINE];
};

// `number` is the index of the entry, plus one, over the life of the pair, which begins at `first`;
// `taken` is the number of entries of the other direction that the sender has taken: the low bits.
static inline uint64_t rdma_head(uint32_t number, uint8_t kind, uint8_t where, uint16_t taken)
{
    return number | (uint64_t)kind << 32 | (uint64_t)where << 40 | (uint64_t)taken << 48;
}

enum rdma_offer_state { RDMA_OFFER_OPEN = 0, RDMA_OFFER_TAKEN = 1, RDMA_OFFER_REFUSED = 2 };

struct rdma_direction {
    _Alignas(64) _Atomic uint32_t chunks_filled; // written by the sender
    _Alignas(64) _Atomic uint32_t taken;         // entries; written by the receiver
    _Atomic uint32_t chunks_taken;
    // For each offer its number << 2 | enum rdma_offer_state; written by the receiver.
    _Alignas(64) _Atomic uint32_t offers[RDMA_OFFERS];
    _Alignas(64) struct rdma_entry entries[RDMA_ENTRIES];
    _Alignas(4096) uint8_t chunks[RDMA_CHUNKS][RDMA_CHUNK_SIZE];
};

// A side's own report of how far it has come. Any other value counts as RDMA_FAILED.
enum rdma_stage {
    RDMA_AWAITED = 0, // it has not connected
    RDMA_HERE = 1,    // it has connected: its memory may be read and changed
    RDMA_FAILED = 2,  // no message is sent or taken any more
    RDMA_LEFT = 3,    // the same, but without a failure
};

static inline bool rdma_stage_over(uint32_t stage)
{
    return stage != RDMA_AWAITED && stage != RDMA_HERE;
}

// Published by a side; the other side may clear `armed`.
struct rdma_side {
    _Alignas(64) _Atomic uint32_t event_driven; // `armed` may be set
    _Atomic uint32_t stage;                     // enum rdma_stage
    _Alignas(64) _Atomic uint32_t armed;        // set to get a byte on the channel
};

struct rdma_pair_shared {
    uint32_t magic, version;
    uint32_t first; // the number of entries of each direction that count as taken; read once
    struct rdma_side sides[2];
    _Alignas(4096) struct rdma_direction directions[2]; // each is written by its sender
};

_Static_assert(sizeof(struct rdma_entry) == 128, "two cache lines");
_Static_assert(offsetof(struct rdma_entry, payload) + RDMA_FIRST_LINE == 64, "a cache line");
_Static_assert(sizeof(struct rdma_direct) <= RDMA_INLINE, "fits the entry");
_Static_assert(sizeof(struct rdma_direction) % 4096 == 0, "whole pages");

// Makes a pair's memory file. Returns the descriptor or -errno.
int rdma_pair_create(void);

// Checks and maps the memory file that docad passed, without taking over the descriptor; *first
// becomes less than RDMA_ENTRIES. Returns NULL with errno set if it is not a pair. Unmap with
// rdma_pair_unmap().
struct rdma_pair_shared *rdma_pair_map(int fd, uint32_t *first);
void rdma_pair_unmap(struct rdma_pair_shared *pair);

#endif
