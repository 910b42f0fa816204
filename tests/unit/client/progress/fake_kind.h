// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A library of the tests: contexts that start, run and stop as a test says.

#ifndef TESTS_FAKE_KIND_H
#define TESTS_FAKE_KIND_H

#include "fake_core.h"
#include "progress/context.h"

enum { FAKE_PLAIN, FAKE_FATAL }; // kinds of tasks: both may fail, the second with its context

// What a task does: its first byte.
enum fake_way {
    FAKE_DONE,  // at once
    FAKE_FAILS, // at once
    FAKE_WAITS, // until fake_let_go; it can be cancelled
    FAKE_STAYS, // the same, but cannot
    FAKE_KEPT,  // by the library, until it is flushed, or fake_finish_kept()
};

struct fake {
    struct doca_ctx ctx;
    struct pe_event event;
    struct work_source source;
    bool in_list;
    struct work_item *kept[8];
    unsigned n_kept;
    // What happened.
    unsigned starts, stops, stopped, polls, delivered;
    char states[128]; // as "IRSI": each change of state, first the state before
};

struct fake_settings {
    doca_error_t start, stop, prepare;
    const struct doca_ctx *takes_all; // what `prepare` is not about
    bool eager;
};

extern struct fake_settings fake_settings; // for all contexts
extern bool fake_let_go;
extern void (*fake_on_event)(struct fake *fake);
extern void (*fake_on_poll)(struct fake *fake);

struct fake *fake_new(struct doca_pe *pe, uint32_t n_tasks); // configured, connected unless NULL
struct fake *fake_new_started(struct doca_pe *pe, uint32_t n_tasks);
void fake_free(struct fake *fake);
void fake_finish_kept(struct fake *fake);

// Polled while the engine is held.
void fake_add_source(struct fake *fake);
void fake_remove_source(struct fake *fake);

struct doca_task *fake_task(struct fake *fake, uint32_t type, enum fake_way way, uint64_t id);
struct doca_task *fake_submit(struct fake *fake, uint32_t type, enum fake_way way, uint64_t id);
void fake_set_way(struct doca_task *task, enum fake_way way);

// What callbacks did: the ids of tasks, upper case for success: 1 is 'A' or 'a'.
extern char fake_log[256];
extern void (*fake_on_done)(struct doca_task *task);
void fake_done(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);
void fake_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);
extern void (*fake_on_state)(struct fake *fake, enum doca_ctx_states next);
void fake_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                enum doca_ctx_states next);

enum doca_ctx_states fake_state_of(struct fake *fake);
void fake_reset(void);

#endif
