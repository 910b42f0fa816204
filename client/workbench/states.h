// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace's requests to docad: the states of contexts, when they may have changed, and of tasks.
// Only DOCA 3 has them.

#ifndef WORKBENCH_STATES_H
#define WORKBENCH_STATES_H

#include "workbench.h"

#define STATUS_NONE UINT64_MAX // not a task, or of another generation

void states_before(const struct call *call);
void states_after(const struct call *call);
// Returns the status of the task that a callback of the program is about.
uint64_t states_of_callback(const struct call *call);
// Returns the task of such a callback as a struct doca_task, or NULL.
void *states_task_of(const struct call *call);
void states_in_child(void);

// Records the state of a context (trace.c).
void trace_state(uint64_t context, uint64_t state);

#endif
