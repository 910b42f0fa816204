// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tools that follow what happens. One that does not read costs only itself: events that do
// not fit are counted, and it is told how many it has lost.

#ifndef DAEMON_MONITOR_H
#define DAEMON_MONITOR_H

#include "errtext.h"

#include <stdbool.h>
#include <stdint.h>

struct node;
struct session;
struct user;

// The monitor of a session that follows events.
struct monitor {
    bool on;
    uint64_t lost; // since the last event that was sent
};

// An event. Unused members are 0 or NULL.
struct monitor_event {
    const char *event; // "export-begin"
    uint64_t id;       // id of the object
    uint64_t export_id;
    const struct session *owner; // the owner: only root and docad's uid see events of other users
    bool for_all;                // it belongs to nobody: everybody sees it
    const char *name, *text;
    uint64_t bytes;
    doca_error_t code;
};

// Cheap while no tool follows.
void monitor_tell(struct node *node, const struct monitor_event *event);

#define MONITOR(node, ...) monitor_tell(node, &(const struct monitor_event){__VA_ARGS__})

void monitor_begin(struct session *session);
void monitor_end(struct session *session);

#endif
