// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair of a client here, whose requests the engine of a node on another machine
// carries out: taken from the client's ring, sent there (rc_engine.h), and completed when
// the answer comes.

#ifndef DAEMON_RC_CLIENT_H
#define DAEMON_RC_CLIENT_H

#include "docad.pb-c.h"
#include "errtext.h"
#include "qpair.h"

struct peer;
struct rc_client;

// It has ended; called once, from the loop, and may free it. `corrupted`: the client broke
// the protocol of the ring. Otherwise the other machine is out of reach.
typedef void (*rc_client_ended_fn)(void *arg, bool corrupted, const char *why);

doca_error_t rc_client_new(struct rc_client **out, const struct peer *peer,
                           rc_client_ended_fn ended, void *arg, struct errtext *err);
struct rc_client *rc_client_free(struct rc_client *client); // takes NULL, returns NULL

void rc_client_describe(struct rc_client *client, Docad__RcAddress *out);

// The other node has made its side: requests go.
doca_error_t rc_client_connect(struct rc_client *client, const Docad__RcAddress *there,
                               struct errtext *err);

// The client's descriptors, which stay ours; closed by rc_client_handed_over().
const int *rc_client_fds(const struct rc_client *client);
void rc_client_handed_over(struct rc_client *client);

#endif
