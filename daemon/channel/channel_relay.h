// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels over a link that carries no descriptors, as between machines: each of the two
// daemons keeps one end of a channel, stands there for the process at the other end, and
// passes on what is said.
//
// Messages keep their order and their limits. How many a process may send ahead is counted
// by the process that receives them, as in a channel without a relay; of these, a daemon
// holds no more than RELAY_WINDOW at a time, and takes none from its process while the link
// is full. A process that does not receive costs its own channel only.
//
// A daemon forgets a message once the other one's process has it, and a channel once the
// other one knows of its end. When the link comes back, or docad after docad, the two say how
// far they are (PeerChannelResume), and what did not arrive is sent again.

#ifndef DAEMON_CHANNEL_RELAY_H
#define DAEMON_CHANNEL_RELAY_H

#include "channel.h"

// Bytes queued for a link, until relays wait.
#define RELAY_LINK_MAX   (256u << 10)
#define RELAY_SHARED_MAX (64u << 10) // if bytes of queue pairs wait, too

struct channel_relay;

// Takes the descriptors over, which are the end that faces `channel`'s process, and keeps
// the record's shared id as its name on the link.
doca_error_t channel_relay_new(struct channel *channel, struct peer *peer, uint32_t max_message,
                               int fds[CHANNEL_FDS], struct errtext *err);

// What was queued for the link has gone out.
void channel_relays_go_on(struct peer *peer);

// The other side has ended the channel; false if it is none that is relayed.
bool channel_relay_ended_there(struct peer *peer, uint64_t shared_id);

extern const struct object_kind relay_kind;

// ---- what the linked node says -----------------------------------------------------------

void channel_peer_resume(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
void channel_peer_data(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
void channel_peer_progress(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
void channel_peer_left(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

#endif
