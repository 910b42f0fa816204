// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What every library's context has in common: its device, its state, and the work
// queues attached to it. A library embeds a doca_ctx and gives it a table.
//
// Contexts are thread safe: a mutex guards the control path. The data path never looks at a
// context, only at the links of work queues.

#ifndef CLIENT_WORK_CTX_H
#define CLIENT_WORK_CTX_H

#include "core/alive.h"
#include "core/device_card.h"
#include "queue/executor.h"

#include <doca_ctx.h>
#include <pthread.h>

#define CTX_MAX 4096 // contexts in a process

struct ctx_ops {
    const char *name;
    bool takes_device; // the context takes one device, and does not start without it
    bool event_driven;
    enum card_key needs; // what the device's card must have; CARD_NONE: nothing
    // Returns NOT_SUPPORTED, with the reason, if the device lacks something. May be NULL.
    doca_error_t (*check_device)(const struct doca_dev *dev, struct errtext *err);
    // Called when the context starts, and stops. Either may be NULL. The context is locked.
    doca_error_t (*start)(struct doca_ctx *ctx, struct errtext *err);
    void (*stop)(struct doca_ctx *ctx);
    // For contexts that take no device: returns the session whose docad counts their work. May be
    // NULL.
    const struct doca_dev *(*counting_device)(const struct doca_ctx *ctx);
    // Called when a work queue is attached, and removed: for the library's data in
    // link->state. Either may be NULL. The context is locked.
    doca_error_t (*attach)(struct work_link *link, struct errtext *err);
    void (*detach)(struct work_link *link);
    // Called before that if jobs are in flight: drops those that may be dropped without an event.
    // NULL: none may. The context is locked.
    void (*discard)(struct work_link *link);
    struct work_ops work;
};

struct doca_ctx {
    const struct ctx_ops *ops;
    pthread_mutex_t lock;
    bool started;
    struct doca_dev *device; // or NULL
    uint32_t n_workqs;
    struct alive alive;
};

// Returns NO_MEMORY if the process has CTX_MAX contexts.
doca_error_t ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct errtext *err);

// Returns IN_USE while work queues are attached, and then nothing is changed. Allowed in any
// other state. INVALID_VALUE if the context has ended.
doca_error_t ctx_fini(struct doca_ctx *ctx, struct errtext *err);

// The same for libraries whose contexts are no more than that, in the name of the public function
// that is called: failures are reported.
doca_error_t ctx_new(const char *function, const struct ctx_ops *ops, struct doca_ctx **ctx);
doca_error_t ctx_free(const char *function, struct doca_ctx *ctx);

#endif
