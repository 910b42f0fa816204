// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What channel_relay.c, channel_relay_moves.c and relay_kind.c share.

#ifndef DAEMON_CHANNEL_RELAY_PRIVATE_H
#define DAEMON_CHANNEL_RELAY_PRIVATE_H

#include "channel_relay.h"
#include "relay_store.h"

#define RELAY_FDS 2 // kept open

struct channel_relay {
    struct idmap_node id; // peer->relays, by the id that both nodes use
    struct list link;     // peer->relays_waiting, while the link is full
    struct peer *peer;
    struct channel *channel; // NULL once the record has gone
    struct user *user;       // of our process
    enum channel_side_index side;
    struct kept kept;

    int sock, wake;
    struct channel_page *page;
    struct channel_side *process, *other; // whose end we face, and whom we stand for
    struct event *readable, *writable, *woken;

    struct relay_store *store;
    uint64_t told;     // messages of the process that the link has taken
    uint64_t received; // by the process
    uint64_t told_delivered;
    bool open, told_open; // the process has taken the connection
    bool paused;          // until the linked node has said what it has
    bool stale;           // until it has named this one
};

#define relays_for_each(relay, peer)                                                               \
    for (size_t relays_i = 0; relays_i < (peer)->relays.n_buckets; relays_i++)                     \
        for (struct idmap_node *relays_n =                                                         \
                 ((peer)->relays.buckets ? (peer)->relays.buckets                                  \
                                         : (peer)->relays.first)[relays_i];                        \
             relays_n && (relay = container_of(relays_n, struct channel_relay, id), 1);            \
             relays_n = relays_n->next)

// A record with its descriptors, which it takes on success: messages, wake-ups, page. The
// page stays the caller's.
doca_error_t channel_relay_make(struct channel_relay **out, struct peer *peer, uint64_t shared_id,
                                enum channel_side_index side, struct user *user,
                                const int fds[CHANNEL_FDS], struct errtext *err);
// One of an earlier docad's, whatever is allowed now.
void channel_relay_charge_restored(struct channel_relay *relay);
// It passes on what the channel's process says.
void channel_relay_attach(struct channel_relay *relay, struct channel *channel);
struct channel_relay *channel_relay_destroy(struct channel_relay *relay);

// It ends on this side; the channel's record goes with it.
void channel_relay_finish(struct channel_relay *relay);
// The record alone: what the process has said is kept until the other side knows.
void channel_relay_end_record(struct channel_relay *relay);

// ---- channel_relay_moves.c ------------------------------------------------------------------

// Of the descriptors for messages and wake-ups; not yet waited for.
bool channel_relay_make_events(struct channel_relay *relay, int sock, int wake);

// Ends the channel on both sides; what is on its way is lost.
void channel_relay_fail(struct channel_relay *relay, const char *why);

// How far the other side says it is. False if that cannot be.
bool channel_relay_progress(struct channel_relay *relay, uint64_t delivered, uint64_t received,
                            bool open);
void channel_relay_look(struct channel_relay *relay);

// Takes up reading and telling; what arrived is delivered.
void channel_relay_go_on(struct channel_relay *relay);

#endif
