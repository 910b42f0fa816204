// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tables of contexts stand on: a device, a work queue or an engine, a source and a
// destination, and the states that a context and its tasks go through.

#ifndef STATES_TASK_WORLD_H
#define STATES_TASK_WORLD_H

#include "objects.h"

#if GENERATION == 3
#include <doca_pe.h>
#endif

#define SOURCE_SIZE      256u // of data
#define DESTINATION_SIZE 512u // of room
#define QUEUE_DEPTH      16u
#define TASKS_MAX        6

struct task_world {
    struct doca_dev *dev;
    struct doca_workq *workq; // before DOCA 3
    struct doca_pe *pe;       // of DOCA 3
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_task *tasks[TASKS_MAX]; // of DOCA 3
    unsigned n_tasks;
    uint8_t memory[SOURCE_SIZE + DESTINATION_SIZE];
};

extern struct task_world tw;

// All but a context.
void task_world_make(void);
void task_world_end(void);

// A library: its context, of which there is one at a time, and the tasks of it.
struct task_library {
    struct doca_ctx *(*ctx)(void);    // NULL while there is none
    void (*create)(void);             // the context, and what its tasks need
    void (*configure)(void);          // of DOCA 3: the tasks
    void (*allocate)(void);           // of DOCA 3: a task of each kind, in tw.tasks
    const struct lifetime *lifetimes; // the context, and then what its tasks need
};

// Of a context. Before DOCA 3 it starts, and then runs jobs of a work queue.
enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED, STARTED };
#define CONTEXT_STATES                                                                             \
    "made", EITHER("", "connected"), "running", EITHER("", "busy"), EITHER("", "stopped"),         \
        EITHER("started", "")

enum { ALLOCATED, IN_FLIGHT, DONE, FREED }; // of tasks
#define TASK_STATES "allocated", "in flight", "done", "freed"

void task_library_enter(const struct task_library *library, unsigned state);
void task_library_enter_tasks(const struct task_library *library, unsigned state);
void task_library_leave(const struct task_library *library);

// What the groups of a library call: enter_ctx(), enter_task() and leave(), by functions and a
// table of these names.
#define TASK_LIBRARY                                                                               \
    static const struct task_library library = {                                                   \
        .ctx = ctx,                                                                                \
        .create = create,                                                                          \
        OF_3(.configure = configure, .allocate = allocate, ).lifetimes = lifetimes};               \
                                                                                                   \
    static void enter_ctx(unsigned state)                                                          \
    {                                                                                              \
        task_library_enter(&library, state);                                                       \
    }                                                                                              \
                                                                                                   \
    OF_3(static void enter_task(unsigned state) { task_library_enter_tasks(&library, state); })    \
                                                                                                   \
    static void leave(void)                                                                        \
    {                                                                                              \
        task_library_leave(&library);                                                              \
    }

// group.argument for a device and for buffers called src_... and dst_....
enum given task_world_argument(const char *param, uint64_t *value);

// A callback of a task that does nothing.
#define TASK_CALLBACK(name, task_type)                                                             \
    static void name(struct task_type *task, union doca_data data, union doca_data ctx_data)       \
    {                                                                                              \
        (void)task;                                                                                \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
    }

#endif
