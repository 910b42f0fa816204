// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Peers: the daemons that this one dials, and those that dialled it. A peer is linked once both
// have sent hello.
//
// If there are two links to one node, the one that the DPU dialled stays; between equal roles, the
// one that the node with the smaller id dialled. A dialling peer whose link was dropped for that is
// standby until the other link ends.

#ifndef DAEMON_PEER_H
#define DAEMON_PEER_H

#include "errtext.h"
#include "fdstore.h"
#include "function.h"
#include "idmap.h"
#include "list.h"
#include "message.h"
#include "node_id.h"
#include "peer_named.h"
#include "state_table.h"
#include "topology.h"
#include "tree.h"
#include "loop_sched.h"
#include "user.h"

struct config_peer;
struct connection;
struct event;
struct grant;
struct import;
struct name_source;
struct peer_names;
struct node;
struct grace_period;
struct tls_handshake;

// How bytes travel between nodes whose link carries no descriptors.
enum way { WAY_UNKNOWN, WAY_DEVICE, WAY_LINK };

// The charges of a linked node for its sessions: see importer.h.
struct peer_held {
    uint64_t importers, grants, qpairs, descriptors;
};

// The state of announcing names that are published here to a linked node: announcement.h.
struct announcement {
    struct sched_item turn;
    uint64_t announced;    // while not all are announced: names with ids up to this are known there
    uint64_t resume_after; // PeerResume ends after the names with ids up to this; 0: it has ended
    struct list withdrawn; // names that it has, and whose end is still to be sent
    struct tree theirs;    // those of them that the node itself has published, by name and uid
    uint64_t in_succession; // messages since the link's output drained
    bool begun;             // from announcement_begin() to announcement_end()
    bool behind;            // there are names, or withdrawn ones, that were not sent to it
    bool waits;             // for room in the link's output
};

enum peer_state {
    PEER_CONNECTING, // not linked; the timer dials, or limits the wait for the answer
    PEER_STANDBY,    // another link to the same node is in use
    PEER_LINKED,
};

struct peer {
    struct list in_node;
    struct node *node;
    uint64_t id;
    const struct config_peer *config; // NULL: it dialled us
    enum peer_state state;
    bool no_descriptors; // the link carries none, because one of the two sides does not accept them
    bool refused;        // the last attempt was refused
    struct connection *connection; // NULL while not connected
    struct sched_user sched;
    struct tls_handshake *dialling; // while a connection to another machine is being made;
                                    // otherwise NULL
    struct event *timer;
    unsigned backoff_ms; // until the next attempt if one fails
    unsigned again_ms;   // the same if a link ends soon after it was made
    uint64_t linked_ms;  // when it was linked last
    char last_error[sizeof(struct errtext)];

    // The node at the other end. Known since the first hello, up to date while linked.
    bool known;
    bool certified; // its certificate proves its name: it is on another machine
    uint8_t id_there[NODE_ID_SIZE];
    char name[NODE_NAME_SIZE];
    enum role role;
    struct function functions[FUNCTIONS_MAX];
    size_t n_functions;
    bool has_rdma; // it has RDMA devices that are up, which are not among its functions
    bool by_uid;   // its docad keeps names and listeners of users apart

    uint8_t run[NODE_RUN_SIZE];      // identifies the run of its docad
    uint8_t next_run[NODE_RUN_SIZE]; // the run that its latest hello named
    bool resumable;                  // a later run may continue with its objects
    bool resumes_apart;              // it resumes links that carry no descriptors
    bool was_apart;                  // the link that is waited for carried no descriptors
    bool away;                       // not linked; objects that use the link wait: peer_resume.h
    struct event *grace;             // ends the waiting
    struct stored stored;

