// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shared by channel_relay.c, channel_relay_moves.c and relay_kind.c.

#ifndef DAEMON_CHANNEL_RELAY_PRIVATE_H
#define DAEMON_CHANNEL_RELAY_PRIVATE_H

#include "channel_relay.h"
#include "relay_store.h"
#include "loop_sched.h"

#define RELAY_FDS 2 // descriptors kept open

struct channel_relay {
    struct idmap_node id;   // peer->relays, by the id that both nodes use
    struct list in_waiting; // in peer->relays_waiting while the link is full
    struct peer *peer;
    struct channel *channel; // NULL when the record has ended
    struct user *user;       // user of our process
    struct user *client;     // of the client's process, here or on the linked node; charged
    enum channel_side_index side;
    struct stored stored;

    int sock, wake;
    struct channel_page *page;
    struct channel_side *process, *other; // this node's process, and the one on the other node
    struct event *readable, *writable, *woken;
    struct sched_item turn; // of its process's user: to read messages, or to continue
    bool goes_on;           // the link has room again

    struct relay_store *store;
    uint64_t forwarded; // messages of the process that the link has accepted
    uint64_t received;  // received by the process
    uint64_t reported_delivered;
    bool open, reported_open; // the process has accepted the connection
    bool paused; // until the linked node has reported its progress: also while it has not
    struct idmap_node named; // named this relay, see peer_named.h
};

#define relays_for_each(relay, peer) idmap_for_each (relay, &(peer)->relays, id)

// Makes a relay from its descriptors, which it takes over on success: messages, wake-ups, page.
// The caller keeps the page.
doca_error_t channel_relay_make(struct channel_relay **out, struct peer *peer, uint64_t shared_id,
                                enum channel_side_index side, struct user *user,
                                struct user *client, const int fds[CHANNEL_FDS],
                                struct errtext *err);
// Charges a relay of an earlier docad, whatever the limits now.
void channel_relay_charge_restored(struct channel_relay *relay);
// Attaches the relay to the channel's process, whose messages it passes on.
void channel_relay_attach(struct channel_relay *relay, struct channel *channel);
struct channel_relay *channel_relay_destroy(struct channel_relay *relay);

// Ends the relay on this side, together with the channel's record.
void channel_relay_finish(struct channel_relay *relay);
// Ends only the record: the messages of the process are kept until the other side has them.
void channel_relay_end_record(struct channel_relay *relay);

// ---- channel_relay_moves.c ------------------------------------------------------------------

// Makes the events of the descriptors for messages and wake-ups, without adding them.
bool channel_relay_make_events(struct channel_relay *relay, int sock, int wake);
void channel_relay_make_turn(struct channel_relay *relay);

// Ends the channel on both sides; messages in flight are lost.
void channel_relay_fail(struct channel_relay *relay, const char *why);

// Handles the progress that the other side reports. Returns false if it is impossible.
bool channel_relay_progress(struct channel_relay *relay, uint64_t delivered, uint64_t received,
                            bool open);
void channel_relay_update(struct channel_relay *relay);

// Resumes reading and sending, and delivers arrived messages.
void channel_relay_go_on(struct channel_relay *relay);

#endif
