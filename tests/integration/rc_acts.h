// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Acts of a far node that no daemon would do, towards either side of docad.

#ifndef INTEGRATION_RC_ACTS_H
#define INTEGRATION_RC_ACTS_H

#include "rc_pairs.h"

// Over a queue pair.
struct act {
    const char *name;
    void (*act)(struct far_pair *pair);
};

// Zeros, of this size.
void far_sends(struct far_pair *pair, size_t size);

void empty_message(struct far_pair *pair);

// Acts that docad never allows, whether it sends or receives the request.
#define WRONG_ACTS 8
extern const struct act wrong_acts[WRONG_ACTS];

// Addresses that are not valid, and one that is but leads nowhere.
#define WRONG_ADDRESSES 5
extern const rc_change_fn wrong_addresses[WRONG_ADDRESSES];
void out_of_reach(Docad__RcAddress *rc);

#endif
