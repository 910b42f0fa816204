// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The two modes of a sync event side by side: calls that block, and jobs on a work queue whose
// event handle the program sleeps on.

#ifndef EXAMPLES_COMMON_EVENT_MODE_H
#define EXAMPLES_COMMON_EVENT_MODE_H

#include <doca_ctx.h>
#include <doca_sync_event.h>

#include <stdbool.h>
#include <stdint.h>

struct event_mode {
    struct doca_sync_event *event;
    struct doca_ctx *ctx; // NULL: synchronous
    struct doca_workq *workq;
    doca_event_handle_t handle;
};

void event_start(struct event_mode *mode, struct doca_sync_event *event, bool asynchronous);
void event_set(struct event_mode *mode, uint64_t value);
uint64_t event_add(struct event_mode *mode, uint64_t value); // returns the old value
void event_wait_gt(struct event_mode *mode, uint64_t value);

// Stops and destroys the event.
void event_end(struct event_mode *mode);

#endif
