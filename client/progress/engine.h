// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The progress engine of DOCA 3: an executor whose items are tasks, and events of contexts.
//
// doca_pe_progress() does one thing a call: it delivers an event, or moves work on until a task is
// done and calls the program. An event is a notification of a context to the program other than the
// end of a task: a connection, a message, a change of its state. Where a context detects that, the
// program must not be called, because the engine is in the middle of something; it posts an event
// there, and the engine delivers it soon.

#ifndef CLIENT_PROGRESS_ENGINE_H
#define CLIENT_PROGRESS_ENGINE_H

#include "core/alive.h"
#include "queue/executor.h"

#include <doca_ctx.h>
#include <doca_pe.h>

// Embedded in the object that it is about.
struct pe_event {
    struct pe_event *next;
    bool posted;
    // May call the program, post the event again (if there is more to deliver), and free it.
    void (*deliver)(struct pe_event *event);
};

struct doca_pe {
    struct executor executor;
    struct doca_ctx *current; // the context whose callback runs; no_context for an event
    struct pe_event *events, **events_tail;
    bool work_next;     // an event was delivered: a task is next
    bool was_empty;     // set by deliver(): there was nothing to do, and the event was posted again
    bool clears_itself; // DOCA_PE_EVENT_MODE_PROGRESS_ALL
    uint32_t n_contexts; // connected
    struct alive alive;
};

// Queues the event for delivery, once, if it was not posted already. For the engine's thread.
void pe_post(struct doca_pe *pe, struct pe_event *event);

// Withdraws an event that is about to be freed; it need not be posted.
void pe_withdraw(struct doca_pe *pe, struct pe_event *event);

// While a context holds the engine, the executor's sources are polled even if no task waits. For
// contexts that wait for external events: for a connection, for messages.
static inline void pe_hold(struct doca_pe *pe)
{
    pe->executor.kept++;
}

static inline void pe_release(struct doca_pe *pe)
{
    pe->executor.kept--;
}

#endif
