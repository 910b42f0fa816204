// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages to linked nodes about the names that are published on this node, and those that were
// withdrawn. Users may have many long names, and publish them faster than a link carries them. So a
// name waits in this node, not in the link's output, until the output has room:
//
// - Each node gets the published names in the order of their ids. Names that it has not got yet are
//   not queued anywhere: they are those with higher ids. A name that is withdrawn before its turn
//   is never sent.
// - A name that was sent and is withdrawn is queued for the node, charged to the publisher, and is
//   sent before any further name: the same name may have been published again.

#ifndef DAEMON_ANNOUNCEMENT_H
#define DAEMON_ANNOUNCEMENT_H

#include <sys/types.h>

struct node;
struct peer;
struct publication;
struct publication_key;

// Called when the link is up: sends the node all names, as many as fit now. Names that are
// published or withdrawn before this call need no message of their own.
void announcement_begin(struct peer *peer);
// The link has ended; the announcement may not have begun.
void announcement_end(struct peer *peer);
// Called when there may be room in the link's output.
void announcement_go_on(struct peer *peer);

// A name was published on this node; or is to be withdrawn, and still has its id.
void announcement_published(struct node *node, const struct publication *publication);
void announcement_withdrawn(struct node *node, const struct publication *publication);

// Called when the node has published the name. If an earlier publication of it is queued as
// withdrawn for the node, that is dropped.
void announcement_replaced(struct peer *peer, const struct publication_key *key);

// Notifies the node that a name has ended, which it has just published for an export that has ended
// here.
void announcement_gone(struct peer *peer, const char *name, uid_t uid);

#endif
