// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The times of waiting in this process, see common/wait_times.h: those of its environment
// (DOCAD_SPIN_US, DOCAD_SPIN_SHARED_US, DOCAD_BLOCK_US), otherwise those of the docad that it
// connected to last, otherwise the defaults. Thread-safe.

#ifndef CLIENT_CORE_WAIT_POLICY_H
#define CLIENT_CORE_WAIT_POLICY_H

#include "wait_times.h"

struct wait_times wait_policy(void);

// Sets the times that a docad has sent; NULL if it has sent none. Logs variables of the environment
// that are no number of microseconds.
void wait_policy_set(const struct wait_times *offered);

#endif
