// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Links that come back. A docad that may follow itself (restart.h) says so in its hello,
// with a number that stands for all of its runs. When the link to it ends, what goes over
// the link stays for a while: imports, grants, queue pairs, names, representors; and
// requests to it wait. If it comes back with the same number, both sides say what they go
// on with (PeerResume), which ends what the other one has lost or ended meanwhile, and what
// was not answered is asked again. Otherwise all of it ends then, as it does at once with a
// docad that cannot follow itself.
//
// A link between machines is also waited for when the network has lost it and both docads are
// still there. What was on its way is lost either way: for the messages of the Comm Channel
// see channel_relay.h; what else is said once is an end, and who was not told of it names what
// has ended.

#ifndef DAEMON_PEER_RESUME_H
#define DAEMON_PEER_RESUME_H

#include "message.h"
#include "node_id.h"

struct peer;

// The node is there again, by this peer's link: takes over what waits for it. `run` is what
// its hello said.
void peer_returned(struct peer *peer, const uint8_t run[NODE_RUN_SIZE]);

// After the names were announced.
void peer_send_resume(struct peer *peer);
void peer_resume(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

#endif
