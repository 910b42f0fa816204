// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes and frees peers.

#ifndef DAEMON_PEER_LIFE_H
#define DAEMON_PEER_LIFE_H

#include "peer.h"

extern const struct object_kind peer_kind;

// `config` NULL: the peer dialled us. Returns NULL if memory runs out.
struct peer *peer_new(struct node *node, const struct config_peer *config);

// Makes the peer of a configured address and dials it.
doca_error_t peer_new_dialled(struct node *node, const struct config_peer *config,
                              struct errtext *err);

// Called when a daemon dialled us: takes over the connection and answers. On any failure the caller
// keeps the connection, which still counts as its user's, and answers with `err`; the reason is in
// the log.
doca_error_t peer_accept(struct node *node, struct connection *connection, uint64_t serial,
                         const Docad__PeerHello *hello, struct errtext *err);

// Frees the peer and ends the objects that use its link, some of them perhaps later: until then it
// is one of node->peers_ending. Takes NULL, returns NULL.
struct peer *peer_free(struct peer *peer);

// Frees all peers, with all that uses their links, before it returns.
void peers_free_all(struct node *node);

// Ends the link, or the waiting for it, together with the objects that use it. A configured peer
// is dialled again; any other peer is freed.
void peer_end_now(struct peer *peer, const char *why);

// Stores its record.
void peer_changed(struct peer *peer);

#endif
