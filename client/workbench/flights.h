// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks and jobs in flight: from their submission until the program has got their completion. The
// caller holds registry_lock.

#ifndef WORKBENCH_FLIGHTS_H
#define WORKBENCH_FLIGHTS_H

#include "buffers.h"
#include "workbench.h"

struct source {
    struct stretch bytes;
    uint64_t sum; // sources.h
    bool summed;
};

// A buffer behind the first one of a list.
struct member {
    struct entry *buffer;
    enum buffer_use use;
};

struct flight {
    struct flight *next, *previous;
    struct entry *task;    // NULL: a job
    struct entry *queue;   // of a job: its work queue
    struct entry *context; // or NULL
    const char *type;      // "dma_task_memcpy", "dma_job_memcpy"
    int job;
    uint64_t user_data;                          // of a job
    struct entry *buffers[BUFFERS_MAX], *matrix; // of a list the first one
    const struct function *by;
    struct stack submitted;
    bool keeps_order;     // among those of its context
    bool writes_remotely; // its destination is memory of the other side
    bool is_atomic;
    bool may_write_anywhere; // what it writes to is not known
    bool may_be_disturbed;   // another task may change its sources
    uint64_t source_bytes;   // UINT64_MAX: not known
    unsigned source_count, written_count, room_count;
    struct source *sources;
    struct stretch *written; // what it writes to for certain if it succeeds
    struct stretch *room;    // what it may write to
    unsigned member_count;
    struct member *members; // of its lists
};

extern struct flight *flights; // newest first
extern unsigned flight_count;

// Gets a buffer of the task (or NULL) and its use, by number: first the BUFFERS_MAX that the task
// has by itself, then the members of its lists. Returns false behind the last one.
static inline bool flight_buffer(const struct flight *flight, unsigned number,
                                 struct member *buffer)
{
    if (number < BUFFERS_MAX)
        *buffer = (struct member){flight->buffers[number], (enum buffer_use)(number + 1)};
    else if (number - BUFFERS_MAX < flight->member_count)
        *buffer = flight->members[number - BUFFERS_MAX];
    else
        return false;
    return true;
}

// Describes a task, or the job that is the second argument of the call, which is about to be
// submitted. Returns NULL if there is no memory, or no job. flight_add() or flight_drop() takes it.
struct flight *flight_of_task(const struct call *call, struct entry *task);
struct flight *flight_of_job(const struct call *call, struct entry *queue);
void flight_drop(struct flight *flight);

// The task is in flight from now on.
void flight_add(struct flight *flight);
// Ends the flight of the task.
void flight_end(struct flight *flight);

// The oldest job of a work queue with this type and user data, or the newest one; NULL: none.
struct flight *flight_find_job(const struct entry *queue, int job, uint64_t user_data, bool newest);
// Ends all flights of a work queue, or all there are if it is NULL.
void flights_end_all(const struct entry *queue);

#endif
