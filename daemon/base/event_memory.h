// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory of libevent. It keeps a small block for each number that a descriptor ever had, for good.
// From malloc, each would lie between the objects of the session that came with it, and hold their
// page when they have gone. Here small blocks lie side by side. For the thread that has the loop.

#ifndef DAEMON_EVENT_MEMORY_H
#define DAEMON_EVENT_MEMORY_H

#include <stddef.h>

// Called before anything else of libevent.
void event_memory_init(void);

// What libevent calls. As malloc(), realloc() and free().
void *event_memory_take(size_t size);
void *event_memory_resize(void *block, size_t size);
void event_memory_give(void *block);

// How many small blocks are in use; for tests.
size_t event_memory_count(void);

#endif
