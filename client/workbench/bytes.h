// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How many bytes buffers have and tasks move, as far as arguments of calls show it. In the writer
// process only.

#ifndef WORKBENCH_BYTES_H
#define WORKBENCH_BYTES_H

#include "values.h"

// Stores what a successful call returned about buffers, lists of buffers, and tasks.
void bytes_note(const struct reading *reading);

// Returns the bytes of the task's source, which is a buffer, a list of buffers, or a message. A
// task moves the bytes that its buffers had when it was submitted.
uint64_t bytes_submitted(const struct object *task);

// Returns the bytes that the task has moved. Its destination has them now.
uint64_t bytes_completed(struct object *task);

#endif
