// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Returns memory of many ended objects to the system. The allocator keeps it, because newer objects
// lie behind the old ones.

#ifndef DAEMON_TRIM_H
#define DAEMON_TRIM_H

#include <stddef.h>

struct node;

// Called when something of about this size has been freed: after a delay, when much was freed, the
// memory is returned to the system.
void trim_count(struct node *node, size_t bytes);
void trim_end(struct node *node);

#endif
