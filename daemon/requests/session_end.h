// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef DAEMON_SESSION_END_H
#define DAEMON_SESSION_END_H

struct node;
struct session;

// Ends a session whose connection has ended. What it owns is of no use to others from now on, and
// goes now or in the next turns of the loop. Takes NULL, returns NULL.
struct session *session_free(struct session *session);

// Ends all sessions before it returns.
void sessions_free_all(struct node *node);

#endif
