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

// Ends an object; with a buffer, those behind it in its list.
void bytes_end_list(struct object *first);

// Returns the bytes of the task's source, which is a buffer, a list of buffers, or a message. A
// task moves the bytes that its buffers had when it was submitted.
uint64_t bytes_submitted(const struct object *task);

// Returns the bytes that the task has moved. Its destination has them now.
uint64_t bytes_completed(struct object *task);

// The same for jobs, whose buffers are in the record of the call that submits them. `to` is the
// buffer that gets a copy of the bytes, or NULL.
struct job_data {
    struct object *to;
    uint64_t count;
    bool replaces; // what is in `to`, as up to DOCA 1.5
};
struct job_data bytes_of_job(const struct reading *reading, unsigned parameter);
void bytes_job_completed(const struct job_data *bytes);

// Returns the bytes of the message that a call has sent or received, or that a callback is about;
// 0: it is about none.
uint64_t bytes_of_message(const struct reading *reading);

#endif
