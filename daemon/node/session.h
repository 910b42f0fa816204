// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A session: one client process's connection, and what it owns. All of it goes with the
// connection.

#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "activity_page.h"
#include "function.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "monitor.h"
#include "policy.h"

#include <stdbool.h>
#include <sys/types.h>

struct connection;
struct export;
struct importer;
struct node;
struct process_memory;
struct rdma_endpoint;
struct user;

struct session {
    struct list link;
    struct node *node;
    struct connection *connection;
    struct user *user;
    uint64_t id;
    pid_t pid;
    struct credentials credentials;
    char program[64];
    bool tool;
    bool charged; // as a session of its user
    uint64_t since_ms;

    uint32_t open[FUNCTIONS_MAX]; // how often each function is open, by its id - 1
    struct list representors;     // open ones
    unsigned n_representors;
    struct list regions, imports, qpairs, rdma_endpoints, lookups, settlements;
    struct list services, channels; // of the Comm Channel
    uint64_t n_regions, n_exports, n_imports, n_qpairs, n_lookups, region_bytes;
    uint64_t n_channels;           // services and connections
    struct process_memory *memory; // the latest it has sent
    struct importer *importer;     // as importer from this node itself
    struct activity_page activity; // what its threads are at
    struct monitor monitor;        // of a tool that follows what happens

    uint64_t serial; // of the latest request
    struct kept kept;
    uint64_t kept_memory;              // of an earlier docad: the id of `memory`
    struct rdma_endpoint *unconfirmed; // whose part the client may not have got
};

// A client has said Hello: takes the connection over (with its charge on the user) and
// answers. If the client cannot be served it is told and its connection closed. False if
// memory is short: connection and charge stay the caller's.
bool session_accept(struct node *node, struct connection *connection, struct user *user,
                    uint64_t serial, const Docad__Hello *hello);

// Takes NULL, returns NULL.
struct session *session_free(struct session *session);

// ---- answers: each request has one ---------------------------------------------------------

// The descriptors stay the caller's.
void session_reply(struct session *session, uint64_t serial, Docad__Message *message,
                   const int *fds, size_t n_fds);
void session_reply_ok(struct session *session, uint64_t serial);
void session_reply_error(struct session *session, uint64_t serial, doca_error_t code,
                         const char *text);

// ---- requests ----------------------------------------------------------------------------------

// Answers the request, now or later, if it returns DOCA_SUCCESS; otherwise the caller does.
typedef doca_error_t (*session_request_fn)(struct session *session, const Docad__Message *request,
                                           struct fd_list *fds, struct errtext *err);

// The function for a request; NULL if there is none. `name` is for logs.
session_request_fn session_find_request(Docad__Message__BodyCase body, const char **name);

// ---- for what it owns -----------------------------------------------------------------------

// The function with this id, opened by the session: DOCA_ERROR_NOT_FOUND if there is
// none, DOCA_ERROR_BAD_STATE if it is not open.
doca_error_t session_open_function(const struct session *session, uint32_t id,
                                   const struct function **out, struct errtext *err);

// The session as an importer from this node, made if there is none.
doca_error_t session_importer(struct session *session, struct importer **out, struct errtext *err);

doca_error_t session_take_slot(struct session *session, uint32_t *slot, struct errtext *err);
void session_give_slot(struct session *session, uint32_t slot);

// Root, or docad's own uid.
bool session_is_privileged(const struct session *session);

// May it see what this user has?
bool session_may_see(const struct session *session, const struct user *user);
bool session_owns_export(const struct session *session, const struct export *export);

// A session of an earlier docad: takes the connection and the activity page over. NULL if
// memory is short.
struct session *session_restore(struct node *node, struct connection *connection, struct user *user,
                                uint64_t id, const Docad__KeptSession *record, int activity);

// Open representors: session_functions.c.
size_t session_kept_representors(const struct session *session, Docad__KeptName *names,
                                 Docad__KeptName **list, size_t max);
void session_restore_representors(struct session *session, const Docad__KeptSession *record);
void session_close_representors(struct session *session);
bool session_has_representor(const struct session *session, uint32_t id);

#endif
