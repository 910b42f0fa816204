// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by docad's engine: whether a map takes part, and the keys that jobs then use.

#ifndef CLIENT_MMAP_COPIES_H
#define CLIENT_MMAP_COPIES_H

#include "core/session.h"
#include "mmap/memory.h"

// Called when docad has assigned the memory a key (0 if it has not) for copies by the session's
// work queues.
void copies_take(struct memory *memory, struct session *session, uint32_t key, bool writable);
void copies_give(struct memory *memory);

#endif
