// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How clients keep their objects when docad is restarted, or crashes and is started again.
//
// Every object of a client, and every object that represents one on a linked node, is put into
// the store (fdstore.h) as soon as it exists, before the client gets the answer, or the request is
// refused; it leaves the store when it ends. The next docad restores the objects from
// there, with the same ids, tokens, keys and slots. Files and sockets that clients have mapped
// or connected (memory files, the state table, queue pairs, sockets) stay the same throughout.
// Data paths that do not need docad are not affected; requests to the engine wait in their
// rings, and the next engine continues after the last completion.
//
// Requests: docad sends Resumed, with the number of this restart, on each connection that it
// restores. A client that waits for an answer sends its request again, marked with that number.
// A request that comes twice in one run is carried out once. If an earlier docad carried out a
// request without answering, it is undone first (the client does not know the object that it
// made); if it ended an object, it is already complete. Requests marked with an earlier
// restart's number are ignored: the client has sent the request again since, or has its answer.
//
// Linked nodes: see peer_resume.h.
//
// An object that cannot be restored ends for its owner as if docad had ended it: its connection is
// closed, its slot in the state table is free.

#ifndef DAEMON_RESTART_H
#define DAEMON_RESTART_H

#include "fdstore.h"

struct node;

// Restores the objects that were kept for this node, and begins to keep. Call it on a node that
// was just made. Frees the items.
void restart_restore(struct node *node, struct stored_items *items);

// Restores one object, after those that it depends on, and takes the descriptors. Returns false if
// the record is not valid, or refers to a missing object, and logs that. After the last one, the
// kinds settle() (node/kind.h).
bool restart_restore_record(struct node *node, const void *bytes, size_t size, struct fd_list *fds);

// Stores the node's own record.
void restart_keep_node(struct node *node);

// Called when docad ends and another one may follow: leaves all kept objects unchanged.
void restart_leave(struct node *node);

#endif
