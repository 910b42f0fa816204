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

enum verbs_change {
    VERBS_CHANGE_NONE,
    VERBS_CHANGE_CHANGED, // a device has come or changed
    VERBS_CHANGE_REMOVED, // a device is removed: the kernel waits for processes that have it open
    VERBS_CHANGE_ADDRESS, // an address of a network interface changed
};

typedef void (*verbs_change_fn)(void *arg, enum verbs_change change);

// Returns NULL if memory runs out. If the kernel does not let us receive its events, that is
// logged.
struct verbs_watch *verbs_watch_new(struct event_base *base, verbs_change_fn change, void *arg);
struct verbs_watch *verbs_watch_free(struct verbs_watch *watch); // takes NULL, returns NULL

// Reads the uevents that wait in a socket. If events were lost, the result includes every kind of
// change.
enum verbs_change verbs_watch_read(int fd);

#endif
