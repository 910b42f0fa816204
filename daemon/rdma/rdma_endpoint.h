// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA endpoints: started RDMA instances of this node's sessions, and how two of them are
// connected.
//
// A connection is a memory file and a stream socket, one end for each side. The side that connects
// first makes docad create them, and reserves the other one. Between nodes the one with the smaller
// id makes them. docad keeps a side's part until its client requests it, and afterwards only the
// lifeline. When docad closes the lifeline, the client detects that its endpoint has ended. A byte
// there only wakes the client.

#ifndef DAEMON_RDMA_ENDPOINT_H
#define DAEMON_RDMA_ENDPOINT_H

#include "list.h"
#include "message.h"
#include "object.h"
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
    struct object object;
    const struct function *function;
    uint32_t permissions;
    struct comch_part { // of Comch's fast path: see the protocol
        enum { COMCH_NONE, COMCH_CONSUMER, COMCH_PRODUCERS } what;
        uint64_t channel;
        uint32_t id;
    } comch;
    enum slot_state state;
    int lifeline;
    uint8_t token[RDMA_TOKEN_SIZE];

    bool paired;    // reserved for one other endpoint
    bool connected; // its client has its part
    struct rdma_other {
        uint8_t node[NODE_ID_SIZE];
        uint64_t id;
        uint8_t token[RDMA_TOKEN_SIZE];
        uint32_t permissions;
        uid_t uid;
        struct rdma_endpoint *here; // the other side if it is on this node,
        struct peer *peer;          // or its linked node
    } other;
    unsigned side;
    int memfd, channel; // until the client requests them

    struct idmap_node named; // while its other side is on a linked node: peer_named.h

    struct peer_request *request; // the request to a linked node
    uint64_t serial;              // serial of the client's request
    struct {                      // while it searches for a listener: rdma_listener.h
        bool here;                // any function of this machine will do
        uint8_t address[16];
        uint16_t port;
        uint64_t asked; // id of the linked node that got the latest request
    } call;
};

// Frees the endpoint and notifies the other side. Takes NULL, returns NULL.
struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint);

// Called when the other side has ended or cannot be reached. An endpoint that was only reserved
// becomes free again.
void rdma_endpoint_end(struct rdma_endpoint *endpoint, enum slot_state state);

// The other side is on this linked node.
void rdma_endpoint_set_peer(struct rdma_endpoint *endpoint, struct peer *peer);

// Releases the other side, and the part that docad keeps for this one.
void rdma_endpoint_unpair(struct rdma_endpoint *endpoint);

// Makes the endpoint's descriptor; `verbs` is its queue pair's address on an ibverbs device.
doca_error_t rdma_endpoint_describe(const struct rdma_endpoint *endpoint,
                                    const Docad__RdmaVerbs *verbs, uint8_t buf[RDMA_DESC_SIZE_MAX],
                                    size_t *size, struct errtext *err);

// Notifies the linked node that `endpoint`, its own, is not paired with this one any more.
void rdma_notify_ended(struct peer *peer, uint64_t endpoint, uint64_t from);

// Notifies the linked node of the other side that this endpoint has ended.
void rdma_endpoint_notify_peer(const struct rdma_endpoint *endpoint);

// Called when the client certainly has its part: docad releases it.
void rdma_part_arrived(struct rdma_endpoint *endpoint);

// Handlers of the client's requests.
doca_error_t on_rdma_endpoint_create(struct request *request);
doca_error_t on_rdma_endpoint_destroy(struct request *request);
doca_error_t on_rdma_connect(struct request *request);

// Handlers of a linked node's messages.
void rdma_peer_connect(struct peer *peer, const Docad__Message *message, struct fd_list *fds);
void rdma_peer_ended(struct peer *peer, const Docad__Message *message);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind rdma_kind;

// Stores its record.
doca_error_t rdma_endpoint_keep(struct rdma_endpoint *endpoint, struct errtext *err);
void rdma_endpoint_changed(struct rdma_endpoint *endpoint); // the same, and logs a failure

// `m` may be NULL.
void rdma_endpoint_set_comch(struct rdma_endpoint *endpoint, const Docad__ComchPart *m);

// Returns NULL if memory is short.
struct rdma_endpoint *rdma_endpoint_make(struct session *session, const struct function *function,
                                         uint32_t permissions);

doca_error_t rdma_endpoint_enter(struct rdma_endpoint *endpoint, uint64_t id,
                                 const struct limits *limits, struct errtext *err);

#endif
