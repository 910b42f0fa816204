// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "visitor.h"

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
#define REMOTE_MAX                                                                                 \
    4 // connections of one node: it may dial again before docad has noticed
      // the end of the first one
#define EXTRA_CONNECTIONS                                                                          \
    32 // more than the sessions that a uid may have, so that docad can tell
       // the user about the limit

struct visitor {
    struct list in_node;
    struct node *node;
    struct connection *connection;
    struct user *user;
    struct event *timer;
    bool refused; // the log has the reason
};

// Leaves the connection and its charge to the object that has taken them over.
static void leave(struct visitor *v)
{
    list_remove(&v->in_node);
    event_free(v->timer);
    user_unref(v->user);
    free(v);
}

static void leave_if(struct visitor *v, bool taken)
{
    if (taken)
        leave(v);
    else
        connection_drop(v->connection, "out of memory");
}

struct visitor *visitor_free(struct visitor *v)
{
    if (!v)
        return NULL;
    struct node *node = v->node;
    connection_free(v->connection);
    limit_give(&v->user->connections, 1);
    leave(v);
    listener_resume(node->listener);
    return NULL;
}

void visitors_free_all(struct node *node)
{
    while (!list_empty(&node->visitors))
        visitor_free(list_entry(node->visitors.next, struct visitor, in_node));
}

static void answer_error(struct visitor *v, uint64_t serial, doca_error_t code, const char *text)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    error.code = code;
    error.text = (char *)text;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    connection_send(v->connection, &message, NULL, 0);
}

static void refuse(struct visitor *v, uint64_t serial)
{
    answer_error(v, serial, DOCA_ERROR_INVALID_VALUE,
                 connection_remote(v->connection)
                     ? "only daemons may connect from another machine: the first message must be "
                       "PeerHello"
                     : "the first message of a connection must be Hello or PeerHello");
    connection_finish(v->connection, "sent no hello");
}

static void receive_peer(struct visitor *v, const Docad__Message *message)
{
    struct errtext err;
    doca_error_t r =
        peer_accept(v->node, v->connection, message->serial, message->peer_hello, &err);
    if (r == DOCA_SUCCESS) {
        limit_give(&v->user->connections, 1);
        leave(v);
        return;
    }
    v->refused = true;
    v->node->counters.links_unwelcome++;
    answer_error(v, message->serial, r, err.s);
    connection_finish(v->connection, err.s);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct visitor *v = owner;
    (void)fds;

    if (message->serial == 0) {
        refuse(v, 0);
    } else if (message->body_case == DOCAD__MESSAGE__BODY_HELLO &&
               !connection_remote(v->connection)) {
        leave_if(v,
                 session_accept(v->node, v->connection, v->user, message->serial, message->hello));
    } else if (message->body_case == DOCAD__MESSAGE__BODY_PEER_HELLO) {
        receive_peer(v, message);
    } else {
        refuse(v, message->serial);
    }
}

static void on_closed(void *owner, const char *why)
{
    struct visitor *v = owner;
    const struct tls_transport *remote = connection_remote(v->connection);
    if (v->refused)
        log_debug("a refused peer's connection ended: %s", why);
    else if (remote)
        log_event_limited(LOG_EVENT_NONE, LOG_LEVEL_WARNING,
                          LOG_ABOUT(.peer = tls_transport_node(remote)),
                          "link from %s (%s) dropped: %s", tls_transport_node(remote),
                          tls_transport_address(remote), why);
    else if (!connection_was_left(v->connection))
        log_limited(LOG_LEVEL_WARNING, "connection (pid %d, uid %u) dropped: %s",
                    (int)connection_pid(v->connection), (unsigned)connection_uid(v->connection),
                    why);
    visitor_free(v);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct visitor *v = arg;
    (void)fd;
    (void)what;
    connection_drop(v->connection, "no hello within %d ms", HELLO_LIMIT_MS);
}

#define LOG_ABOUT_CLIENT(c) LOG_ABOUT(.pid = connection_pid(c), .uid = connection_uid(c))

