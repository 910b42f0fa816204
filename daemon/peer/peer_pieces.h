// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What ends with a link to another node, or because the node does not name it when the link is
// back: objects of any user, in any number. The first of them end at that moment, and the others in
// pieces, in turns of the linked node (loop_sched.h).

#ifndef DAEMON_PEER_PIECES_H
#define DAEMON_PEER_PIECES_H

#include <stdbool.h>

struct peer;

#define PEER_PIECE_STEPS 16 // objects that end in one piece

// Ends what the node has not named: sweep() of kind.h. Called again, it begins anew.
void peer_sweep(struct peer *peer);

// The link has ended again: what is left may be named after all.
void peer_sweep_stop(struct peer *peer);

// Ends all that depends on the link: gone() of kind.h, and then requests to the node.
void peer_objects_end(struct peer *peer, const char *why);

// Does that go on? The peer must not be linked until it is over.
bool peer_is_ending(const struct peer *peer);

// Calls this when it is over, in a turn of the loop; it may free the peer.
void peer_when_ended(struct peer *peer, void (*ended)(struct peer *peer));

// Ends all that is left before this returns, without that call.
void peer_objects_end_now(struct peer *peer);

#endif
