// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a program waits for a progress engine. The caller holds registry_lock.

#ifndef WORKBENCH_WAITING_H
#define WORKBENCH_WAITING_H

#include "registry.h"
#include "workbench.h"

#define WAITING_REQUESTS_MAX 8 // requests in a row without a clear

// Notes a call about an engine, before it is made. Returns true if it requests a notification for
// the WAITING_REQUESTS_MAX'th time in a row while the handle is readable: the program never clears
// it, and does not wait. A program that clears it only if poll() has returned it may be one late.
bool waiting_before(const struct call *call, struct entry *engine);

#endif
