// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events in tests: the jobs of processes that own an event and of those that import it, in
// either mode. Anything that goes wrong fails the test.

#ifndef INTEGRATION_EVENTS_H
#define INTEGRATION_EVENTS_H

#include "child.h"
#include "client.h"

#include <doca_sync_event.h>

struct jobs {
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    doca_event_handle_t handle; // -1: polling
};

// How an owner and an importer are made.
struct plan {
    bool asynchronous, event_driven, own_memory;
    unsigned offset; // of the application's memory from an address aligned to a page
};

struct owner {
    struct doca_dev *dev;
    struct doca_sync_event *event;
    struct jobs jobs;
    uint8_t *memory;
};

#define EVENT_PLANS 9
// The first three plans use no memory of the application, the others do. From the seventh on it
// is not aligned: it lies within a cache line, in two lines, or in two pages.
extern const struct plan event_plans[EVENT_PLANS];

void jobs_open(struct jobs *j, struct doca_sync_event *event, bool event_driven);

void jobs_close(struct jobs *j);

struct doca_job job_base(struct jobs *j, int type);

// Waits for the next event in the work queue's mode and returns its result.
doca_error_t jobs_next(struct jobs *j, int type);

void job_submit_wait(struct jobs *j, uint64_t value, uint64_t mask);

doca_error_t job_set(struct jobs *j, uint64_t value);

uint64_t job_add(struct jobs *j, uint64_t value);

uint64_t job_get(struct jobs *j);

void owner_open(struct owner *o, const struct plan *plan, struct child *self);

void owner_close(struct owner *o, const struct plan *plan);

void importer_open(struct owner *o, const struct plan *plan, struct child *self);

void owner_await_gt(struct owner *o, const struct plan *plan, uint64_t value);

void owner_set(struct owner *o, const struct plan *plan, uint64_t value);

uint64_t owner_add(struct owner *o, const struct plan *plan, uint64_t value);

uint64_t owner_get(struct owner *o, const struct plan *plan);

void hand_over(struct child *from, struct child *to);

#endif
