// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How long callbacks of an engine compute or block. Only what is certain counts: the time that the
// kernel has charged to the thread itself, and the time for which the thread waited of its own
// accord, less all that the load of the machine may have added (load.h).

#ifndef WORKBENCH_CALLBACK_TIMING_H
#define WORKBENCH_CALLBACK_TIMING_H

#include "workbench.h"

// Around each call of the program, and outside of all that else is done for it: neither what DOCA
// nor what the workbench does in a call of a callback counts.
void callback_timing_enter(const struct call *call);
void callback_timing_leave(const struct call *call);

// Around each callback, and within all that else is done for it.
void callback_timing_begin(void);
// Returns whether it took too long: in all, and on a CPU.
bool callback_timing_end(int64_t *wall, int64_t *cpu);

#endif
