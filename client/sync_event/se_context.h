// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A sync event of the 2.2 interface: with a context that work queues are added to.

#ifndef CLIENT_SYNC_EVENT_SE_CONTEXT_H
#define CLIENT_SYNC_EVENT_SE_CONTEXT_H

#include "sync_event.h"
#include "work/ctx.h"

#include <doca_sync_event.h>

struct se_context {
    struct doca_sync_event event; // first: the public functions take it
    struct doca_ctx ctx;
};

static inline struct se_context *se_context_of(struct doca_sync_event *event)
{
    return (struct se_context *)event;
}

doca_error_t se_context_new(struct se_context **out, struct errtext *err);
// Its context has no work queues.
void se_context_free(struct se_context *context);

#endif
