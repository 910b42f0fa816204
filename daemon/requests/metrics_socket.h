// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The socket for metrics: docad sends the text to each client that connects, and closes the
// connection.

#ifndef DAEMON_METRICS_SOCKET_H
#define DAEMON_METRICS_SOCKET_H

struct metrics_socket;
struct node;

// Serves node->config->metrics_socket. docad also runs without it: on failure returns NULL and logs
// it. Also NULL if the configuration has none.
struct metrics_socket *metrics_socket_new(struct node *node);

// Closes and removes it. Takes NULL, returns NULL.
struct metrics_socket *metrics_socket_free(struct metrics_socket *socket);

#endif
