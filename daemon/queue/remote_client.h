// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair of a local client, whose requests the engine of a node on another machine executes.
// They are taken from the client's ring, sent there (remote_engine.h) over a reliable connection,
// or over the link if a node has no RDMA device, and completed when the answer comes.

#ifndef DAEMON_REMOTE_CLIENT_H
#define DAEMON_REMOTE_CLIENT_H

#include "docad.pb-c.h"
#include "errtext.h"
#include "qpair.h"

struct event_base;
struct peer;
struct remote_client;

enum remote_client_end {
    REMOTE_CLIENT_CUT,       // the connection has ended: remote_client_renew() makes another one
    REMOTE_CLIENT_CORRUPTED, // the client broke the protocol of the ring
    REMOTE_CLIENT_MISLED,    // the other node broke the protocol between nodes
};

// Both are called from the loop, and both may free it.
struct remote_client_owner {
    // remote_client_connect() is done: requests are sent from now on, or connecting failed.
    // DOCA_ERROR_NOT_SUPPORTED: RDMA does not reach the other node. Not called if the client ended
    // or was cut before.
    void (*connected)(void *arg, doca_error_t result, const char *why);
    // It has ended; called once for each connection.
    void (*ended)(void *arg, enum remote_client_end how, const char *why);
};

// Makes one for a process of this uid. It is cut from the start if the link is down.
doca_error_t remote_client_new(struct remote_client **out, struct peer *peer, uid_t uid,
                               const struct remote_client_owner *owner, void *arg,
                               struct errtext *err);
struct remote_client *remote_client_free(struct remote_client *client); // takes NULL, returns NULL

// Describes its ends: for messages over the link (link_queue.h), and if there is a device here
// (true), for a reliable connection.
bool remote_client_describe(struct remote_client *client, Docad__RcAddress *rc, uint64_t *link);

// Makes our side of a new connection to replace one that was cut, for remote_client_connect().
// Unanswered requests are then sent again, except atomic operations: they may have been executed,
// so they fail.
doca_error_t remote_client_renew(struct remote_client *client, struct peer *peer,
                                 struct errtext *err);
void remote_client_suspend(struct remote_client *client); // the other node reports that it was cut
bool remote_client_is_cut(const struct remote_client *client);
// Returns whether the end that we described failed before it was connected.
bool remote_client_is_lost(const struct remote_client *client);

// Returns whether any requests were completed since the connection was last renewed.
bool remote_client_has_come_on(const struct remote_client *client);

// Lists the descriptors that the next docad needs; call it before remote_client_handed_over(). The
// client keeps them. The second function restores the client from them, as one that is cut, and
// takes them over on success.
#define REMOTE_CLIENT_STORED_FDS 4
void remote_client_stored_fds(const struct remote_client *client,
                              int fds[REMOTE_CLIENT_STORED_FDS]);
doca_error_t remote_client_restore(struct remote_client **out, struct event_base *base, uid_t uid,
                                   int fds[REMOTE_CLIENT_STORED_FDS],
                                   const struct remote_client_owner *owner, void *arg,
                                   struct errtext *err);

// Called when the other node has made its side of one of the two connections. `there` is NULL if it
// chose the link. On success connected() is called, perhaps before this returns.
// DOCA_ERROR_NOT_SUPPORTED: RDMA is known not to reach the other node, and a renewed client offers
// no device.
doca_error_t remote_client_connect(struct remote_client *client, const struct peer *peer,
                                   const Docad__RcAddress *there, uint64_t link,
                                   struct errtext *err);
// Called if it cannot be connected, or nothing arrives over the connection however often it is
// renewed: the next connection uses the link. Returns false if this one already does.
bool remote_client_avoid_device(struct remote_client *client, struct peer *peer, const char *why);

// The device that it uses, for the log; NULL: the link. The second function returns why no device
// here can be used; NULL: one can.
// here can be used; NULL: one can.
const char *remote_client_device(const struct remote_client *client);
const char *remote_client_no_device(const struct remote_client *client);

// The client's descriptors, which we keep until remote_client_handed_over() closes them.
const int *remote_client_fds(const struct remote_client *client);
void remote_client_handed_over(struct remote_client *client);

#endif
