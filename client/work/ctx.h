// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What every library's context has in common: its device, its state, and the work
// queues attached to it. A library embeds a doca_ctx and gives it a table.
//
// Contexts are thread safe: a mutex on the control path. The data path never looks at a
// context, only at the links that work queues keep.

#ifndef CLIENT_WORK_CTX_H
#define CLIENT_WORK_CTX_H

#include "core/device.h"
#include "queue/executor.h"

#include <doca_ctx.h>
#include <pthread.h>

#define CTX_MAX 4096 // contexts of a process

struct ctx_ops {
    const char *name;
    bool takes_device; // one, without which it does not start
    bool event_driven;
    // NOT_SUPPORTED, with the reason, if the device lacks something. May be NULL.
    doca_error_t (*check_device)(const struct doca_dev *dev, struct errtext *err);
    // The context starts, and stops. Either may be NULL. The context is locked.
    doca_error_t (*start)(struct doca_ctx *ctx, struct errtext *err);
    void (*stop)(struct doca_ctx *ctx);
    // Of contexts that take no device: the one whose docad is told what they do. May be NULL.
    const struct doca_dev *(*counting_device)(const struct doca_ctx *ctx);
    // A work queue comes, and goes: for what the library keeps in link->state. Either
    // may be NULL. The context is locked.
    doca_error_t (*attach)(struct work_link *link, struct errtext *err);
    void (*detach)(struct work_link *link);
    // Before, if jobs are in flight: those that may be forgotten without an event go. NULL:
    // none may. The context is locked.
    void (*discard)(struct work_link *link);
    struct work_ops work;
};

struct doca_ctx {
    const struct ctx_ops *ops;
    pthread_mutex_t lock;
    bool started;
    struct doca_dev *device; // or NULL
    uint32_t n_workqs;
};

// NO_MEMORY if the process has CTX_MAX contexts.
doca_error_t ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct errtext *err);

// IN_USE while work queues are attached, and then nothing is changed. Any other state
// will do.
doca_error_t ctx_fini(struct doca_ctx *ctx, struct errtext *err);

#endif
