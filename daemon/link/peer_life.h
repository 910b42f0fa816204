// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How peers come and go.

#ifndef DAEMON_PEER_LIFE_H
#define DAEMON_PEER_LIFE_H

#include "peer.h"

extern const struct object_kind peer_kind;

// NULL if memory is short. `config` NULL: it dialled us.
struct peer *peer_new(struct node *node, const struct config_peer *config);

// Makes the peer of a configured address and dials it.
doca_error_t peer_new_dialled(struct node *node, const struct config_peer *config,
                              struct errtext *err);

// A daemon dialled us: takes the connection over and answers, whatever it says. False if
// memory is short: the connection stays the caller's.
bool peer_accept(struct node *node, struct connection *connection, uint64_t serial,
                 const Docad__PeerHello *hello);

// Ends the peer and what goes over it. Takes NULL, returns NULL.
struct peer *peer_free(struct peer *peer);

// The link ends, and what goes over it with it, or with the link that is waited for. Who was
// configured is dialled again; another one is gone then.
void peer_end_now(struct peer *peer, const char *why);

// Puts its record.
void peer_keep(struct peer *peer);

#endif
