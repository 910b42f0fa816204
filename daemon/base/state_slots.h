// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's side of the state table: the only writer. See common/state_table.h.

#ifndef DAEMON_STATE_SLOTS_H
#define DAEMON_STATE_SLOTS_H

#include "state_table.h"

#include <stdbool.h>

#define STATE_SLOTS 262144u // 2 MiB of which untouched pages cost nothing

struct state_slots {
    struct state_table *table;
    uint32_t *free; // a queue: a slot that was given back is used again as late as can be
    uint32_t head, n_free;
    int fd;         // read-only, for clients
    int memfd;      // to write, for the docad after this one; -1: there will be none
    uint8_t *taken; // while slots are claimed
};

// 0 or -errno. `lasting`: the table can be mapped again. It is then kept from clients by its
// mode alone, that is from those of other users; otherwise by a seal.
int state_slots_init(struct state_slots *slots, bool lasting);

// Goes on with the table of an earlier docad instead; takes `memfd` over on success.
int state_slots_restore(struct state_slots *slots, int memfd);

// A slot that object `id` had. False if it is not its own any more.
bool state_slot_claim(struct state_slots *slots, uint32_t slot, uint64_t id,
                      enum slot_state *state);

// All that were claimed are: the others are free.
void state_slots_settle(struct state_slots *slots);

void state_slots_fini(struct state_slots *slots);

// A free slot, or STATE_SLOT_NONE.
uint32_t state_slot_take(struct state_slots *slots);

// Shows the state of the object that has the slot.
void state_slot_set(struct state_slots *slots, uint32_t slot, uint64_t id, enum slot_state state);

// The word turns to SLOT_FREE: whoever still reads it finds that its object has gone.
void state_slot_give(struct state_slots *slots, uint32_t slot);

#endif
