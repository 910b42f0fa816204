// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad as a service: signals, the watchdog of the service manager, and what the manager
// shows as the status.

#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include <stdbool.h>

struct config;
struct event_base;
struct node;

// Reads the configuration again into *config. False, and it has said why, if it is wrong.
typedef bool (*service_reread_fn)(void *arg, struct config *config);

// Tells the manager that docad is ready, catches SIGTERM and SIGINT, which end the node's
// loop, and SIGHUP, which has the configuration read again. False if memory is short.
bool service_start(struct node *node, service_reread_fn reread, void *arg);
void service_stop(void);

// As SIGHUP does. False if the configuration stays as it was.
bool service_reload(struct node *node);

// What the node serves has changed: the status will say so, soon.
void service_changed(struct node *node);

#endif
