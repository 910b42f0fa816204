// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A connection whose first message, which tells whether it is a client or a daemon, has not come
// yet.

#ifndef DAEMON_VISITOR_H
#define DAEMON_VISITOR_H

struct node;
struct tls_transport;
struct visitor;

// Takes over `fd`, and closes it if the uid has too many connections.
void visitor_new(struct node *node, int fd);

// The same for a connection from another machine; takes it over.
void visitor_new_remote(struct node *node, struct tls_transport *tls);

struct visitor *visitor_free(struct visitor *visitor); // takes NULL, returns NULL
void visitors_free_all(struct node *node);

#endif
