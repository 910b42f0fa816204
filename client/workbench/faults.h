// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults: calls that fail without being made, that take longer or wait for a signal, tasks that
// complete with an error, and connections that break.

#ifndef WORKBENCH_FAULTS_H
#define WORKBENCH_FAULTS_H

#include "fault_decide.h"
#include "workbench.h"

extern const struct hook faults_hook;

// Functions that rules cannot name, of functions.c.
extern const struct fault_hint function_hints[];
extern const unsigned function_hint_count;

// Returns the rules for a target of this kind, as a mask; 0 if there are none.
uint64_t faults_rules(enum fault_kind kind, const char *name);

// Counts one more message or operation, and decides. Returns true if a rule applies to it: then the
// caller does it, and reports it.
bool faults_count(uint64_t rules, struct fault *fault);

// Reports what has happened to `name`: "message 100 of comch: the peer is dropped".
void faults_report(const char *name, const char *what, const struct fault *fault,
                   const char *happened);

#endif
