// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The other end of an rc_client: requests that come from another machine. Two ways lead to
// the owner's memory.
//
// Bytes of a part that is registered with the device (rc_memory.h) move straight between it
// and the data area on the other machine: what is read is written there before the answer,
// what is written is fetched from there. Each request is checked as the engine checks it,
// and its grant is held while bytes move; a grant that is dropped meanwhile ends soon, or
// the queue pair does.
//
// All else, such as atomic operations and memory that lies anyhow, is put into the ring of a
// queue pair that this node's engine serves, as a client here would, and the engine's
// answers go back.
//
// Requests that are under way at the same time are carried out in any order.

#ifndef DAEMON_RC_ENGINE_H
#define DAEMON_RC_ENGINE_H

#include "docad.pb-c.h"
#include "errtext.h"

#define RC_ENGINE_FDS 3 // that it keeps: the ring's, and the completion channel

struct engine_queue_pair;
struct peer;
struct rc_engine;

// Called from the loop; either may free it.
struct rc_engine_owner {
    // Once: requests are served from now on, or (`why`) RDMA does not get to the other node.
    void (*connected)(void *arg, const char *why);
    // It has ended; called once, perhaps before the other.
    void (*ended)(void *arg, const char *why);
};

// For a queue pair of the engine, which lives longer. Takes over the three descriptors that
// the engine made for its client.
doca_error_t rc_engine_new(struct rc_engine **out, struct peer *peer, struct engine_queue_pair *qp,
                           int fds[3], const Docad__RcAddress *there,
                           const struct rc_engine_owner *owner, void *arg, struct errtext *err);
struct rc_engine *rc_engine_free(struct rc_engine *engine); // takes NULL, returns NULL

void rc_engine_describe(struct rc_engine *engine, Docad__RcAddress *out);
const char *rc_engine_device(const struct rc_engine *engine); // that it goes over, for the log

// RDMA does not get there: it is not tried again for a while.
void rc_engine_avoid_device(struct rc_engine *engine, struct peer *peer, const char *why);

// A grant was dropped. If bytes still move through it after a while, it ends.
void rc_engine_hurry(struct rc_engine *engine);

#endif
