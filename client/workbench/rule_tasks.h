// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks and jobs from submission to completion, and the rules about what may be touched in between.
// The caller holds registry_lock.

#ifndef WORKBENCH_RULE_TASKS_H
#define WORKBENCH_RULE_TASKS_H

#include "registry.h"
#include "workbench.h"

// Before and after a call whose first argument is the object.
void tasks_before(const struct call *call, struct entry *first);
void tasks_after(const struct call *call, struct entry *first);
// Before the program's callback for a task.
void tasks_completed(struct entry *task);
void tasks_in_child(void);

#endif
