// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace: records calls into rings of memory that a writer process reads.

#ifndef WORKBENCH_TRACE_H
#define WORKBENCH_TRACE_H

#include "workbench.h"

extern const struct hook trace_hook;

// Records a fault that was injected: its number in this process, where, what happens, and its rule.
void trace_fault(uint64_t number, const char *place, const char *happened, const char *rule);

#endif
