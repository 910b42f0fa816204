// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that the program has not destroyed when it ends, by the place where it made them: for
// docad-run --faults sweep, which compares them with those of a run without faults.

#ifndef WORKBENCH_FAULT_LEAKS_H
#define WORKBENCH_FAULT_LEAKS_H

#include "workbench.h"

struct fault_shared;

// Begins to follow objects if `shared` is not NULL. It gets what is left when the process ends.
void fault_leaks_start(struct fault_shared *shared);

// Notes what a call has made and destroyed.
void fault_leaks_after(const struct call *call);

#endif
