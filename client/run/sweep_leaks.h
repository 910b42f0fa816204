// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that runs of a sweep leave, and that the run without faults does not leave: by the place
// where the program has made them.

#ifndef RUN_SWEEP_LEAKS_H
#define RUN_SWEEP_LEAKS_H

#include "fault_shared.h"

// Stores the objects that a side leaves without a fault.
void sweep_leaks_begin(int side, struct fault_shared *shared);

// Returns how many objects more than that it has left. `run` names the run: the first one at each
// place is stored.
uint64_t sweep_leaks_take(int side, struct fault_shared *shared, const char *run);

// Prints the places of a side, each with the prefix `mark`.
void sweep_leaks_print(int side, const char *mark);

#endif
