// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/copies.h"

#include "queue/broker.h"

void copies_take(struct memory *memory, struct session *session, uint32_t key, bool writable)
{
    struct errtext err;

    // Without a key the program's threads make the copies themselves.
    if (!key ||
        broker_node_get(session, session_node(session), &memory->copier, &err) != DOCA_SUCCESS)
        return;
    memory->copy_key = key;
    memory->copy_writable = writable;
    memory->copies_over = session_copies_over(session);
}

void copies_give(struct memory *memory)
{
    memory->copier = broker_node_put(memory->copier);
}
