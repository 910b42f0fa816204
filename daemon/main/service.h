// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad as a service: signals, the service manager's watchdog, and the status that the manager
// shows.

#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include <stdbool.h>

struct config;
struct event_base;
struct node;

// Reads the configuration again into *config. False, after logging the reason, if the
// configuration is wrong.
typedef bool (*service_reread_fn)(void *arg, struct config *config);

// Catches SIGTERM and SIGINT, which end the node's loop, and SIGHUP, which makes docad read the
// configuration again. Returns false if memory runs out.
bool service_start(struct node *node, service_reread_fn reread, void *arg);

// Reports to the manager that docad is ready: it listens on all its sockets.
void service_ready(void);

void service_stop(void);

// Reloads as SIGHUP does. Returns false if the configuration stays unchanged.
bool service_reload(struct node *node);

// Called when the functions or objects that the node serves have changed: the status will show that
// soon.
void service_changed(struct node *node);

#endif
