// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls whose failure a program does not look at, as far as later calls show it: it uses the object
// that a call has not made, or one that a call has not started. The caller holds registry_lock.

#ifndef WORKBENCH_FAILURES_H
#define WORKBENCH_FAILURES_H

#include "registry.h"
#include "workbench.h"

// Reports a call about an object that was not made.
void failures_before(const struct call *call);
// Notes what has failed; reports a call that fails because of an object that was not started.
void failures_after(const struct call *call);

#endif
