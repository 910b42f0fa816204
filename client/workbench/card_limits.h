// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whether a program exceeds the limits of a card (docad-cards(7)). The caller holds registry_lock.

#ifndef WORKBENCH_CARD_LIMITS_H
#define WORKBENCH_CARD_LIMITS_H

#include "flights.h"

#define CARD_VARIABLE "DOCAD_CHECK_CARD" // the name of a profile, or any; else DOCAD_CARD
#define CARD_ANY      "any"              // all DPUs that are built in

// Reads the profiles that the environment names.
void card_limits_start(void);

// A task or job that is going to be submitted.
void card_limits_submit(const struct call *call, const struct flight *flight);
// A call that has succeeded. A card that is imitated would have let it fail.
void card_limits_after(const struct call *call);

#endif
