// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tools that follow events. An event concerns the tools of its owner's user, and those of root and
// of docad's uid; it costs nothing for other tools. Events are sent in turns of the tool's user
// (loop_sched.h). Those that do not fit are counted, and the tool is informed of how many it has
// lost. A user has a limited number of such tools, and is charged for what they may queue.

#ifndef DAEMON_MONITOR_H
#define DAEMON_MONITOR_H

#include "errtext.h"
#include "list.h"
#include "loop_sched.h"

#include <stdbool.h>
#include <stdint.h>

struct monitor_log;
struct node;
struct session;

// The monitor of a session that follows events.
struct monitor {
    bool on;
    struct list in_node;
    struct list in_user; // of its user, or of the node if it is privileged
    struct sched_item turn;
    uint64_t next;  // the number of the first event that it has not read
    uint64_t due;   // events from there on that it may see
    uint64_t lost;  // since the last event that was sent
    uint64_t bytes; // charged for what may be queued
};

// An event. Unused members are 0 or NULL.
struct monitor_event {
    const char *event; // "export-begin"; a literal
    uint64_t id;       // id of the object
    uint64_t export_id;
    const struct session *owner; // the owner: only root and docad's uid see events of other users
    bool for_all;                // it has no owner: all users see it
    const char *name, *text;
    uint64_t bytes;
    doca_error_t code;
};

// Cheap while no tool follows.
void monitor_notify(struct node *node, const struct monitor_event *event);

#define MONITOR(node, ...) monitor_notify(node, &(const struct monitor_event){__VA_ARGS__})

// DOCA_ERROR_NO_MEMORY: the user has as many as it may have, or memory runs out.
doca_error_t monitor_begin(struct session *session, struct errtext *err);
void monitor_end(struct session *session);

#endif
