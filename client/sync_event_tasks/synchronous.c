// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The calls of synchronous mode.

#include "core/refused.h"
#include "sync_event/sync_event.h"

#include <doca_sync_event.h>

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    if (__builtin_expect(!event || !value, 0))
        return REFUSED_NULL(event, value);
    return se_get(__func__, event, value);
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    if (__builtin_expect(!event, 0))
        return REFUSED_NULL(event);
    return se_update_set(__func__, event, value);
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    if (__builtin_expect(!event || !fetched, 0))
        return REFUSED_NULL(event, fetched);
    return se_update_add(__func__, event, value, fetched);
}

#define WAIT(name, condition, yield)                                                               \
    doca_error_t doca_sync_event_wait_##name(struct doca_sync_event *event, uint64_t value,        \
                                             uint64_t mask)                                        \
    {                                                                                              \
        if (__builtin_expect(!event, 0))                                                           \
            return REFUSED_NULL(event);                                                            \
        return se_wait(__func__, event, condition, value, mask, yield);                            \
    }

WAIT(gt, SE_GT, false)
WAIT(gt_yield, SE_GT, true)
WAIT(eq, SE_EQ, false)
WAIT(eq_yield, SE_EQ, true)
WAIT(neq, SE_NEQ, false)
WAIT(neq_yield, SE_NEQ, true)
