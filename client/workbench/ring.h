// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ring of a thread, as the thread writes it.

#ifndef WORKBENCH_RING_H
#define WORKBENCH_RING_H

#include "session.h"

// Returns where the next record of `size` bytes goes. It waits for room; NULL, and the record is
// counted as lost, if the writer is stuck.
struct record *ring_reserve(struct slot *slot, uint32_t size);
// The record is complete.
void ring_publish(struct slot *slot, uint32_t size);
// Puts the last record, to which no more calls are added, into the ring.
void ring_put_last(struct slot *slot);

#endif
