// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Peers: the daemons that this one dials, and those that dialled it. A peer is linked
// once both have said hello.
//
// Of two links to one node the one that the DPU dialled stays; between equal roles, the
// one that the node with the smaller id dialled. A dialling peer whose link gave way
// stands by until the other link ends.

#ifndef DAEMON_PEER_H
#define DAEMON_PEER_H

#include "errtext.h"
#include "function.h"
#include "idmap.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "node_id.h"
#include "state_table.h"
#include "topology.h"

struct config_peer;
struct connection;
struct event;
struct grant;
struct import;
struct node;
struct settlement;
struct tls_handshake;

// Which way bytes go over a link that carries no descriptors.
enum way { WAY_UNKNOWN, WAY_DEVICE, WAY_LINK };

// What is charged to a linked node, for its sessions: importer.h.
struct peer_held {
    uint64_t importers, grants, qpairs, descriptors;
};

enum peer_state {
    PEER_CONNECTING, // not linked; the timer dials, or limits the wait for the answer
    PEER_STANDBY,    // another link to the same node serves
    PEER_LINKED,
};

struct peer {
    struct list link;
    struct node *node;
    uint64_t id;
    const struct config_peer *config; // NULL: it dialled us
    enum peer_state state;
    bool no_descriptors;            // the link carries none: one of the two said so
    bool refused;                   // the last attempt was answered with a no
    struct connection *connection;  // NULL while not connected
    struct tls_handshake *dialling; // on its way to another machine; NULL otherwise
    struct event *timer;
    unsigned backoff_ms; // to the next attempt, if one fails
    unsigned again_ms;   // the same, if a link ends soon
    uint64_t linked_ms;  // when it was linked last
    char last_error[sizeof(struct errtext)];

    // Who is there. Known since the first hello, current while linked.
    bool known;
    bool certified; // its certificate says that this is its name: it is on another machine
    uint8_t id_there[NODE_ID_SIZE];
    char name[NODE_NAME_SIZE];
    enum role role;
    struct function functions[FUNCTIONS_MAX];
    size_t n_functions;
    bool has_rdma; // devices that are up, which are not among those

    uint8_t run[NODE_RUN_SIZE];      // which docad it is
    uint8_t next_run[NODE_RUN_SIZE]; // and what its latest hello said
    bool resumable;                  // another one may follow it and go on
    bool resumes_apart;              // it takes up links that carry no descriptors
    bool was_apart;                  // the link that is waited for was one
    bool away;                       // not linked; what goes over the link waits: peer_resume.h
    struct event *grace;             // until then
    struct kept kept;

    uint64_t last_serial;
    struct list requests;
    unsigned n_bounded, n_overdue; // of them: peer_request.c
    bool has_resumed;              // over this link: it has said what it goes on with
    struct idmap imports_by_grant; // imports of our sessions, by the grant there
    struct list importers;         // sessions there that use exports of ours
    struct peer_held held;         // for them
    uint64_t n_publications;       // names that it published
    struct list told;              // imports that it ended: waits for their threads to leave
    struct idmap relays;           // channels of our processes, by the id that both nodes use
    struct list relays_waiting;    // until the link has room
    struct idmap link_queues;      // queue pairs whose bytes go over the link
    struct list link_turns;        // those that wait for their turn to send
    uint64_t link_round;           // of the last turn
    uint64_t link_piece_end;       // where the last piece ends in what the connection sends
    uint8_t way;                   // enum way: the last one that was logged
    bool no_device_here;           // it is the link, for a reason of this node's
    uint64_t no_rdma_until;        // clock_ms(): RDMA does not get there (rc_device.h)
    unsigned no_rdma_tries;        // in vain, one after the other
    struct errtext no_rdma;        // why
    struct list qpairs;            // queue pairs of our sessions that its engine serves
};

// Where it dialled from.
const char *peer_came_from(const struct peer *peer);

// It is on another machine: no descriptor can be handed to it.
bool peer_is_remote(const struct peer *peer);
// A linked node, or one that is waited for; NULL if there is none.
struct peer *peer_find(struct node *node, const uint8_t id[NODE_ID_SIZE]);

// NULL if no link to that node is up.
struct peer *peer_find_linked(struct node *node, const uint8_t id[NODE_ID_SIZE]);

// May the link come back after it was lost, so that what goes over it waits?
bool peer_may_return(const struct peer *peer);

// This node's functions have changed.
void peers_announce_functions(struct node *node);

// One message without an answer.
void peer_send(struct peer *peer, Docad__Message *message);
void peer_reply_ok(struct peer *peer, uint64_t serial);
// NOT_PERMITTED, by a rule of the policy.
void peer_reply_refused(struct peer *peer, uint64_t serial, const char *text);
void peer_reply_error(struct peer *peer, uint64_t serial, doca_error_t code, const char *text);

void peer_import_release(struct peer *peer, uint64_t grant_id);
void peer_qpair_destroy(struct peer *peer, uint64_t qpair_id);
void peer_qpair_failed(struct peer *peer, uint64_t qpair_id);

// What the node named is no grant, or not its own.
void peer_tell_no_grant(struct peer *peer, uint64_t grant_id);

// Tells the importer's node; `settlement` (may be NULL) waits for its acknowledgement.
void peer_grant_ended(struct peer *peer, uint64_t grant_id, enum slot_state state,
                      struct settlement *settlement);

// DOCA_ERROR_NOT_SUPPORTED if the link carries no descriptors, which `what` needs.
doca_error_t peer_check_descriptors(const struct peer *peer, const char *what, struct errtext *err);

// Says, once for a link, which way bytes go: by a device of ours (its text), or (NULL) over the
// link itself, for this reason (NULL: that node offers no device).
void peer_say_way(struct peer *peer, const char *device, const char *why);

// A code that came from another daemon: DOCA_ERROR_DRIVER if it is none.
doca_error_t peer_error_code(const Docad__Error *error);

#endif
