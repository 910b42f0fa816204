// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Does what a remote_engine does, without RDMA devices: it puts requests that come from another
// machine over the daemons' link into the ring of a queue pair that this node's engine serves,
// as a local client would, and sends the engine's answers back. The engine checks each request
// as it checks a client's.

#ifndef DAEMON_LINK_ENGINE_H
#define DAEMON_LINK_ENGINE_H

#include "errtext.h"

#include <stdint.h>
#include <sys/types.h>

#define LINK_ENGINE_FDS 2 // descriptors that it keeps: those of the ring

struct link_engine;
struct peer;

// Called once, from the loop, when it has ended. May free it.
typedef void (*link_engine_ended_fn)(void *arg, const char *why);

// Takes over the three descriptors that the engine made for the client. `there` is the other
// side's queue.
doca_error_t link_engine_new(struct link_engine **out, struct peer *peer, uid_t uid, int fds[3],
                             uint64_t there, link_engine_ended_fn ended, void *arg,
                             struct errtext *err);
struct link_engine *link_engine_free(struct link_engine *engine); // takes NULL, returns NULL

uint64_t link_engine_id(const struct link_engine *engine); // id of its queue

#endif
