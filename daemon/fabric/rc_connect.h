// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connecting the queue pair of an rc_queue to the one on the other machine. ibverbs looks for
// the way there first, and waits a second for an address that does not answer: a thread does
// it. What the queue pair is made of stays until the thread has let go of it, also if nobody
// wants it any more.

#ifndef DAEMON_RC_CONNECT_H
#define DAEMON_RC_CONNECT_H

#include "errtext.h"
#include "verbs_rc.h"

struct rc_connect;
struct rc_control;
struct rc_device;

// What a connection is made of.
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

// Begins to connect parts->rc to rc.other; done() is called from the loop, unless it was
// abandoned before. The parts stay the caller's, and are neither changed nor released
// meanwhile.
doca_error_t rc_connect_new(struct rc_connect **out, const struct rc_parts *parts,
                            rc_connect_fn done, void *arg, struct errtext *err);

// Releases the parts, as soon as that can be. Returns NULL.
struct rc_connect *rc_connect_abandon(struct rc_connect *connect);

#endif
