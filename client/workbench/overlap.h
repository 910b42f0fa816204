// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory that copies in flight write to. The caller holds registry_lock.

#ifndef WORKBENCH_OVERLAP_H
#define WORKBENCH_OVERLAP_H

#include "registry.h"

// Adds a DMA task that is going to be submitted. Returns a task in flight whose destination
// overlaps its own, or NULL. Buffers in lists, and tasks that are not copies, have no destination
// here.
const struct entry *overlap_add(const struct entry *task);
// Removes a task that is not in flight any more.
void overlap_remove(const struct entry *task);
void overlap_clear(void);

#endif
