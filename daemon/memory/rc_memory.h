// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The registrations of a region with the ibverbs devices over which other machines reach it.
// Parts that have a memory file are registered, once for each node, for all its importers there.
// A part is registered when its bytes are first requested. Until then the engine copies, and
// also if the part cannot be registered because its file has holes, or because more would be
// pinned than the limits allow.
//
// Registered pages stay the same: if the owner punches a hole into its memory file, remote
// importers do not see what it writes there afterwards, while processes that have mapped the
// file do.

#ifndef DAEMON_RC_MEMORY_H
#define DAEMON_RC_MEMORY_H

#include "list.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

struct rc_device;
struct rc_registration;
struct region;

struct rc_memory {
    struct list tables;          // one table for each device
    const struct region *region; // the region that this belongs to
    uint8_t *map;                // mapping of the file, untouched; or NULL
};

void rc_memory_init(struct rc_memory *memory, const struct region *region);

// Maps the file while it can still be mapped for writing: if others may only read the memory,
// its owner seals the file afterwards. If mapping fails, bytes are copied.
void rc_memory_map(struct rc_memory *memory);
void rc_memory_unmap(struct rc_memory *memory); // if it was mapped

// Called when it is not used any more: the registrations end, after the last hold. It may be used
// again.
void rc_memory_end(struct rc_memory *memory);

// The same for one node.
void rc_memory_end_for(struct rc_memory *memory, const uint8_t node[NODE_ID_SIZE]);

// Bytes of the region, in the form that a work request needs.
struct rc_held {
    struct rc_registration *registration; // held; the caller releases it
    uint8_t *start;
    uint32_t key;
};

// Returns false if the bytes are not all in one registered part; a later call may succeed.
bool rc_memory_hold(struct rc_memory *memory, struct rc_device *device, uint64_t address,
                    uint32_t length, struct rc_held *out);

// The number of bytes that are registered now, with all devices.
uint64_t rc_memory_bytes(const struct rc_memory *memory);

#endif
