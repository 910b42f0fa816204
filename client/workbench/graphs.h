// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The tasks of a graph's instances (DOCA 3), which are in flight with it. The caller holds
// registry_lock.

#ifndef WORKBENCH_GRAPHS_H
#define WORKBENCH_GRAPHS_H

#include "registry.h"
#include "workbench.h"

// Notes the nodes of a graph and the tasks of an instance, after a call that succeeded.
void graphs_after(const struct call *call, struct entry *first);

// Calls `what` for each task of an instance, unless the program may use tasks while the instance is
// in flight: its graph has nodes that call the program, or that are graphs themselves.
void graph_tasks_each(const struct entry *instance, void (*what)(struct entry *task, void *of),
                      void *of);

// The instance has ended.
void graph_forget(struct entry *instance);

#endif
