// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The other end of a remote_client: executes requests that come from another machine. The owner's
// memory can be reached in two ways.
//
// Over a reliable connection, bytes of a part that is registered with the device (rc_memory.h) move
// directly between it and the data area on the other machine: bytes that are read are written there
// before the answer, bytes to be written are fetched from there. Each request is checked as the
// engine checks it, and its grant is held while bytes move. If a grant is dropped during that, the
// request ends soon, or else the queue pair does.
//
// Over the link, bytes of such a part are read in the loop while the link is free (region_bytes.h).
//
// All other requests, such as atomic operations, writes over the link, and memory of any other
// layout, are put into the ring of a queue pair that this node's engine serves, as a local client
// would, and the engine's answers are sent back.
//
// Requests that are in flight at the same time are executed in any order.

#ifndef DAEMON_REMOTE_ENGINE_H
#define DAEMON_REMOTE_ENGINE_H

#include "docad.pb-c.h"
#include "errtext.h"

#include <stdbool.h>
#include <sys/types.h>

struct engine_queue_pair;
struct peer;
struct remote_engine;

// Both are called from the loop, and both may free it.
struct remote_engine_owner {
    // Called once: requests are served from now on, or (`why`) RDMA does not reach the other node.
    void (*connected)(void *arg, const char *why);
    // It has ended; called once, perhaps before connected().
    void (*ended)(void *arg, const char *why);
};

// The other side's end: a reliable connection, or if `rc` is NULL, a queue on the link.
struct remote_end {
    const Docad__RcAddress *rc;
    uint64_t link;
};

// The number of descriptors that one for `there` keeps.
unsigned remote_engine_fds(const struct remote_end *there);

// Makes one for a queue pair of the engine, which must outlive it, and a process of this uid. Takes
// over the three descriptors that the engine made for its client. A reliable connection takes a
// while, and connected() is called; one over the link serves requests immediately.
doca_error_t remote_engine_new(struct remote_engine **out, struct peer *peer,
                               struct engine_queue_pair *qp, uid_t uid, int fds[3],
                               const struct remote_end *there,
                               const struct remote_engine_owner *owner, void *arg,
                               struct errtext *err);
struct remote_engine *remote_engine_free(struct remote_engine *engine); // takes NULL, returns NULL

// Describes our end: true for a reliable connection (*rc), false for a queue on the link (*link).
bool remote_engine_describe(struct remote_engine *engine, Docad__RcAddress *rc, uint64_t *link);

// For a reliable connection: the device that it uses, for the log.
const char *remote_engine_device(const struct remote_engine *engine);

// Called if RDMA does not reach the other node: it is not tried again for a while.
void remote_engine_avoid_device(struct remote_engine *engine, struct peer *peer, const char *why);

// Called when a grant was dropped. If bytes still move through the grant after a while, the
// remote_engine ends.
void remote_engine_set_deadline(struct remote_engine *engine);

#endif
