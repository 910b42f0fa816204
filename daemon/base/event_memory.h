// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory of libevent, which keeps a small block for each descriptor number that was ever used. From
// malloc, each would lie between the objects of the session that came with it, and keep their page
// when they have ended. Here small blocks are adjacent. For the loop's thread.

#ifndef DAEMON_EVENT_MEMORY_H
#define DAEMON_EVENT_MEMORY_H

#include <stddef.h>

// Called before any other function of libevent.
void event_memory_init(void);

// libevent calls these. Like malloc(), realloc() and free().
void *event_memory_take(size_t size);
void *event_memory_resize(void *block, size_t size);
void event_memory_give(void *block);

// Returns how many small blocks are in use; for tests.
size_t event_memory_count(void);

#endif
