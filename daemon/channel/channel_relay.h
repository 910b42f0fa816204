// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels over a link that carries no descriptors, as between machines: each of the two daemons
// keeps one end of a channel, represents the process at the other end, and passes on the
// messages.
//
// Messages keep their order and their limits. The receiving process controls how many messages
// may be sent ahead, as in a channel without a relay. A daemon holds no more than RELAY_WINDOW
// of them at a time, and takes none from its process while the link is full. A process that does
// not receive only blocks its own channel.
//
// A process that shuts down its sending side, and notes CHANNEL_SENT, still reads: the other daemon
// then takes no more of its own process's messages, passes on those that were sent before, and then
// their end. So a message that a process has sent is either received, or could not be sent.
//
// A daemon keeps a message until the other daemon's process has it, and a channel until the other
// daemon has its end. When the link or a docad comes back, the two daemons exchange their positions
// (PeerChannelResume), and send again what did not arrive.

#ifndef DAEMON_CHANNEL_RELAY_H
#define DAEMON_CHANNEL_RELAY_H

#include "channel.h"

// Relays wait when this many bytes are queued for a link.
#define RELAY_LINK_MAX   (256u << 10)
#define RELAY_SHARED_MAX (64u << 10) // the limit if bytes of queue pairs wait, too

struct channel_relay;

// Takes over the descriptors, which are the end of `channel`'s process, and uses the record's
// shared id as its name on the link. `packets`: both processes take packets besides messages.
doca_error_t channel_relay_new(struct channel *channel, struct peer *peer, uint32_t max_message,
                               bool packets, int fds[CHANNEL_FDS], struct errtext *err);

// Called when the link's queued output was sent.
void channel_relays_go_on(struct peer *peer);

// Called when the other side has ended the channel; false if it is not a relayed channel.
bool channel_relay_ended_there(struct peer *peer, uint64_t shared_id);

extern const struct object_kind relay_kind;

// ---- messages of the linked node -----------------------------------------------------------

void channel_peer_resume(struct peer *peer, const Docad__Message *message);
void channel_peer_data(struct peer *peer, const Docad__Message *message);
void channel_peer_progress(struct peer *peer, const Docad__Message *message);
void channel_peer_left(struct peer *peer, const Docad__Message *message);

#endif
