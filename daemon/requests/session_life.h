// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes and frees sessions, and receives their requests.

#ifndef DAEMON_SESSION_LIFE_H
#define DAEMON_SESSION_LIFE_H

#include "message.h"

#include <stdbool.h>

struct connection;
struct node;
struct object_kind;
struct session;
struct user;

extern const struct object_kind session_kind;

// Called when a client has sent Hello: takes over the connection (with its charge on the user) and
// answers. If the client cannot be served, it gets an error and its connection is closed. Returns
// false if memory runs out: the caller keeps connection and charge.
bool session_accept(struct node *node, struct connection *connection, struct user *user,
                    uint64_t serial, const Docad__Hello *hello);

#endif
