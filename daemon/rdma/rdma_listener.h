// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA listeners: ports of this node's functions, which endpoints of this node and of linked nodes
// call. docad makes a socket pair for a call, and passes one end of it to each process. The
// processes do the rest, and their endpoints connect as all do (rdma_endpoint.h): docad keeps no
// state of a call.

#ifndef DAEMON_RDMA_LISTENER_H
#define DAEMON_RDMA_LISTENER_H

#include "in_flight.h"
#include "object.h"
#include "rdma_desc.h"
#include "session.h"

// Calls that a listener has not accepted yet. The calling users share them.
#define RDMA_CALLS_WAITING 128
#define RDMA_ADDRESS_SIZE  16

struct function;
struct object_kind;
struct peer;
struct rdma_endpoint;
struct user;

struct rdma_listener {
    struct object object;
    const struct function *function; // NULL: it was removed, and no call reaches the listener
    struct tree_node by_port;        // while it has a function
    uint16_t port;
    int accept_fd; // docad's end of the socket for calls
    struct in_flight in_flight;
    struct list callers; // whose calls may wait
    unsigned n_waiting;
    uint64_t calls; // so far
};

// Frees the listener. Calls that wait end. Takes NULL, returns NULL.
struct rdma_listener *rdma_listener_free(struct rdma_listener *listener);

// Called when its function was removed: the client reads the end of its socket.
void rdma_listener_end(struct rdma_listener *listener);

// The linked node's users are no longer known. Their calls may still wait, and count as such. Takes
// up to *steps, which is counted down; false if some are left.
bool rdma_callers_peer_gone(struct peer *peer, unsigned *steps);
void rdma_callers_adopt(struct peer *to, struct peer *from);

// The target of a call: an address, or (none) any function of this machine. An address names a
// function, and so its listener; without one, listeners of other users do not count.
struct rdma_target {
    const uint8_t *address; // RDMA_ADDRESS_SIZE bytes, or NULL
    uint32_t port;
    uid_t uid;                    // the caller's
    const struct function *first; // preferred to others that match; may be NULL
};

// Returns NULL if there is none.
struct rdma_listener *rdma_listener_find(const struct node *node, const struct rdma_target *target);

// A call of this user, of this linked node (NULL: of this node). *fd is the caller's end, which the
// caller of this function owns.
doca_error_t rdma_listener_offer(struct rdma_listener *listener, struct user *user,
                                 struct peer *peer, const Docad__RdmaOffer *offer, int *fd,
                                 struct errtext *err);

// The function's first address, in IPv6's form. Returns false if it has none.
bool rdma_function_address(const struct function *function, uint8_t out[RDMA_ADDRESS_SIZE]);

// Handlers of requests.
doca_error_t on_rdma_listen(struct request *request);
doca_error_t on_rdma_listen_end(struct request *request);
doca_error_t on_rdma_call(struct request *request);

// Handles the call of an endpoint on a linked node.
void rdma_peer_call(struct peer *peer, const Docad__Message *message);

// ---- listener_kind.c ----------------------------------------------------------------------

extern const struct object_kind listener_kind;

doca_error_t rdma_listener_keep(struct rdma_listener *listener, struct errtext *err);

// Returns NULL if memory is short.
struct rdma_listener *rdma_listener_make(struct session *session, const struct function *function,
                                         uint16_t port);
doca_error_t rdma_listener_enter(struct rdma_listener *listener, uint64_t id,
                                 const struct limits *limits, struct errtext *err);

#endif
