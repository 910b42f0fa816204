// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests to a linked node. Each ends with an answer, with the link, or after a time limit.

#ifndef DAEMON_PEER_REQUEST_H
#define DAEMON_PEER_REQUEST_H

#include "errtext.h"
#include "message.h"

#include <stdbool.h>

#define PEER_REQUEST_LIMIT_MS 2000 // nodes on one machine
#define PEER_REMOTE_LIMIT_MS  8000 // shorter than clients wait for their answers
#define PEER_AWAY_LIMIT_MS    8000 // the same, while the link is away

struct peer;
struct peer_request;

// `reply` is an Error, or the answer to this kind of request; NULL if there was none, and then
// `why` gives the reason. Called once, from the loop.
typedef void (*peer_reply_fn)(void *arg, struct peer *peer, const Docad__Message *reply,
                              struct fd_list *fds, const struct errtext *why);

// Releases the contents of an answer to an abandoned request.
typedef void (*peer_unwanted_fn)(struct peer *peer, const Docad__Message *reply);

// Sends a request and sets the message's serial. *out is valid until the callback. `unwanted`
// may be NULL.
doca_error_t peer_request_send(struct peer_request **out, struct peer *peer,
                               Docad__Message *message, peer_reply_fn done,
                               peer_unwanted_fn unwanted, void *arg, struct errtext *err);

// The same with descriptors, which the caller keeps.
doca_error_t peer_request_send_fds(struct peer_request **out, struct peer *peer,
                                   Docad__Message *message, const int *fds, size_t n_fds,
                                   peer_reply_fn done, peer_unwanted_fn unwanted, void *arg,
                                   struct errtext *err);

// The callback will not be called. The contents of the answer are unwanted.
void peer_request_abandon(struct peer_request *request);

// Handles an answer. Returns false if it belongs to no request, or is of the wrong kind.
bool peer_request_answer(struct peer *peer, const Docad__Message *reply, struct fd_list *fds);

// Called when the link is up again: sends the unanswered requests once more, those with serials
// above *after, which is advanced, up to `until`. Up to *steps of them, which is counted down;
// false if some are left.
bool peer_requests_send_again(struct peer *peer, uint64_t *after, uint64_t until, unsigned *steps);

// Moves the requests to another peer for the same node.
void peer_requests_adopt(struct peer *to, struct peer *from);

// Called when the link is down: fails up to *steps requests, which is counted down. False if some
// are left.
bool peer_requests_fail_some(struct peer *peer, const char *why, unsigned *steps);

#endif
