// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair of a client here, whose requests the engine of a node on another machine
// carries out: taken from the client's ring, sent there (rc_engine.h, or link_engine.h where
// a node has no RDMA device), and completed when the answer comes.

#ifndef DAEMON_RC_CLIENT_H
#define DAEMON_RC_CLIENT_H

#include "docad.pb-c.h"
#include "errtext.h"
#include "qpair.h"

struct event_base;
struct peer;
struct rc_client;

enum rc_client_end {
    RC_CLIENT_CUT,       // the connection is no more: rc_client_renew() makes another one
    RC_CLIENT_CORRUPTED, // the client broke the protocol of the ring
    RC_CLIENT_MISLED,    // the other node broke ours
};

// Called from the loop; either may free it.
struct rc_client_owner {
    // What rc_client_connect() began is over: requests go, or not. DOCA_ERROR_NOT_SUPPORTED:
    // RDMA does not get there. Not called if it ended or was cut meanwhile.
    void (*connected)(void *arg, doca_error_t result, const char *why);
    // It has ended; once for each connection.
    void (*ended)(void *arg, enum rc_client_end how, const char *why);
};

// Cut, if the link is away.
// Of a process of this uid.
doca_error_t rc_client_new(struct rc_client **out, struct peer *peer, uid_t uid,
                           const struct rc_client_owner *owner, void *arg, struct errtext *err);
struct rc_client *rc_client_free(struct rc_client *client); // takes NULL, returns NULL

// Its ends: of messages over the link (link_queue.h), and if there is a device here (true), of
// a reliable connection.
bool rc_client_describe(struct rc_client *client, Docad__RcAddress *rc, uint64_t *link);

// Makes our side of a new connection in place of one that was cut, for rc_client_connect().
// What was not answered is sent again then, but atomic operations, which may have been carried
// out: those fail.
doca_error_t rc_client_renew(struct rc_client *client, struct peer *peer, struct errtext *err);
void rc_client_suspend(struct rc_client *client); // the other node says that it was cut
bool rc_client_is_cut(const struct rc_client *client);
// Has our end failed that was described, before it was connected?
bool rc_client_is_lost(const struct rc_client *client);

// Have requests been completed since the connection was last renewed?
bool rc_client_has_come_on(const struct rc_client *client);

// What the docad after this one needs, before rc_client_handed_over(); they stay ours. And
// the other way round, cut; it takes them on success.
#define RC_CLIENT_KEPT_FDS 4
void rc_client_kept_fds(const struct rc_client *client, int fds[RC_CLIENT_KEPT_FDS]);
doca_error_t rc_client_restore(struct rc_client **out, struct event_base *base, uid_t uid,
                               int fds[RC_CLIENT_KEPT_FDS], const struct rc_client_owner *owner,
                               void *arg, struct errtext *err);

// The other node has made its side, of one of the two. `there` is NULL if it is the link's. On
// success connected() is called, perhaps before this returns. DOCA_ERROR_NOT_SUPPORTED: RDMA is
// known not to get there, and a renewed one offers no device.
doca_error_t rc_client_connect(struct rc_client *client, const struct peer *peer,
                               const Docad__RcAddress *there, uint64_t link, struct errtext *err);
// It cannot be connected, or nothing comes over the connection, however often it is renewed: the
// next one goes over the link.
// False if this one does.
bool rc_client_avoid_device(struct rc_client *client, struct peer *peer, const char *why);

// The device that it goes over, for the log; NULL: the link. And why no device here can be used;
// NULL: one can.
const char *rc_client_device(const struct rc_client *client);
const char *rc_client_no_device(const struct rc_client *client);

// The client's descriptors, which stay ours; closed by rc_client_handed_over().
const int *rc_client_fds(const struct rc_client *client);
void rc_client_handed_over(struct rc_client *client);

#endif
