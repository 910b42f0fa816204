// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of DOCA 3 whose completion is reported as an error: which callback a program has for
// errors, and which tasks have failed so.

#ifndef WORKBENCH_FAILED_TASKS_H
#define WORKBENCH_FAILED_TASKS_H

#include "workbench.h"

// Returns the error with which the call is to return if its task has failed, else 0. A task that is
// submitted again, or freed, counts as not failed.
int failed_tasks_before(const struct call *call);

// Returns the error of such a task, else 0.
int failed_tasks_error(const void *task);

// Notes the callbacks that the program has set.
void failed_tasks_after(const struct call *call);

// Returns the task if this is a callback for success and there is one for errors, else NULL.
void *failed_tasks_successful(const struct call *callback);

// Calls the callback for errors instead. The task has this status until it is submitted again.
// Returns false if nothing can be done.
bool failed_tasks_fail(struct call *callback, void *task, int error);

// Stops the context of such a task, as a card does after a task that failed.
void failed_tasks_stop_context(void *task);

// Fails all later tasks of the context of this one with this error, until it is started again.
void failed_tasks_end_context(void *task, int error);

// Fails a task of a context that was stopped or ended so. Returns false if it was not.
bool failed_tasks_flush(struct call *callback, void *task);

#endif
