// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Decides which calls get a fault. The decision depends on the rule and on how many calls have
// matched it before, and on nothing else: a program that calls in the same order gets the same
// faults.

#ifndef FAULT_DECIDE_H
#define FAULT_DECIDE_H

#include "fault_spec.h"

#include <stdatomic.h>

// Counts of a process, by rule. All zero in the beginning.
struct fault_counts {
    _Atomic uint64_t matched[FAULT_RULES_MAX];
    _Atomic uint64_t injected[FAULT_RULES_MAX];
};

struct fault {
    int error;         // doca_error_t or FAULT_ANY; 0: the call is made
    int signal;        // to wait for, before that; 0: none
    uint64_t delay_ns; // before that
    bool fatal;
    unsigned rule; // index of the rule that names the error, else of the last that applies
    uint64_t call; // number of the call among those that match it
};

// Returns the rules whose target matches, as a mask, so that each name is compared once.
uint64_t fault_rules_of(const struct fault_spec *spec, enum fault_kind kind, const char *name);

// Counts a call that these rules match, and decides. Returns false if it gets no fault.
// Thread-safe.
bool fault_decide(const struct fault_spec *spec, uint64_t rules, struct fault_counts *counts,
                  struct fault *fault);

#endif
