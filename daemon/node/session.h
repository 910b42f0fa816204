// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A session: the connection of one client process, and the objects that it owns. They all end
// with the connection.

#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "activity_page.h"
#include "credentials.h"
#include "fdstore.h"
#include "function.h"
#include "idmap.h"
#include "list.h"
#include "message.h"
#include "monitor.h"
#include "object.h"
#include "state_table.h"
#include "work_walk.h"

#include <stdbool.h>
#include <sys/types.h>

struct connection;
struct importer;
struct node;
struct process_memory;
struct rdma_endpoint;
struct grace_period;
struct user;

// docad's memory for a session, with its connection, and with what the kernel and libevent keep of
// it. The groups of its process are added: session_bytes().
#define SESSION_MEMORY 16384

struct session {
    struct list in_node;
    struct list in_ending; // node->ending, while its objects end
    struct sched_item ending_turn;
    struct idmap_node by_id, by_user;
    struct node *node;
    struct connection *connection;
    struct user *user;
    uint64_t id;
    pid_t pid;
    struct credentials credentials;
    char program[64];
    bool tool;
    bool charged; // counted as a session of its user
    bool ending;  // its connection has ended, and its objects end: no request can use them
    struct grace_period *ended_for; // of the tool whose request ends it, and waits for the end
    uint64_t since_ms;

    uint32_t open[FUNCTIONS_MAX]; // how often each function is open, by its id - 1
    struct list representors;     // the open ones
    unsigned n_representors;
    struct list objects[OBJECT_KINDS]; // by the number of their record
    struct list lookups, grace_periods;
    struct list publications; // names that it has published here
    uint64_t n_regions, n_exports, n_imports, n_qpairs, n_lookups, region_bytes;
    uint64_t n_channels;           // services, connections and RDMA listeners
    struct process_memory *memory; // the latest one it has sent
    struct importer *importer;     // its importer for exports of this node
    struct activity_page activity; // what its threads are using
    struct monitor monitor;        // for a tool that follows events
    struct work_wait metrics;      // for a tool that waits for metrics
    uint64_t metrics_serial;
    struct sched_item waking; // wakes endpoints that may wait for memory that is gone: rdma_kind.c
    uint64_t to_wake;

    uint64_t serial; // serial of the latest request
    struct stored stored;
    uint64_t kept_memory;              // id of `memory` in an earlier docad
    struct rdma_endpoint *unconfirmed; // the client may not have received its part
};

// Adds it to the node, or removes it; all that it owns has ended by then. The caller handles the
// charges on the user.
void session_init(struct session *session, struct node *node, struct connection *connection,
                  struct user *user, uint64_t id);
void session_fini(struct session *session);

// Asks the kernel for the groups of its process. DOCA_ERROR_NOT_PERMITTED if they cannot be known:
// then the session may do nothing.
doca_error_t session_take_groups(struct session *session, struct errtext *err);

// Returns its size in docad's memory, for its user's account.
uint64_t session_bytes(const struct session *session);

// Counts it on its node, once its user is charged for it; the opposite also ends the charge.
void session_count(struct session *session);
void session_uncount(struct session *session);

// ---- answers: each request has one ---------------------------------------------------------

// The caller keeps the descriptors.
void session_reply(struct session *session, uint64_t serial, Docad__Message *message,
                   const int *fds, size_t n_fds);
void session_reply_ok(struct session *session, uint64_t serial);
void session_reply_error(struct session *session, uint64_t serial, doca_error_t code,
                         const char *text);

// ---- requests ----------------------------------------------------------------------------------

struct request {
    struct session *session;
    const Docad__Message *message;
    struct fd_list *fds; // received with it; those that no handler takes are closed afterwards
    struct errtext *err; // why it was refused
};

// DOCA_ERROR_NOT_FOUND: the session has no such object ("region").
doca_error_t session_has_no(const char *what, uint64_t id, struct errtext *err);

// Both return DOCA_SUCCESS, which means that the request is answered.
doca_error_t request_reply(const struct request *request, Docad__Message *message);
doca_error_t request_reply_ok(const struct request *request);

// ---- for what it owns -----------------------------------------------------------------------

// Finds the function with this id, which the session must have opened: DOCA_ERROR_NOT_FOUND if
// there is none, DOCA_ERROR_BAD_STATE if it is not open.
doca_error_t session_open_function(const struct session *session, uint32_t id,
                                   const struct function **out, struct errtext *err);

doca_error_t session_take_slot(struct session *session, uint32_t *slot, struct errtext *err);
void session_give_slot(struct session *session, uint32_t slot);

// Claims the slot that the object had with an earlier docad, and reads its state. Returns false if
// the slot does not belong to the object.
bool session_claim_slot(struct session *session, uint32_t slot, uint64_t id,
                        enum slot_state *state);

// True for root and docad's own uid.
bool session_is_privileged(const struct session *session);

// Returns whether the session may see the owner's objects. A subordinate uid is another user here.
bool session_may_see(const struct session *session, const struct session *owner);

// Stores the session's record.
doca_error_t session_keep(struct session *session, struct errtext *err);

#endif
