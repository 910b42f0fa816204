// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "pending_connection.h"

#include "clock.h"
#include "fd_reaper.h"
#include "config.h"
#include "connection.h"
#include "listener.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "peer_life.h"
#include "session.h"
#include "session_life.h"
#include "tls_transport.h"
#include "user.h"

#include <event2/event.h>
#include <string.h>
#include <unistd.h>

#define HELLO_LIMIT_MS 10000

// Pending connections of one node: it may reconnect before docad has noticed that the former
// connection has ended.
#define REMOTE_MAX 4

// Connections that a uid may have besides its limit of sessions, so that docad can report that
// limit.
#define EXTRA_CONNECTIONS 32

struct pending_connection {
    struct list in_node;
    struct node *node;
    struct connection *connection;
    struct user *user;
    struct event *timer;
    bool refused; // the log has the reason
};

// Frees `p` without the connection and its charge, which belong to another object now.
static void release(struct pending_connection *p)
{
    list_remove(&p->in_node);
    event_free(p->timer);
    user_unref(p->user);
    free(p);
}

static void release_if(struct pending_connection *p, bool taken)
{
    if (taken)
        release(p);
    else
        connection_drop(p->connection, "out of memory");
}

struct pending_connection *pending_connection_free(struct pending_connection *p)
{
    if (!p)
        return NULL;
    struct node *node = p->node;
    connection_free(p->connection);
    limit_give(&p->user->connections, 1);
    release(p);
    listener_resume(node->listener);
    return NULL;
}

void pending_connections_free_all(struct node *node)
{
    while (!list_empty(&node->pending_connections))
        pending_connection_free(
            list_entry(node->pending_connections.next, struct pending_connection, in_node));
}

static void answer_error(struct pending_connection *p, uint64_t serial, doca_error_t code,
                         const char *text)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    error.code = code;
    error.text = (char *)text;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    connection_send(p->connection, &message, NULL, 0);
}

static void refuse(struct pending_connection *p, uint64_t serial)
{
    answer_error(p, serial, DOCA_ERROR_INVALID_VALUE,
                 connection_remote(p->connection)
                     ? "only daemons may connect from another machine: the first message must be "
                       "PeerHello"
                     : "the first message of a connection must be Hello or PeerHello");
    connection_finish(p->connection, "sent no hello");
}

static void receive_peer(struct pending_connection *p, const Docad__Message *message)
{
    struct errtext err;
    doca_error_t r =
        peer_accept(p->node, p->connection, message->serial, message->peer_hello, &err);
    if (r == DOCA_SUCCESS) {
        limit_give(&p->user->connections, 1);
        release(p);
        return;
    }
    p->refused = true;
    p->node->counters.links_unwelcome++;
    answer_error(p, message->serial, r, err.s);
    connection_finish(p->connection, err.s);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct pending_connection *p = owner;
    (void)fds;

    if (message->serial == 0) {
        refuse(p, 0);
    } else if (message->body_case == DOCAD__MESSAGE__BODY_HELLO &&
               !connection_remote(p->connection)) {
        release_if(
            p, session_accept(p->node, p->connection, p->user, message->serial, message->hello));
    } else if (message->body_case == DOCAD__MESSAGE__BODY_PEER_HELLO) {
        receive_peer(p, message);
    } else {
        refuse(p, message->serial);
    }
}

static void on_closed(void *owner, const char *why)
{
    struct pending_connection *p = owner;
    const struct tls_transport *remote = connection_remote(p->connection);
    if (p->refused)
        log_debug("a refused peer's connection ended: %s", why);
    else if (remote)
        log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_WARNING,
                          LOG_ABOUT(.peer = tls_transport_node(remote)),
                          "link from %s (%s) dropped: %s", tls_transport_node(remote),
                          tls_transport_address(remote), why);
    else if (!connection_was_left(p->connection))
        log_limited(LOG_LEVEL_WARNING, "connection (pid %d, uid %u) dropped: %s",
                    (int)connection_pid(p->connection), (unsigned)connection_uid(p->connection),
                    why);
    pending_connection_free(p);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct pending_connection *p = arg;
    (void)fd;
    (void)what;
    connection_drop(p->connection, "no hello within %d ms", HELLO_LIMIT_MS);
}

#define LOG_ABOUT_CLIENT(c) LOG_ABOUT(.pid = connection_pid(c), .uid = connection_uid(c))

