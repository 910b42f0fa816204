// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that only one thread may use at a time: progress engines, work queues, inventories and
// memory maps.
//
// Calls are short, so that two threads seldom meet in one. When an object goes from one thread to
// another, the thread stays in its call for a moment before it is made. A program that uses a lock
// keeps the other thread out for as long; one that uses none is caught. (The idea is that of TSVD:
// Li et al., Efficient scalable thread-safety-violation detection, SOSP 2019.)

#ifndef WORKBENCH_RULE_THREADS_H
#define WORKBENCH_RULE_THREADS_H

#include "registry.h"
#include "workbench.h"

// Notes that this thread is in the call. The caller holds registry_lock. Returns true if
// threads_pause() is to be called without it.
bool threads_enter(const struct call *call);
void threads_pause(void);
// The caller holds registry_lock.
void threads_leave(const struct call *call);
// Other threads, which may have been in calls, are not in the child.
void threads_in_child(void);

#endif
