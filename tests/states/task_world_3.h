// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tables of the computing libraries stand on: a device, an engine, a source and a
// destination, and the states that a context and its tasks go through.

#ifndef STATES_TASK_WORLD_3_H
#define STATES_TASK_WORLD_3_H

#include "tables.h"

#include <doca_pe.h>

#define SOURCE_SIZE      256u // of data
#define DESTINATION_SIZE 512u // of room

struct task_world {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    uint8_t memory[SOURCE_SIZE + DESTINATION_SIZE];
};

extern struct task_world tw;

// All but a context.
void task_world_make(void);
void task_world_end(void);

// A library: its context, of which there is one at a time, and the tasks of it.
struct task_library {
    struct doca_ctx *(*ctx)(void); // NULL while there is none
    void (*create)(void);          // the context, and what its tasks need
    void (*configure)(void);
    void (*allocate)(void);
    void (*submit)(void); // all of the tasks
    void (*free)(void);
    void (*destroy)(void); // the context if there is one, and what its tasks needed
};

enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED }; // of a context
// clang-format off
#define CONTEXT_STATES {"made", "connected", "running", "busy", "stopped"}
// clang-format on

enum { ALLOCATED, IN_FLIGHT, DONE, FREED }; // of tasks
// clang-format off
#define TASK_STATES {"allocated", "in flight", "done", "freed"}
// clang-format on

void task_library_enter(const struct task_library *library, unsigned state);
void task_library_enter_tasks(const struct task_library *library, unsigned state);
void task_library_leave(const struct task_library *library);

// What the groups of a library call: enter_ctx(), enter_task() and leave(), by functions of these
// names.
#define TASK_LIBRARY                                                                               \
    static const struct task_library library = {ctx,    create,     configure, allocate,           \
                                                submit, free_tasks, destroy};                      \
                                                                                                   \
    static void enter_ctx(unsigned state)                                                          \
    {                                                                                              \
        task_library_enter(&library, state);                                                       \
    }                                                                                              \
                                                                                                   \
    static void enter_task(unsigned state)                                                         \
    {                                                                                              \
        task_library_enter_tasks(&library, state);                                                 \
    }                                                                                              \
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
