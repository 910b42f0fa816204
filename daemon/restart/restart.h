// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad after docad: how clients keep what they have when docad is restarted, or crashes and
// is started again.
//
// Every object that a client has, or that stands for something at a linked node, is kept in
// the service manager's store of descriptors (keep.h) as soon as it exists, before the
// client gets the answer; and leaves it when it ends. The next docad makes the objects anew
// from there, with the same ids, tokens, keys and slots. What clients have mapped or
// connected (memory files, the state table, queue pairs, sockets) is the same throughout:
// data paths that need no docad do not notice; requests to the engine wait in their rings,
// and the next engine goes on behind the last completion.
//
// Requests: docad says Resumed, with the number of this restart, on each connection that it
// takes up. A client that waits for an answer sends its request again, marked with that
// number. One that came twice in one run is carried out once. One that an earlier docad
// carried out without answering is undone first (the client knows nothing of the object it
// made), or, where it ended something, finds that done. Marks of earlier restarts are
// ignored: the client has sent the request anew since, or has its answer.
//
// Linked nodes: see peer_resume.h.
//
// What cannot be taken up ends at its owner as if docad had ended it: a connection is
// closed, the slot in the state table is free.

#ifndef DAEMON_RESTART_H
#define DAEMON_RESTART_H

#include "keep.h"

struct node;

// Goes on with what was kept for this node; without anything, begins to keep. Call it on a
// node that was just made. Frees the items.
void restart_restore(struct node *node, struct keep_items *items);

// Puts the node's own record.
void restart_keep_node(struct node *node);

// docad ends and another one may follow: nothing that is kept is ended.
void restart_leave(struct node *node);

#endif
