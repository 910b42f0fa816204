// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeps the memories of processes (memory_file.h), which their regions share, through restarts.

#ifndef DAEMON_PROCESS_MEMORIES_H
#define DAEMON_PROCESS_MEMORIES_H

#include "memory_file.h"

struct node;
struct object_kind;

extern const struct object_kind memory_kind;

// Stores its record.
doca_error_t process_memory_keep(struct process_memory *memory, struct errtext *err);

// For use while regions are restored: finds the memory with this id and takes a reference. NULL
// if there is none.
struct process_memory *process_memories_find(const struct node *node, uint64_t id);

#endif
