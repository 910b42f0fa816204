// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A session's activity page (common/activity.h), and waiting until none of its threads uses an
// import that has ended.

#ifndef DAEMON_ACTIVITY_PAGE_H
#define DAEMON_ACTIVITY_PAGE_H

#include "activity.h"
#include "list.h"

#include <stdbool.h>

struct event;
struct event_base;
struct node;
struct session;

struct activity_page {
    const struct session *session; // for logs
    const struct activity *shared; // NULL: there is none yet
    bool has_more;                 // it has the slots behind the first ones
    int fd; // for the client; -1 before there is a page, and after it was sent
    struct event *timer;
    struct list waits;
};

// Embedded in the object that is waited for.
struct activity_wait {
    struct list in_page;
    struct activity_page *page;
    uint64_t import;
    uint64_t busy[(ACTIVITY_FIRST_SLOTS + 63) /
                  64]; // threads that were using it and have not left since
    uint64_t until_ms;
    void (*left)(void *arg); // NULL: no request waits
    void *arg;
};

// Makes the page of a session, which has none at first. Returns 0 or -errno.
int activity_page_init(struct activity_page *page, struct event_base *base,
                       const struct session *session);

// Continues with the page that a session already has; takes over `fd` on success.
int activity_page_restore(struct activity_page *page, struct event_base *base,
                          const struct session *session, int fd);

// No wait may be pending.
void activity_page_fini(struct activity_page *page);

// Called after the import's state was changed: calls left(arg) when no thread uses it any more,
// which may be before this returns, or on timeout. No thread uses any before there is a page.
void activity_page_wait(struct activity_page *page, struct activity_wait *wait, uint64_t import,
                        void (*left)(void *arg), void *arg);

// The end of many imports takes one barrier: activity_page_wait() checks the threads at the end of
// the outermost batch, or outside of one at the end of this turn of the loop.
void activity_batch_begin(struct node *node);
void activity_batch_end(struct node *node);

// Called when a node ends.
void activity_batches_end(struct node *node);

// Called when the import or its session ends: a pending wait ends now, with a call of left().
void activity_wait_end(struct activity_wait *wait);

#endif
