// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The names that a user may see in a list: its own, and those that others offer to somebody. Names
// that others keep to themselves cost it nothing.

#ifndef DAEMON_PUBLICATION_LISTED_H
#define DAEMON_PUBLICATION_LISTED_H

#include <stdint.h>

struct node;
struct publication;
struct session;

// The publication has its id.
void publication_listed_add(struct node *node, struct publication *publication);
void publication_listed_remove(struct node *node, struct publication *publication);

// The one with the smallest id above this that the session may be able to see; NULL if there is
// none.
struct publication *publication_listed_after(const struct session *session, uint64_t id);

#endif
