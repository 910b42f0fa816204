// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lookups that wait until a name is published. A user may have any number of them for one name, in
// many sessions. So the turn of the publisher only notes whose lookups wait for the name: each user
// has one turn (loop_sched.h) for all of its lookups, which answers one of them at a time. Lookups
// that have timed out are answered in the same turn, by one timer of the user.
//
// A lookup is charged to its session (lookups_per_session), and to its user for its memory
// (metadata_bytes_per_uid).

#ifndef DAEMON_LOOKUP_H
#define DAEMON_LOOKUP_H

#include "errtext.h"
#include "message.h"

#include <stdint.h>

struct node;
struct object_kind;
struct publication;
struct session;

extern const struct object_kind lookup_kind;

// If this returns DOCA_SUCCESS, the lookup answers the request: now, when the name is published, or
// with an error on timeout.
doca_error_t lookup_begin(struct session *session, uint64_t serial, const Docad__Lookup *request,
                          struct errtext *err);

// Called when a name was published. Lookups that wait for it are answered in turns of their users,
// if the name is still published then, and offered to them.
void lookups_mark_due(struct node *node, const struct publication *publication);

#endif
