// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/alive.h"

#include "core/process.h"

#include <stdint.h>

#define CHAINS 1024 // each of any length

static struct alive *chains[CHAINS]; // under the process lock

static struct alive **chain_of(const struct alive *alive)
{
    return &chains[((uintptr_t)alive >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

void alive_begin(struct alive *alive)
{
    struct alive **chain = chain_of(alive);

    process_lock();
    *alive = (struct alive){.next = *chain, .at = chain};
    if (alive->next)
        alive->next->at = &alive->next;
    *chain = alive;
    process_unlock();
}

void alive_end(struct alive *alive)
{
    process_lock();
    *alive->at = alive->next;
    if (alive->next)
        alive->next->at = alive->at;
    process_unlock();
}

bool alive_now(const struct alive *alive)
{
    process_lock();
    const struct alive *found = *chain_of(alive);
    while (found && found != alive)
        found = found->next;
    process_unlock();
    return found;
}
