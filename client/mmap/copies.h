// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by docad's engine: whether a map takes part, and what jobs then name.

#ifndef CLIENT_MMAP_COPIES_H
#define CLIENT_MMAP_COPIES_H

#include "core/session.h"
#include "mmap/memory.h"

// Jobs of more bytes than this may be handed to the engine; UINT64_MAX: none. What docad
// says, or if docad does such copies $DOCAD_COPIES_OVER: bytes, also with K, M, G or T; none
// for 0, "never" or "unlimited".
uint64_t copies_threshold(uint64_t offered);

// docad gave the memory a key (0: it did not) for copies of the session's work queues.
void copies_take(struct memory *memory, struct session *session, uint32_t key, bool writable);
void copies_give(struct memory *memory);

#endif
