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

// Returns the rules for a target of this kind, as a mask; 0 if there are none.
uint64_t faults_rules(enum fault_kind kind, const char *name);

// Counts one more message or operation, and decides. Returns true if a rule applies to it; then it
// is reported as what has happened to `name`: "message 100 of comch: peer dropped".
bool faults_count(uint64_t rules, const char *what, const char *name, const char *happened);

#endif
