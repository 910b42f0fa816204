// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/copies.h"

#include "work/broker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end[unit ? 1 : 0] != '\0' || value > UINT64_MAX >> shift)
        return false;
    *out = (uint64_t)value << shift;
    return true;
}

uint64_t copies_threshold(uint64_t offered)
{
    const char *text = secure_getenv("DOCAD_COPIES_OVER");
    uint64_t value;

    if (offered == 0)
        return UINT64_MAX;
    if (!text)
        return offered;
    return read_size(text, &value) ? value : UINT64_MAX;
}

void copies_take(struct memory *memory, struct session *session, uint32_t key, bool writable)
{
    struct errtext err;

    // Without it the threads copy by themselves.
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
