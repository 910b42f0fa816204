// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls that docad allows in a state in which a card does not. The caller holds registry_lock.

#ifndef WORKBENCH_CARD_STATES_H
#define WORKBENCH_CARD_STATES_H

#include "registry.h"
#include "workbench.h"

// Before a call about an object, and after one that has succeeded.
void card_states_before(const struct call *call, struct entry *object);
void card_states_after(const struct call *call, struct entry *object);

#endif
