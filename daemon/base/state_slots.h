// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's side of the state table: the only writer. See common/state_table.h.

#ifndef DAEMON_STATE_SLOTS_H
#define DAEMON_STATE_SLOTS_H

#include "state_table.h"

#include <stdbool.h>

#define STATE_SLOTS 262144u // 2 MiB; pages that are never touched cost nothing

struct state_slots {
    struct state_table *table;
    uint32_t *free; // a queue, so that a released slot is reused as late as possible
    uint32_t head, n_free;
    int fd;         // read-only, for clients
    int memfd;      // writable, for the next docad; -1: there will be none
    uint8_t *taken; // while slots are claimed
};

// 0 or -errno. `lasting`: the table can be mapped again by the next docad. Then only its
// mode keeps clients from writing, which works for clients of other users. Otherwise a seal
// does.
int state_slots_init(struct state_slots *slots, bool lasting);

// Continues with the table of an earlier docad instead; takes over `memfd` on success.
int state_slots_restore(struct state_slots *slots, int memfd);

// Claims the slot that object `id` had. Returns false if the slot does not belong to it any more.
bool state_slot_claim(struct state_slots *slots, uint32_t slot, uint64_t id,
                      enum slot_state *state);

// Called when all slots are claimed: frees the others.
void state_slots_settle(struct state_slots *slots);

void state_slots_fini(struct state_slots *slots);

// Allocates a free slot; STATE_SLOT_NONE if there is none.
uint32_t state_slot_take(struct state_slots *slots);

// Shows the state of the object that has the slot.
void state_slot_set(struct state_slots *slots, uint32_t slot, uint64_t id, enum slot_state state);

// Sets the word to SLOT_FREE: a client that still reads it sees that the object has ended.
void state_slot_give(struct state_slots *slots, uint32_t slot);

#endif
