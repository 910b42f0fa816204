// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Callbacks that an engine calls: how long they keep it, and whether they read the status of a
// failed task.

#ifndef WORKBENCH_RULE_CALLBACKS_H
#define WORKBENCH_RULE_CALLBACKS_H

#include "registry.h"
#include "workbench.h"

// Finds callbacks that take too long (callback_timing.h). It stands before all other hooks: they
// take time that is not the program's.
extern const struct hook timing_hook;

// Notes the status of a task that has just completed. The caller holds registry_lock.
void task_status_note(struct entry *task);
// Notes that its status is read, and reports a task that is freed or submitted without that.
void task_status_check(const struct call *call, struct entry *task);

#endif
