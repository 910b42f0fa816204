// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memories of processes (memory_file.h), which their regions share, through restarts.

#ifndef DAEMON_PROCESS_MEMORIES_H
#define DAEMON_PROCESS_MEMORIES_H

#include "memory_file.h"

struct object_kind;

extern const struct object_kind memory_kind;

// Puts its record.
void process_memory_keep(struct process_memory *memory);

// While regions are taken up: the one with this id, and a reference to it. NULL if there is
// none.
struct process_memory *process_memories_find(uint64_t id);

#endif
