// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state table: one word of shared memory for every import and queue pair, written only by docad
// and read by clients before each job, so that a client sees a revoked export or a dead owner
// immediately and without a system call.
//
// A word has the id of the object that uses the slot, and the object's state. Ids are never reused
// while a daemon runs, so a different id in the slot means that the client's object has ended.
// Words are in the machine's byte order: only processes of one machine map the table.

#ifndef COMMON_STATE_TABLE_H
#define COMMON_STATE_TABLE_H

#include <doca_error.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_TABLE_MAGIC   0x31545344u // "DST1"
#define STATE_TABLE_VERSION 1u
#define STATE_SLOT_NONE     UINT32_MAX

enum slot_state {
    SLOT_FREE = 0,
    SLOT_LIVE = 1,
    SLOT_REVOKED = 2,     // the export was revoked
    SLOT_OWNER_GONE = 3,  // the process that owned the memory ended, or unregistered it
    SLOT_PEER_GONE = 4,   // the owner's daemon is out of reach
    SLOT_DEVICE_GONE = 5, // the device was removed
};

struct state_table {
    uint32_t magic;
    uint32_t version;
    uint32_t slots;
    uint32_t reserved[13];
    _Atomic uint64_t words[]; // id << 8 | state
};

_Static_assert(offsetof(struct state_table, words) == 64, "words start on a cache line");

static inline uint64_t state_word(uint64_t id, enum slot_state state)
{
    return id << 8 | (uint64_t)state;
}

static inline size_t state_table_size(uint32_t slots)
{
    return (sizeof(struct state_table) + slots * sizeof(uint64_t) + 4095) & ~(size_t)4095;
}

// Returns the state of the object `id` in its slot. If the slot has another object, or none, the
// owner has ended.
static inline enum slot_state state_table_read(const struct state_table *table, uint32_t slot,
                                               uint64_t id)
{
    // Acquire: what docad did before it changed the state (unmapped, stopped its engine)
    // is visible to a thread that sees the change.
    uint64_t word = atomic_load_explicit(&table->words[slot], memory_order_acquire);
    if (__builtin_expect(word == state_word(id, SLOT_LIVE), 1))
        return SLOT_LIVE;
    if (word >> 8 != id || (word & 0xff) == SLOT_FREE || (word & 0xff) > SLOT_DEVICE_GONE)
        return SLOT_OWNER_GONE;
    return (enum slot_state)(word & 0xff);
}

// The error of a job on an object in this state.
doca_error_t slot_state_error(enum slot_state state);

// "live", "revoked", "owner-gone", "peer-gone", "free".
const char *slot_state_name(enum slot_state state);

// Checks and maps, read-only, the table that docad passed. Returns NULL with errno set if it is not
// a state table. Unmap with state_table_unmap().
const struct state_table *state_table_map(int fd, uint32_t slots);
// Takes the number of slots that was mapped: docad may change the number in the table.
void state_table_unmap(const struct state_table *table, uint32_t slots);

#endif
