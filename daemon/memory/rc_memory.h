// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What of a region is registered with the ibverbs devices over which other machines reach
// it: the parts that have a memory file, each once for each node, for all there who import it.
// Each is registered when bytes of it are first asked for. Until it is, and if it cannot be,
// the engine copies: if its file has holes, or more would be pinned than the limits let.
//
// Registered pages stay what they are: if the owner punches a hole into its memory file,
// others no longer see what it writes there, as those who have mapped the file would.

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
    struct list tables;          // one for each device
    const struct region *region; // whose part it is
    uint8_t *map;                // of the file, untouched; or NULL
};

void rc_memory_init(struct rc_memory *memory, const struct region *region);

// Maps the file while it can be mapped for writing: of memory that others may only read, its
// owner seals it afterwards. If that fails, it will be copied.
void rc_memory_map(struct rc_memory *memory);
void rc_memory_unmap(struct rc_memory *memory); // if it was

// Nobody reaches it any more: what is registered ends, after the last hold. It may be used
// again.
void rc_memory_end(struct rc_memory *memory);

// The same for one node.
void rc_memory_end_for(struct rc_memory *memory, const uint8_t node[NODE_ID_SIZE]);

// Bytes of the region as a work request names them.
struct rc_held {
    struct rc_registration *registration; // held, to be released
    uint8_t *start;
    uint32_t key;
};

// False if the bytes are not all in one part that is registered; it may be so later.
bool rc_memory_hold(struct rc_memory *memory, struct rc_device *device, uint64_t address,
                    uint32_t length, struct rc_held *out);

// Bytes registered now, with all devices.
uint64_t rc_memory_bytes(const struct rc_memory *memory);

#endif
