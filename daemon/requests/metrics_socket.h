// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The socket for metrics: whoever connects is sent the text, and the connection closed.

#ifndef DAEMON_METRICS_SOCKET_H
#define DAEMON_METRICS_SOCKET_H

struct metrics_socket;
struct node;

// Serves node->config->metrics_socket. Without it docad still runs: NULL, and a line in
// the log. Also NULL if the configuration says none.
struct metrics_socket *metrics_socket_new(struct node *node);

// Closes and removes it. Takes NULL, returns NULL.
struct metrics_socket *metrics_socket_free(struct metrics_socket *socket);

#endif
