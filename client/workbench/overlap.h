// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks in flight that use the same bytes. The caller holds registry_lock.

#ifndef WORKBENCH_OVERLAP_H
#define WORKBENCH_OVERLAP_H

#include "flights.h"
#include "rule_report.h"

struct overlap {
    enum rule rule;
    const struct flight *with;
};

// Compares a task that is going to be submitted with those in flight. Returns whether it must not
// be.
bool overlap_find(const struct flight *added, struct overlap *found);

// Notes which of them may write to a source of another one, so that its bytes may change rightly.
void overlap_disturb(struct flight *added);

#endif
