// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA endpoints: started instances of RDMA of this node's sessions, and how two of them
// are connected.
//
// A connection is a memory file and a stream socket, one end for each side. Whichever side
// connects first makes docad make them, and reserves the other one. Between nodes the one
// with the smaller id makes them. docad keeps a side's part until its client asks for it,
// and nothing afterwards but the lifeline, whose closing tells the client that its endpoint
// has ended. A byte there only wakes it.

#ifndef DAEMON_RDMA_ENDPOINT_H
#define DAEMON_RDMA_ENDPOINT_H

#include "idmap.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "rdma_desc.h"
#include "session.h"
#include "state_table.h"

#include <sys/types.h>

struct function;
struct limits;
struct node;
struct object_kind;
struct peer;
struct peer_request;

struct rdma_endpoint {
    struct list link, session_link; // node->rdma_endpoints
    struct idmap_node id;
    struct session *session;
    const struct function *function;
    uint32_t permissions;
    uint32_t slot;
    enum slot_state state;
    int lifeline;
    uint8_t token[RDMA_TOKEN_SIZE];

    bool paired;    // reserved for one other endpoint
    bool stale;     // until its linked node names it: peer_resume.h
    bool connected; // its client has its part
    struct rdma_other {
        uint8_t node[NODE_ID_SIZE];
        uint64_t id;
        uint8_t token[RDMA_TOKEN_SIZE];
        uint32_t permissions;
        uid_t uid;
        struct rdma_endpoint *here; // on this node,
        struct peer *peer;          // or on a linked one
    } other;
    unsigned side;
    int memfd, channel; // until the client asks for them

    struct peer_request *request; // a linked node is being asked
    uint64_t serial;              // of the client's request
    struct kept kept;
};

// Tells the other side. Takes NULL, returns NULL.
struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint);

// The other side has gone, or is out of reach. An endpoint that was only reserved is free
// again.
void rdma_endpoint_end(struct rdma_endpoint *endpoint, enum slot_state state);

// Lets go of the other side and of what docad keeps for this one.
void rdma_endpoint_unpair(struct rdma_endpoint *endpoint);

// Tells the linked node that `endpoint`, its own, is not paired with this one any more.
void rdma_tell_ended(struct peer *peer, uint64_t endpoint, uint64_t from);

// The linked node on which the other side is: this one has gone.
void rdma_endpoint_tell_peer(const struct rdma_endpoint *endpoint);

// The client has its part for certain: docad lets go of it.
void rdma_part_arrived(struct rdma_endpoint *endpoint);

// The client's requests.
SESSION_REQUEST(on_rdma_endpoint_create);
SESSION_REQUEST(on_rdma_endpoint_destroy);
SESSION_REQUEST(on_rdma_connect);

// What a linked node says.
void rdma_peer_connect(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
void rdma_peer_ended(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind rdma_kind;

// Puts its record.
void rdma_endpoint_keep(struct rdma_endpoint *endpoint);

// NULL if memory is short.
struct rdma_endpoint *rdma_endpoint_make(struct session *session, const struct function *function,
                                         uint32_t permissions);

doca_error_t rdma_endpoint_enter(struct rdma_endpoint *endpoint, uint64_t id,
                                 const struct limits *limits, struct errtext *err);

#endif
