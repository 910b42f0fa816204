// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Callbacks that an engine calls: how long they keep it, and whether they read the status of a
// failed task.

#ifndef WORKBENCH_RULE_CALLBACKS_H
#define WORKBENCH_RULE_CALLBACKS_H

#include "registry.h"
#include "workbench.h"

// Around each call of the program. What DOCA itself does in a call of a callback does not count.
void callback_timing_enter(const struct call *call);
void callback_timing_leave(const struct call *call);

// Around each callback. registry_lock is not held.
void callback_timing_begin(void);
void callback_timing_end(const struct call *call);

// Notes the status of a task that has just completed. The caller holds registry_lock.
void task_status_note(struct entry *task);
// Notes that its status is read, and reports a task that is freed or submitted without that.
void task_status_check(const struct call *call, struct entry *task);

#endif
