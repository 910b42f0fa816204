// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A connection that docad has accepted, before its first message has identified the other side as a
// client or a daemon.

#ifndef DAEMON_PENDING_CONNECTION_H
#define DAEMON_PENDING_CONNECTION_H

struct node;
struct tls_transport;
struct pending_connection;

// Takes over `fd`, and closes it if the uid has too many connections.
void pending_connection_new(struct node *node, int fd);

// The same for a connection from another machine. Takes over `tls`.
void pending_connection_new_remote(struct node *node, struct tls_transport *tls);

// Takes NULL, returns NULL.
struct pending_connection *pending_connection_free(struct pending_connection *pending);
void pending_connections_free_all(struct node *node);

#endif
