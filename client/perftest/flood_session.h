// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sessions of floods, without the library.

#ifndef PERFTEST_FLOOD_SESSION_H
#define PERFTEST_FLOOD_SESSION_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

// Returns a connection that has sent nothing yet, or -1.
int flood_connect(const char *path);

// A session, and what its node is if `node` is not NULL. -1 if docad refuses.
int flood_session(const char *path, bool tool, uint8_t node[NODE_ID_SIZE]);

// A session of a tool that docad keeps only one descriptor for. -1 if docad refuses.
int flood_idle_session(const char *path);

// Waits for one answer, also an error. Returns NULL if it does not come.
Docad__Message *flood_answer(int sock, struct fd_list *reply_fds);

// One request and its answer, which is NULL if it is an error or does not come.
Docad__Message *flood_ask(int sock, Docad__Message *request, const int *fds, size_t n_fds,
                          struct fd_list *reply_fds);

// Sends request number `i`. Returns false if that is not possible.
typedef bool (*flood_send_fn)(int sock, size_t i, void *arg);
// Takes the answer of the request that was granted after `i` others.
typedef void (*flood_take_fn)(const Docad__Message *reply, size_t i, void *arg);

// Sends `n` requests, some of them ahead of the answers, until docad refuses one. Returns how many
// docad has granted. `take` may be NULL.
size_t flood_ask_many(int sock, size_t n, flood_send_fn send, flood_take_fn take, void *arg);

// Opens the node's first function in the session.
bool flood_open_function(int sock);

#endif
