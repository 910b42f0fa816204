// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Watches the kernel's events about devices and addresses, to detect when to scan the ibverbs
// devices again.

#ifndef DAEMON_VERBS_WATCH_H
#define DAEMON_VERBS_WATCH_H

#include <stdbool.h>

struct event_base;
struct verbs_watch;

enum verbs_news {
    VERBS_NEWS_NONE,
    VERBS_NEWS_CHANGED, // a device has come or changed
    VERBS_NEWS_REMOVED, // a device is removed: the kernel waits for processes that have it open
    VERBS_NEWS_ADDRESS, // an address of a network interface changed
};

typedef void (*verbs_news_fn)(void *arg, enum verbs_news news);

// Returns NULL if memory runs out. If the kernel does not let us receive its events, that is
// logged.
struct verbs_watch *verbs_watch_new(struct event_base *base, verbs_news_fn news, void *arg);
struct verbs_watch *verbs_watch_free(struct verbs_watch *watch); // takes NULL, returns NULL

// Reads the uevents that wait in a socket. If events were lost, the result includes every kind of
// change.
enum verbs_news verbs_watch_read(int fd);

#endif
