// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef DAEMON_SESSION_END_H
#define DAEMON_SESSION_END_H

struct node;
struct session;

#define SESSION_END_STEPS 16 // objects that end in one piece

// Ends a session whose connection has ended. What it owns is of no use to others from now on, and
// goes now, or in pieces in turns of its user. Takes NULL, returns NULL.
struct session *session_free(struct session *session);

// Ends all sessions before it returns.
void sessions_free_all(struct node *node);

#endif
