// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a program waits for a progress engine or a work queue. The caller holds registry_lock.

#ifndef WORKBENCH_WAITING_H
#define WORKBENCH_WAITING_H

#include "registry.h"
#include "workbench.h"

#include <poll.h>

#define WAITING_REQUESTS_MAX 8                   // requests in a row without a clear
#define POLLS_VARIABLE       "DOCAD_CHECK_POLLS" // polls for each completion, 0: any number

// Reads the environment.
void waiting_start(void);

// Notes a call about an engine, before it is made. Reports a notification that is requested for the
// WAITING_REQUESTS_MAX'th time in a row while the handle is readable: the program never clears it,
// and does not wait. A program that clears it only if poll() has returned it may be one late.
void waiting_before(const struct call *call, struct entry *engine);
// The same after the call.
void waiting_after(const struct call *call, struct entry *engine);
// A child may use the numbers of the handles for something else.
void waiting_in_child(void);
// A task or a job of the engine has completed.
void waiting_completed(struct entry *engine);

// Reports a wait for handles of engines of which none was requested, and nothing else. The thread
// must be the only one that has used them. Does not need registry_lock.
void waiting_for(const struct function *function, const struct pollfd *handles, nfds_t count);
// Returns whether any engine has a handle that waiting_for() could report.
bool waiting_is_watched(void);

#endif
