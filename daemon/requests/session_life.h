// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How sessions come and go, and how their requests arrive.

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

// A client has said Hello: takes the connection over (with its charge on the user) and
// answers. If the client cannot be served it is told and its connection closed. False if
// memory is short: connection and charge stay the caller's.
bool session_accept(struct node *node, struct connection *connection, struct user *user,
                    uint64_t serial, const Docad__Hello *hello);

// Takes NULL, returns NULL.
struct session *session_free(struct session *session);

#endif
