// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts of DOCA 3: what all libraries have in common, and what a library adds.
//
// A library embeds a struct doca_ctx as the first member of its own structure, and describes
// itself by a struct ctx_kind. The public functions of doca_ctx.h, doca_pe.h and the tasks are
// here, once for all. A context belongs to the thread of its engine; nothing here locks.
//
//     struct doca_x { struct doca_ctx ctx; ... };
//
//     doca_x_create()    context_init()
//     doca_x_destroy()   context_fini(), which refuses unless the context is idle
//     doca_x_as_ctx()    &x->ctx
//     doca_x_set_...()   context_configurable(), then the field
//     tasks              see task.h
//
// The states:
//
//     IDLE      doca_ctx_start() calls kind->start(). DOCA_SUCCESS: RUNNING.
//               DOCA_ERROR_IN_PROGRESS: STARTING, until the library calls context_started().
//     RUNNING   takes tasks. Their items run through kind->work, see queue/executor.h.
//     STOPPING  entered through doca_ctx_stop(), a task that fails (task_kind.fatal), or
//               context_fail(). kind->stop() begins what the library has to end besides tasks.
//               Tasks that are queued end with DOCA_ERROR_SHUTDOWN; those that wait (WORK_WAITING)
//               may be ended by kind->cancel(), and those that the library keeps (WORK_KEPT) by
//               kind->flush(); others are waited for. All come back through their callbacks.
//               On some cards it also waits for tasks that the program has not freed.
//     IDLE      once no task is in flight, no callback of the context runs, and the library has
//               ended, too. kind->stopped() releases what kind->start() took.
//
// From start to stop, ctx->link is open: it has the queue pairs for brokered bytes, the activity
// slot and the counts that touch.h and the moving of bytes need. ctx->link.in_flight is the number
// of tasks in flight. Before and after, the link has only what never changes.
//
// A library that waits for external events (for a connection, for messages) adds a work_source to
// the executor in start() and removes it in stopped(), and calls pe_hold() and pe_release() so that
// the source is polled although no task waits. The source's functions must not call the program;
// nor must execute() and progress(). They pe_post() an event. The event's deliver() may call the
// program, and the functions below that change the state.

#ifndef CLIENT_PROGRESS_CONTEXT_H
#define CLIENT_PROGRESS_CONTEXT_H

#include "core/alive.h"
#include "core/device_card.h"
#include "engine.h"
#include "task.h"

#define CONTEXT_TASK_KINDS_MAX 12

struct ctx_kind {
    const char *name; // of the library, as in "DMA context"; docactl counts by it
    // `prepare` may be NULL. If not, it is called when a task is submitted, with the job NULL; a
    // task that it refuses stays with the program. `finish` and `complete_on_event` are not used.
    struct work_ops work;
    const struct task_kind *tasks; // CONTEXT_TASK_KINDS_MAX at most
    uint32_t n_tasks;
    enum card_key most_tasks; // the card's limit of tasks of each kind; CARD_NONE: it has none
    // A start that succeeds immediately shows STARTING to the program before RUNNING. Programs of
    // some libraries expect that, programs of others report an error.
    bool shows_starting;
    // Any of these may be NULL.
    doca_error_t (*start)(struct doca_ctx *ctx, struct errtext *err);
    // DOCA_SUCCESS: only tasks have to end. DOCA_ERROR_IN_PROGRESS: something else, too, and
    // context_stopped() follows, not before this has returned.
    doca_error_t (*stop)(struct doca_ctx *ctx);
    // Ends an item of the executor's `waiting` list if that is possible now: WORK_DONE, with
    // item->error set.
    enum work_status (*cancel)(struct work_item *item);
    // Ends items that the library keeps, with executor_finish().
    void (*flush)(struct doca_ctx *ctx);
    void (*stopped)(struct doca_ctx *ctx);
    // For injected faults: breaks the connection of a completed task, as if the peer had ended.
    // Returns false if it has none.
    bool (*lose_peer)(struct doca_task *task);
};

struct doca_ctx {
    struct work_link link; // first, so that a completion finds its context without a load
    enum doca_ctx_states state;
    bool in_start;  // doca_ctx_start() is in progress, and calls the program
    bool in_ending; // the library has to end something besides tasks
    union doca_data user_data;
    doca_ctx_state_changed_callback_t state_changed;
    const struct ctx_kind *kind;
    struct doca_pe *pe; // or NULL: not connected
    struct doca_dev *device;
    struct task_pool pools[CONTEXT_TASK_KINDS_MAX];
    struct alive alive;
    bool stop_waits;       // of the card: for tasks that the program has not freed
    struct pe_event freed; // posted when the program has freed the last of them
};

// The most tasks of a kind that a context on this device can have.
static inline uint32_t context_most_tasks(const struct ctx_kind *kind, uint32_t type,
                                          const struct doca_dev *dev)
{
    uint32_t max = kind->tasks[type].max;
    return kind->most_tasks ? (uint32_t)dev_most(dev, kind->most_tasks, max) : max;
}

// `dev` may be NULL for a context without a device. It is held until context_fini().
void context_init(struct doca_ctx *ctx, const struct ctx_kind *kind, struct doca_dev *dev);

// DOCA_ERROR_IN_USE unless the context is idle; then nothing has changed. Frees its tasks, also
// those that the program still has, and disconnects from the engine. DOCA_ERROR_INVALID_VALUE if
// the context has been destroyed.
doca_error_t context_fini(struct doca_ctx *ctx, struct errtext *err);

// DOCA_ERROR_BAD_STATE unless the context is idle: for settings before start.
doca_error_t context_configurable(const struct doca_ctx *ctx, struct errtext *err);

// Ends STARTING successfully. Nothing happens in another state: the program may have stopped the
// context.
void context_started(struct doca_ctx *ctx);

// Stops a context that starts or runs, although the program has not requested it. It is idle soon.
void context_fail(struct doca_ctx *ctx);

// Call it when what kind->stop() began has ended. The context may be freed when this returns.
void context_stopped(struct doca_ctx *ctx);

// Makes a STOPPING context idle if nothing is left to wait for. It may be freed when this returns.
void context_settle(struct doca_ctx *ctx);

// Called when the program has freed the last task of a pool while the context does not run.
void context_task_freed(struct doca_ctx *ctx) __attribute__((noinline, cold));

static inline struct doca_ctx *context_of(struct work_link *link)
{
    return (struct doca_ctx *)link; // it begins with it
}

// Allocates a task of the pool; NULL if there is none, or the context does not run.
static inline struct doca_task *task_take(struct doca_ctx *ctx, uint32_t type,
                                          union doca_data user_data)
{
    struct task_pool *pool = &ctx->pools[type];
    struct work_item *item = pool->free;

    if (__builtin_expect(!item || ctx->state != DOCA_CTX_STATE_RUNNING, 0))
        return NULL;
    pool->free = item->next;
    pool->out++;
    item->user_data = user_data;
    item->error = DOCA_SUCCESS;
    item->state = TASK_HELD;
    return task_of(item);
}

#endif
