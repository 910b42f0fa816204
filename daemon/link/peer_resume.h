// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Links that come back. A docad that can restart with its objects (restart.h) sends a number in its
// hello that is the same for all of its runs. When the link to it ends, the objects that use the
// link stay for a while: imports, grants, queue pairs, names, representors; and requests to it
// wait. If it comes back with the same number, both sides list the objects that they continue with
// (PeerResume). Objects that the other side does not list any more end, and unanswered requests are
// sent again. With a docad that comes back without its objects, all of them end when it is back;
// with one that cannot restart with its objects, they end immediately.
//
// Objects also wait when the network has lost a link between machines and both docads are still
// running. Messages in flight are lost either way: for those of the Comm Channel see
// channel_relay.h. The only other messages that are sent once report that an object has ended, and
// a side that missed one still lists the object.

#ifndef DAEMON_PEER_RESUME_H
#define DAEMON_PEER_RESUME_H

#include "message.h"
#include "node_id.h"

struct peer;

// Does the docad that has said hello on the link of `peer` go on with the objects of `away`?
bool peer_goes_on(const struct peer *peer, const struct peer *away);
#define PEER_RUN_ENDED "another docad runs there now" // why not

// Called when the node is back, on this peer's link: takes over the objects that wait for it.
void peer_returned(struct peer *peer);

// Called when the link is up and the published names are being announced: in pieces, in turns of
// the linked node, names the objects that this node continues with, if `names`, asks the node again
// what it has not answered, and renews connections. The last message that names objects follows the
// names that were published by then: those that are not among them have ended.
void peer_resume_begin(struct peer *peer, bool names);
// The link has ended.
void peer_resume_stop(struct peer *peer);
void peer_resume(struct peer *peer, const Docad__Message *message);

#endif
