// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The socket on which clients and other daemons arrive.

#ifndef DAEMON_LISTENER_H
#define DAEMON_LISTENER_H

#include "errtext.h"

#include <stdbool.h>
#include <sys/types.h>

struct event_base;
struct sched;
struct listener;

// Takes over the new connection's descriptor.
typedef void (*listener_accept_fn)(void *arg, int fd);

// Makes the socket at `path`, and its directory if that is missing. Fails if another daemon
// serves the path; a socket that a crashed daemon left there is replaced.
doca_error_t listener_new(struct listener **out, const char *path, mode_t mode,
                          struct errtext *err);

// Takes over a listening socket that the service manager made.
doca_error_t listener_new_from_fd(struct listener **out, int fd, struct errtext *err);

// Begins to accept. Returns false if memory runs out.
bool listener_start(struct listener *listener, struct event_base *base, struct sched *sched,
                    listener_accept_fn accepted, void *arg);

// A descriptor was closed: if accepting was paused for lack of them, it continues.
void listener_resume(struct listener *listener);

// Closes the socket and removes it and its lock. Takes NULL, returns NULL.
struct listener *listener_free(struct listener *listener);

#endif