// Checks whether the user may have another connection, and sets the reason if not: too many of
// them, or descriptors that cannot be closed.
static doca_error_t check_user(const struct pending_connection *p, struct errtext *err)
{
    uint64_t limit = node_limits(p->node)->value[LIMIT_SESSIONS];
    uint64_t others = p->user->connections - 1;
    unsigned uid = (unsigned)p->user->uid;
    struct errtext why;

    if (fd_reaper_load(p->user->uid) == FD_REAPER_STUCK)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "uid %u sent file descriptors that cannot be closed, because the files "
                           "behind them do not respond; end its programs",
                           uid);
    // Connections may have half of the user's descriptors; the others are for sessions.
    if (limit_check_share(node_limits(p->node), LIMIT_DESCRIPTORS, &p->user->descriptors,
                          p->user->connections / 2, &why) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "uid %u has %llu connections: %s", uid,
                           (unsigned long long)others, why.s);
    if (limit >= UINT64_MAX - EXTRA_CONNECTIONS || others < limit + EXTRA_CONNECTIONS)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "uid %u has %llu connections; end programs (docactl sessions), or raise "
                       "sessions_per_uid in the limits section of docad's configuration",
                       uid, (unsigned long long)others);
}

// Sends the reason immediately, without waiting for the program's hello.
static bool refuse_too_many(struct pending_connection *p)
{
    struct errtext err;

    doca_error_t r = check_user(p, &err);
    if (r == DOCA_SUCCESS)
        return false;
    log_event_limited(LOG_EVENT_CONNECTION_REFUSED, LOG_LEVEL_WARNING,
                      LOG_ABOUT_CLIENT(p->connection), "a connection was refused: %s", err.s);
    answer_error(p, 0, r, err.s);
    return true;
}

// Refuses a node on another machine that has too many connections.
static bool refuse_one_too_many(const struct pending_connection *p)
{
    const struct tls_transport *tls = connection_remote(p->connection);
    const struct pending_connection *other;
    unsigned n = 0;

    list_for_each (other, &p->node->pending_connections, in_node) {
        const struct tls_transport *others = connection_remote(other->connection);
        n += others && strcmp(tls_transport_node(others), tls_transport_node(tls)) == 0;
    }
    if (n <= REMOTE_MAX)
        return false;
    p->node->counters.links_silent++;
    log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING,
                      LOG_ABOUT(.peer = tls_transport_node(tls)),
                      "a link from %s (%s) was refused: %d others have not sent hello yet",
                      tls_transport_node(tls), tls_transport_address(tls), REMOTE_MAX);
    return true;
}

static struct pending_connection *make(struct node *node, struct connection *connection)
{
    struct pending_connection *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    p->user = user_get(&node->users, connection_account(connection));
    p->timer = event_new(node->base, -1, 0, on_timer, p);
    if (!p->user || !p->timer) {
        user_unref(p->user);
        if (p->timer)
            event_free(p->timer);
        free(p);
        return NULL;
    }
    p->node = node;
    p->connection = connection;
    list_append(&node->pending_connections, &p->in_node);
    p->user->connections++;
    return p;
}

static void receive(struct node *node, struct connection *connection)
{
    static const struct connection_owner owner = {.message = on_message, .closed = on_closed};
    struct timeval limit = ms_to_timeval(HELLO_LIMIT_MS);

    struct pending_connection *p = make(node, connection);
    if (!p) {
        log_limited(LOG_LEVEL_ERROR, "a connection was refused: out of memory");
        connection_free(connection);
        return;
    }
    connection_set_owner(connection, &owner, p);
    connection_set_sched(connection, node->sched, &p->user->sched);
    if (connection_remote(connection) ? refuse_one_too_many(p) : refuse_too_many(p)) {
        pending_connection_free(p);
        return;
    }
    event_add(p->timer, &limit);
}

void pending_connection_new(struct node *node, int fd)
{
    struct connection *connection;
    int r =
        connection_new(&connection, node->base, fd, node_limits(node)->value[LIMIT_QUEUED_OUTPUT]);
    if (r < 0) {
        log_limited(LOG_LEVEL_ERROR, "a connection was refused: %s", strerror(-r));
        return;
    }
    receive(node, connection);
}

void pending_connection_new_remote(struct node *node, struct tls_transport *tls)
{
    struct connection *connection;
    int r = connection_new_over(&connection, node->base, tls_transport_base(tls),
                                node_limits(node)->value[LIMIT_QUEUED_OUTPUT]);
    if (r < 0)
        log_limited(LOG_LEVEL_ERROR, "a link was refused: %s", strerror(-r));
    else
        receive(node, connection);
}
