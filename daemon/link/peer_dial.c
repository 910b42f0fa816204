// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "peer_link.h"
#include "peer_pieces.h"
#include "peer_resume.h"
#include "tls_handshake.h"
#include "tls_transport.h"
#include "version.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>

#define HELLO_LIMIT_MS 2000

static void send_hello(struct peer *peer)
{
    const struct node *node = peer->node;
    struct function_messages functions;
    Docad__PeerHello hello = DOCAD__PEER_HELLO__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    PEER_IDENTITY_FILL(&hello, node, &functions);
    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.no_descriptors = peer->config->no_descriptors;
    message.serial = ++peer->last_serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO;
    message.peer_hello = &hello;
    peer_send(peer, &message);
}

static void begin_hello(struct peer *peer)
{
    struct timeval limit = ms_to_timeval(HELLO_LIMIT_MS);
    event_add(peer->timer, &limit);
    send_hello(peer);
}

// ---- to another machine -----------------------------------------------------------------

static void on_ready(void *owner, struct tls_transport *tls)
{
    struct peer *peer = owner;
    peer->dialling = NULL;
    int r = connection_new_over(&peer->connection, peer->node->base, tls_transport_base(tls),
                                node_limits(peer->node)->value[LIMIT_QUEUED_OUTPUT]);
    if (r < 0) {
        peer_dial_failed(peer, strerror(-r));
        return;
    }
    peer_own_connection(peer);
    begin_hello(peer);
}

static void on_failed(void *owner, const char *address, const char *why)
{
    struct peer *peer = owner;
    (void)address;
    peer->dialling = NULL;
    peer_dial_failed(peer, why);
}

static void attempt_remote(struct peer *peer)
{
    static const struct tls_handshake_owner owner = {.ready = on_ready, .failed = on_failed};
    int r = tls_handshake_connect(&peer->dialling, peer->node->tls, peer->config->address,
                                  peer->config->name, &owner, peer);
    if (r < 0)
        peer_dial_failed(peer, strerror(-r));
}

// ---- on this machine --------------------------------------------------------------------

// 0 or -errno. Connecting a Unix socket never waits.
static int dial(struct peer *peer)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    copy_text(address.sun_path, peer->config->socket);
    cleanup_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    int r = connection_new(&peer->connection, peer->node->base, steal_fd(&fd),
                           node_limits(peer->node)->value[LIMIT_QUEUED_OUTPUT]);
    if (r < 0)
        return r;
    peer_own_connection(peer);
    return 0;
}

static void attempt(struct peer *peer)
{
    char why[128];

    int r = dial(peer);
    if (r < 0) {
        peer_dial_failed(peer, strerror(-r));
        return;
    }
    // The process behind the socket gets access to our clients' resources.
    uid_t uid = connection_uid(peer->connection);
    if (!peer_uid_is_trusted(peer->node, uid)) {
        peer->connection = connection_free(peer->connection);
        peer->refused = true;
        snprintf(why, sizeof(why), "its daemon has uid %u, which is not in peer_uids",
                 (unsigned)uid);
        peer_dial_failed(peer, why);
        return;
    }
    begin_hello(peer);
}

void peer_on_timer(int fd, short what, void *arg)
{
    struct peer *peer = arg;
    (void)fd;
    (void)what;

    unsigned down_ms = peer_down_ms(peer->node);

    if (down_ms && !peer->connection)
        peer_dial_later(peer, down_ms);
    else if (peer->connection)
        connection_drop(peer->connection, "no answer to hello within %d ms", HELLO_LIMIT_MS);
    else if (peer->known && peer_find_linked(peer->node, peer->id_there))
        peer->state = PEER_STANDBY;
    else if (peer->config->address[0])
        attempt_remote(peer);
    else
        attempt(peer);
}

static void refused(struct peer *peer, const char *why)
{
    peer->refused = true;
    connection_drop(peer->connection, "%s", why);
}

static void take_hello_reply(struct peer *peer, const Docad__PeerHelloReply *m)
{
    struct errtext err;
    struct peer_identity hello = PEER_IDENTITY_OF(m);
    uint32_t version;

    doca_error_t r = version_negotiate("peer", m->version, m->version, &version, &err);
    if (r == DOCA_SUCCESS)
        r = peer_take_identity(peer, &hello, &err);
    if (r == DOCA_SUCCESS)
        peer->no_descriptors =
            peer->config->no_descriptors || m->no_descriptors || peer_is_remote(peer);
    if (r == DOCA_SUCCESS && peer->away && !peer_goes_on(peer, peer))
        peer_end_objects(peer, PEER_RUN_ENDED);
    if (r != DOCA_SUCCESS) {
        refused(peer, err.s);
    } else if (peer_is_ending(peer)) {
        connection_drop(peer->connection, "objects of its last link are still ending");
    } else if (!peer_displace_others(peer)) {
        peer->state = PEER_STANDBY;
        connection_drop(peer->connection, "there is another link to node %s", peer->name);
    } else {
        peer_link_up(peer);
    }
}

void peer_dial_answered(struct peer *peer, const Docad__Message *message)
{
    event_del(peer->timer);
    if (message->body_case == DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY)
        take_hello_reply(peer, message->peer_hello_reply);
    else if (message->body_case == DOCAD__MESSAGE__BODY_ERROR &&
             message->error->code == DOCA_ERROR_ALREADY_EXIST)
        connection_drop(peer->connection, "%s", message->error->text);
    else if (message->body_case == DOCAD__MESSAGE__BODY_ERROR)
        refused(peer, message->error->text);
    else
        refused(peer, "its answer to hello is not valid");
}