// Says why a user may have no more connections: too many of them, or descriptors that cannot be
// closed.
static doca_error_t check_user(const struct visitor *v, struct errtext *err)
{
    uint64_t limit = node_limits(v->node)->value[LIMIT_SESSIONS];
    uint64_t others = v->user->connections - 1;
    unsigned uid = (unsigned)v->user->uid;
    struct errtext why;

    if (fd_reaper_load(v->user->uid) == FD_REAPER_STUCK)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "uid %u sent file descriptors that cannot be closed, because the files "
                           "behind them do not respond; end its programs",
                           uid);
    // Connections must leave some for what sessions have.
    if (limit_check_share(node_limits(v->node), LIMIT_DESCRIPTORS, &v->user->descriptors,
                          v->user->connections / 2, &why) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "uid %u has %llu connections: %s", uid,
                           (unsigned long long)others, why.s);
    if (limit >= UINT64_MAX - EXTRA_CONNECTIONS || others < limit + EXTRA_CONNECTIONS)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "uid %u has %llu connections; end programs (docactl sessions), or raise "
                       "sessions_per_uid in the limits section of docad's configuration",
                       uid, (unsigned long long)others);
}

// The program learns the reason at once: docad does not wait for its hello.
static bool refuse_too_many(struct visitor *v)
{
    struct errtext err;

    doca_error_t r = check_user(v, &err);
    if (r == DOCA_SUCCESS)
        return false;
    log_event_limited(LOG_EVENT_CONNECTION_REFUSED, LOG_LEVEL_WARNING,
                      LOG_ABOUT_CLIENT(v->connection), "a connection was refused: %s", err.s);
    answer_error(v, 0, r, err.s);
    return true;
}

// Refuses a node on another machine that has too many connections.
static bool refuse_one_too_many(const struct visitor *v)
{
    const struct tls_transport *tls = connection_remote(v->connection);
    const struct visitor *other;
    unsigned n = 0;

    list_for_each (other, &v->node->visitors, in_node) {
        const struct tls_transport *others = connection_remote(other->connection);
        n += others && strcmp(tls_transport_node(others), tls_transport_node(tls)) == 0;
    }
    if (n <= REMOTE_MAX)
        return false;
    v->node->counters.links_silent++;
    log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING,
                      LOG_ABOUT(.peer = tls_transport_node(tls)),
                      "a link from %s (%s) was refused: %d others have not sent hello yet",
                      tls_transport_node(tls), tls_transport_address(tls), REMOTE_MAX);
    return true;
}

static struct visitor *make(struct node *node, struct connection *connection)
{
    struct visitor *v = calloc(1, sizeof(*v));
    if (!v)
        return NULL;
    v->user = user_get(&node->users, connection_account(connection));
    v->timer = event_new(node->base, -1, 0, on_timer, v);
    if (!v->user || !v->timer) {
        user_unref(v->user);
        if (v->timer)
            event_free(v->timer);
        free(v);
        return NULL;
    }
    v->node = node;
    v->connection = connection;
    list_append(&node->visitors, &v->in_node);
    v->user->connections++;
    return v;
}

static void receive(struct node *node, struct connection *connection)
{
    static const struct connection_owner owner = {.message = on_message, .closed = on_closed};
    struct timeval limit = ms_to_timeval(HELLO_LIMIT_MS);

    struct visitor *v = make(node, connection);
    if (!v) {
        log_limited(LOG_LEVEL_ERROR, "a connection was refused: out of memory");
        connection_free(connection);
        return;
    }
    connection_set_owner(connection, &owner, v);
    connection_set_sched(connection, node->sched, &v->user->sched);
    if (connection_remote(connection) ? refuse_one_too_many(v) : refuse_too_many(v)) {
        visitor_free(v);
        return;
    }
    event_add(v->timer, &limit);
}

void visitor_new(struct node *node, int fd)
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

void visitor_new_remote(struct node *node, struct tls_transport *tls)
{
    struct connection *connection;
    int r = connection_new_over(&connection, node->base, tls_transport_base(tls),
                                node_limits(node)->value[LIMIT_QUEUED_OUTPUT]);
    if (r < 0)
        log_limited(LOG_LEVEL_ERROR, "a link was refused: %s", strerror(-r));
    else
        receive(node, connection);
}
