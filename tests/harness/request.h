// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Raw requests to a daemon, without libdoca-client: for reading lists, and for sending messages
// that a correct client never would.

#ifndef HARNESS_REQUEST_H
#define HARNESS_REQUEST_H

#include "message.h"

// Connects to the socket without sending anything. Fails the test if nobody listens.
int raw_connect(const char *socket_path);

// Connects and sends Hello as a tool. Returns the connection.
int raw_hello(const char *socket_path);

// Sends the request with a new serial and returns the reply, which may be an Error. The caller
// frees it (cleanup_message). `reply_fds` may be NULL.
Docad__Message *raw_call(int sock, Docad__Message *request, const int *fds, size_t n_fds,
                         struct fd_list *reply_fds);

// The same, and fails the test unless the reply has this body.
Docad__Message *raw_expect(int sock, Docad__Message *request, Docad__Message__BodyCase body);

// Waits until the daemon closes the connection; messages that arrive before that are dropped.
void raw_expect_closed(int sock);

// One page of a list. The caller frees the message.
Docad__Message *raw_list(int sock, Docad__List__Kind kind, uint64_t after);

// Ends an export, as `docactl exports revoke` does.
void raw_revoke(const char *socket_path, uint64_t export_id);

#endif
