// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the kernel says of devices and addresses: it only says whether to look at the
// ibverbs devices again.

#ifndef DAEMON_VERBS_WATCH_H
#define DAEMON_VERBS_WATCH_H

#include <stdbool.h>

struct event_base;
struct verbs_watch;

enum verbs_news {
    VERBS_NEWS_NONE,
    VERBS_NEWS_CHANGED, // a device has come, or differs
    VERBS_NEWS_REMOVED, // one goes: the kernel waits for whoever has it open
    VERBS_NEWS_ADDRESS, // of a network interface
};

typedef void (*verbs_news_fn)(void *arg, enum verbs_news news);

// NULL if memory is short. What the kernel does not let us hear is told in the log.
struct verbs_watch *verbs_watch_new(struct event_base *base, verbs_news_fn news, void *arg);
struct verbs_watch *verbs_watch_free(struct verbs_watch *watch); // takes NULL, returns NULL

// Takes the uevents that wait in a socket. News that were lost are news of everything.
enum verbs_news verbs_watch_read(int fd);

#endif
