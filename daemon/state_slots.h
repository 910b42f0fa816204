// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's side of the state table: the only writer. See common/state_table.h.

#ifndef DAEMON_STATE_SLOTS_H
#define DAEMON_STATE_SLOTS_H

#include "state_table.h"

#define STATE_SLOTS 262144u // 2 MiB of which untouched pages cost nothing

struct state_slots {
    struct state_table *table;
    uint32_t *free; // a queue: a slot that was given back is used again as late as can be
    uint32_t head, n_free;
    int fd; // read-only, for clients
};

// 0 or -errno.
int state_slots_init(struct state_slots *slots);
void state_slots_fini(struct state_slots *slots);

// A free slot, or STATE_SLOT_NONE.
uint32_t state_slot_take(struct state_slots *slots);

// Shows the state of the object that has the slot.
void state_slot_set(struct state_slots *slots, uint32_t slot, uint64_t id, enum slot_state state);

// The word turns to SLOT_FREE: whoever still reads it finds that its object has gone.
void state_slot_give(struct state_slots *slots, uint32_t slot);

#endif
