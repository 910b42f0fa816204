// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checksums of the sources of tasks in flight. The caller holds registry_lock.

#ifndef WORKBENCH_SOURCES_H
#define WORKBENCH_SOURCES_H

#include "flights.h"

#define SUMMED_ENDS 2048 // bytes at each end of a buffer that are summed

// Computes the sums of what this process alone can change: memory of its own that it has not
// exported with a right to write.
void sources_sum(struct flight *flight);
void sources_in_child(void);
// Returns the first source whose bytes are others now, or NULL: none, or it is not certain.
const struct source *sources_changed(const struct flight *flight);

#endif
