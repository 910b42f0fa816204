// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sessions of floods, without the library.

#ifndef PERFTEST_FLOOD_SESSION_H
#define PERFTEST_FLOOD_SESSION_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

// A connection that has said nothing yet, or -1.
int flood_connect(const char *path);

// A session, and what its node is if `node` is not NULL. -1 if docad refuses.
int flood_session(const char *path, bool tool, uint8_t node[NODE_ID_SIZE]);

// One request and its answer, which is NULL if it is an error or does not come.
Docad__Message *flood_ask(int sock, Docad__Message *request, const int *fds, size_t n_fds,
                          struct fd_list *reply_fds);

// Opens the node's first function in the session.
bool flood_open_function(int sock);

#endif
