// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs and tasks of sync events, as an executor's items.

#ifndef CLIENT_SYNC_EVENT_SE_JOB_H
#define CLIENT_SYNC_EVENT_SE_JOB_H

#include "sync_event.h"

struct se_job {
    struct se_request request; // for a wait, `value` is the threshold
    uint64_t mask;
    uint64_t *out; // may be NULL
    enum se_condition condition;
    bool fresh;   // the counter was read since the last wake-up
    bool flushed; // a wait that must end
    bool last;    // when it was last read, no process could change the counter any more
};

_Static_assert(sizeof(struct se_job) <= WORK_JOB_SIZE, "fits an item");

static inline struct se_job *se_job_of(struct work_item *item)
{
    return (struct se_job *)item->job;
}

// For work_ops.
enum work_status se_execute(struct work_item *item);

// Takes what items of the event need at the link's executor, and gives it back.
doca_error_t se_attach(struct work_link *link, struct doca_sync_event *event, struct errtext *err);
void se_detach(struct work_link *link);

// Ends waits with DOCA_ERROR_SHUTDOWN: immediately, or when the engine has answered the pending
// request.
void se_flush(struct work_link *link);

#endif
