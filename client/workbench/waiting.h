// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a program waits for a progress engine. The caller holds registry_lock.

#ifndef WORKBENCH_WAITING_H
#define WORKBENCH_WAITING_H

#include "registry.h"
#include "workbench.h"

// Notes a call about an engine, before it is made. Returns true if it requests a notification for
// the WAITING_REQUESTS_MAX'th time in a row though the handle was readable each time: the program
// never clears it, and does not wait.
bool waiting_before(const struct call *call, struct entry *engine);

#define WAITING_REQUESTS_MAX                                                                       \
    8 // a program that clears the handle after poll() may do so a little late

#endif
