// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Bytes of a region that docad's loop reads itself, for another machine: from the memory file,
// where that cannot block. Reading a few bytes takes less time than waking a thread.
//
// Reading a memory file takes no lock that its owner may hold for long (writing does, and so does
// touching a page of a mapping while the owner punches holes), and a hole is read as zeroes. Only a
// page that was swapped out can block.

#ifndef DAEMON_REGION_BYTES_H
#define DAEMON_REGION_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct region;

// Returns false if these bytes are not all in one mapped part, or may have been swapped out, or are
// too many: the engine has to read them.
bool region_reads_at_once(const struct region *region, uint64_t address, uint32_t length);
bool region_read_at_once(const struct region *region, uint64_t address, uint32_t length, void *out);

#endif
