// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connects the queue pair of an rc_queue to the one on the other machine. ibverbs first looks up
// the route, and waits a second for an address that does not answer, so a thread does it. The parts
// of the queue pair stay until the thread has released them, even if the connection was abandoned.

#ifndef DAEMON_RC_CONNECT_H
#define DAEMON_RC_CONNECT_H

#include "errtext.h"
#include "verbs_rc.h"

struct rc_connect;
struct rc_control;
struct rc_device;

// The parts of a connection.
struct rc_parts {
    struct rc_device *device; // a reference
    struct verbs_rc rc;
    struct ibv_mr *data_mr, *control_mr;
    struct rc_control *control;
};

// May be called again.
void rc_parts_release(struct rc_parts *parts);

// `why` is NULL if it is connected.
typedef void (*rc_connect_fn)(void *arg, const char *why);

// Begins to connect parts->rc to rc.other; done() is called from the loop, unless the connection
// was abandoned before. Until then the caller must neither change nor release the parts.
doca_error_t rc_connect_new(struct rc_connect **out, const struct rc_parts *parts,
                            rc_connect_fn done, void *arg, struct errtext *err);

// Releases the parts as soon as that is possible. Returns NULL.
struct rc_connect *rc_connect_abandon(struct rc_connect *connect);

#endif
