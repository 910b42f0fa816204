// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events for importers that cannot map them, because they are on another machine: the engine
// changes the counter in place and wakes the threads that wait for it.

#ifndef DAEMON_ENGINE_EVENT_H
#define DAEMON_ENGINE_EVENT_H

#include "sync_page.h"

#include <stdbool.h>
#include <sys/types.h>

#define ENGINE_EVENT_FDS 1 // the number of descriptors that it keeps

struct engine_event {
    struct sync_page *page;
    int timer;
    bool counter_in_page; // otherwise it is in the application's memory
    uid_t uid;            // uid of the owner
};

// Maps the page, a memory file that was checked, and duplicates the timer. 0 or -errno.
int engine_event_new(struct engine_event **out, const int fds[2], bool counter_in_page, uid_t uid);
struct engine_event *engine_event_free(struct engine_event *event); // takes NULL, returns NULL

// The counter, if all users of the event change it by atomic instructions; else NULL.
static inline _Atomic uint64_t *engine_event_counter(const struct engine_event *event)
{
    return event && event->counter_in_page ? &event->page->value : NULL;
}

// Called after the counter has changed.
static inline void engine_event_changed(const struct engine_event *event)
{
    if (event)
        sync_page_wake(event->page, event->timer);
}

#endif
