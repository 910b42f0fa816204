// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the threads of this process do with mapped bytes of imported memory: each step
// begins with telling docad and looking whether it is still allowed, and ends with
// telling docad. So a revocation that has returned is one after which no byte moves.
// Memory of this process costs nothing but a look at whether it is imported.

#ifndef CLIENT_WORK_TOUCH_H
#define CLIENT_WORK_TOUCH_H

#include "activity.h"
#include "buf/buf.h"
#include "queue/executor.h"

// Call touch_end() soon: revocations wait for it. DMA_STEP bytes at most in between.
// One memory only: give it twice. On failure, what the job fails with; nothing has begun.
static inline __attribute__((always_inline)) doca_error_t
touch_begin(const struct work_link *link, const struct memory *from, const struct memory *to)
{
    if (!from->imported && !to->imported)
        return DOCA_SUCCESS;
    activity_enter(link->activity, from->import_id, to->import_id);
    doca_error_t r = memory_state(from);
    if (r == DOCA_SUCCESS)
        r = memory_state(to);
    if (__builtin_expect(r != DOCA_SUCCESS, 0))
        activity_leave(link->activity);
    return r;
}

static inline void touch_end(const struct work_link *link, const struct memory *from,
                             const struct memory *to)
{
    if (from->imported || to->imported)
        activity_leave(link->activity);
}

#endif
