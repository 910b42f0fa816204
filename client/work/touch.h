// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How the threads of this process touch mapped bytes of imported memory: each step begins by
// publishing that and checking that it is still allowed, and ends by publishing the end
// (activity.h). So no byte moves after a revocation has returned. Memory of this process costs only
// a check whether it is imported.

#ifndef CLIENT_WORK_TOUCH_H
#define CLIENT_WORK_TOUCH_H

#include "activity.h"
#include "buf/buf.h"
#include "queue/executor.h"

// Call touch_end() soon, because revocations wait for it, with at most DMA_STEP bytes in
// between. For one memory only, pass it twice. On failure returns the error of the job;
// nothing has begun.
static inline __attribute__((always_inline)) doca_error_t
touch_begin_at(struct activity_slot *slot, const struct memory *from, const struct memory *to)
{
    if (!from->imported && !to->imported)
        return DOCA_SUCCESS;
    activity_enter(slot, from->import_id, to->import_id);
    doca_error_t r = memory_state(from);
    if (r == DOCA_SUCCESS)
        r = memory_state(to);
    if (__builtin_expect(r != DOCA_SUCCESS, 0))
        activity_leave(slot);
    return r;
}

static inline void touch_end_at(struct activity_slot *slot, const struct memory *from,
                                const struct memory *to)
{
    if (from->imported || to->imported)
        activity_leave(slot);
}

// The same in the thread of the link's executor.
static inline __attribute__((always_inline)) doca_error_t
touch_begin(const struct work_link *link, const struct memory *from, const struct memory *to)
{
    return touch_begin_at(link->activity, from, to);
}

static inline void touch_end(const struct work_link *link, const struct memory *from,
                             const struct memory *to)
{
    touch_end_at(link->activity, from, to);
}

#endif
