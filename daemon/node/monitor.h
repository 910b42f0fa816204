// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tools that follow what happens. One that does not read costs only itself: events that do
// not fit are counted, and it is told how many it has lost. Events are sent when it is the turn of
// the tool's user (turns.h), so that many tools do not hold up anybody else either.

#ifndef DAEMON_MONITOR_H
#define DAEMON_MONITOR_H

#include "errtext.h"
#include "list.h"
#include "turns.h"

#include <stdbool.h>
#include <stdint.h>

struct monitor_log;
struct node;
struct session;

// The monitor of a session that follows events.
struct monitor {
    bool on;
    struct list in_node;
    struct turn turn;
    uint64_t next; // the number of the first event that it has not looked at
    uint64_t lost; // since the last event that was sent
};

// An event. Unused members are 0 or NULL.
struct monitor_event {
    const char *event; // "export-begin"; a literal
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

// False if memory runs out.
bool monitor_begin(struct session *session);
void monitor_end(struct session *session);

#endif