    uint64_t last_serial;
    struct list requests;
    struct idmap requests_by_serial;
    unsigned n_bounded, n_overdue; // counts of requests: see peer_request.c
    bool has_resumed;              // on this link: it has named the objects that it continues with
    struct idmap imports_by_grant; // imports of our sessions, by the id of the grant there
    struct list importers;         // sessions there that use our exports
    struct idmap importers_by_session;
    struct peer_named named; // objects that it must name when it is back
    struct sched_item
        resuming; // names what this node continues with, and asks again: peer_resume.c
    struct peer_names *naming;
    uint64_t asked_again, ask_again_until; // serials of requests
    struct sched_item sweeping;            // ends those that it does not name: peer_pieces.h
    struct sched_item ending; // ends what depends on a link that is lost, for this reason:
    char lost[sizeof(struct errtext)];
    bool is_ending;
    void (*when_ended)(struct peer *peer);
    struct list rdma_callers;  // users whose RDMA calls wait here: rdma_listener.c
    struct users users;        // who share what it may have here
    struct peer_held held;     // charges for all of them
    struct name_source *names; // those that it has published, or NULL: ended_names.h
    struct announcement announcement;
    struct list ended_imports;  // imports that it has ended, while we wait for their threads to
                                // leave
    struct idmap channels;      // channels of our processes, by the id that both nodes share
    struct idmap relays;        // what relays their messages, by the same id
    struct list relays_waiting; // relays that wait for room in the link
    struct idmap link_queues;   // queue pairs whose bytes go over the link
    struct list link_ready;     // queues that wait for their turn to send
    struct tree link_rounds, link_uids; // the same ones, by round, and by user
    uint64_t link_order;
    uint64_t link_round;         // round of the last turn
    uint64_t link_piece_end;     // where the last piece ends in the connection's output
    uint8_t way;                 // enum way: the last one that was logged, with these devices
    bool no_device_here;         // bytes go over the link for a reason on this node
    uint64_t no_rdma_until;      // clock_ms(): until then RDMA counts as not reaching it
                                 // (rc_device.h)
    unsigned no_rdma_tries;      // failed tries in succession
    struct errtext no_rdma;      // the reason
    struct list qpairs;          // queue pairs of our sessions which its engine serves
    struct list qpairs_to_renew; // those that are looked at when its link is up again
    struct idmap qpairs_there;   // those of them that have an id there, by that
};

// The place from which the peer dialled.
const char *peer_came_from(const struct peer *peer);

// Returns true if it is on another machine: no descriptor can be passed to it.
bool peer_is_remote(const struct peer *peer);

// Gets when the certificate of a linked node expires, in seconds since 1970. Returns false if it
// has none, or is not linked.
bool peer_certificate_expires(const struct peer *peer, int64_t *expires_s);

// Finds a node that is linked or expected back; NULL if there is none.
struct peer *peer_find(struct node *node, const uint8_t id[NODE_ID_SIZE]);

// Returns NULL if no link to that node is up.
struct peer *peer_find_linked(struct node *node, const uint8_t id[NODE_ID_SIZE]);

// Returns whether the link may come back after it was lost, so that objects that use it wait.
bool peer_may_return(const struct peer *peer);

// Called when this node's functions have changed.
void peers_announce_functions(struct node *node);

// Sends one message that has no answer.
void peer_send(struct peer *peer, Docad__Message *message);
void peer_reply_ok(struct peer *peer, uint64_t serial);
// Answers NOT_PERMITTED, because of a rule of the policy.
void peer_reply_refused(struct peer *peer, uint64_t serial, const char *text);
void peer_reply_error(struct peer *peer, uint64_t serial, doca_error_t code, const char *text);

void peer_import_release(struct peer *peer, uint64_t grant_id);
void peer_qpair_destroy(struct peer *peer, uint64_t qpair_id);
void peer_qpair_failed(struct peer *peer, uint64_t qpair_id);

// Tells the node that the grant it named does not exist or is not its own.
void peer_notify_no_grant(struct peer *peer, uint64_t grant_id);

// Tells the importer's node that the grant has ended; `grace` (may be NULL) waits for the
// acknowledgement.
void peer_grant_ended(struct peer *peer, uint64_t grant_id, enum slot_state state,
                      struct grace_period *grace);

// DOCA_ERROR_NOT_SUPPORTED if the link carries no descriptors, which `what` needs.
doca_error_t peer_check_descriptors(const struct peer *peer, const char *what, struct errtext *err);

// Logs, once for each link and change of devices, how bytes travel: through a device of ours (its
// text), or (NULL) over the link itself, for this reason (NULL: that node offers no device).
void peer_log_way(struct peer *peer, const char *device, const char *why);

// Called when the node reports whether it has RDMA devices. After a change, earlier decisions do
// not count.
void peer_set_rdma(struct peer *peer, bool has_rdma);

// Returns how bytes travel to a linked peer: "memory", "rdma" or "link", as peer_log_way() has
// logged it or, before that, as is to be expected. *without_device: with "link" the node that uses
// no RDMA device, otherwise NULL.
const char *peer_way(const struct peer *peer, const char **without_device);

// Converts a code that came from another daemon: DOCA_ERROR_DRIVER if it is not a valid code.
doca_error_t peer_error_code(const Docad__Error *error);

#endif
