// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_link.h"

#include "channel_relay.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "known_nodes.h"
#include "link_queue.h"
#include "log.h"
#include "monitor.h"
#include "node.h"
#include "peer_life.h"
#include "peer_request.h"
#include "publication.h"
#include "qpair.h"
#include "rc_device.h"
#include "representor.h"
#include "text.h"
#include "tls_handshake.h"
#include "tls_transport.h"
#include "version.h"

#include <event2/event.h>
#include <string.h>
#include <unistd.h>

#define LINK_OUTPUT_MAX (64u << 20) // names of a whole node in one go

// ---- down ---------------------------------------------------------------------------------

// Those that stood by for this link dial again.
static void wake_standbys(struct peer *ended)
{
    struct peer *peer;
    list_for_each (peer, &ended->node->peers, link) {
        if (peer->state == PEER_STANDBY &&
            memcmp(peer->id_there, ended->id_there, NODE_ID_SIZE) == 0) {
            peer->state = PEER_CONNECTING;
            peer_dial_later(peer, 0);
        }
    }
}

void peer_forget(struct peer *peer, const char *why)
{
    peer->away = false;
    event_del(peer->grace);
    keep_drop(&peer->kept);
    KINDS_CALL(peer->node, gone, peer);
    peer_requests_fail(peer, why);
}

// Who closes the connection and cannot go on after its end has ended.
static bool has_ended(const struct peer *peer)
{
    return !peer->resumable && peer_is_remote(peer) &&
           tls_transport_has_left(connection_remote(peer->connection));
}

void peer_unlink(struct peer *peer, const char *why)
{
    bool linked = peer->state == PEER_LINKED;
    bool wait = linked && peer_may_return(peer) && !has_ended(peer);

    event_del(peer->timer);
    peer->dialling = tls_handshake_free(peer->dialling);
    peer->connection = connection_free(peer->connection);
    if (!linked)
        return;
    peer->state = PEER_CONNECTING;
    link_queues_end(peer);
    peer->node->counters.links_lost++;
    MONITOR(peer->node, .event = "peer-lost", .id = peer->id, .for_all = true, .name = peer->name,
            .text = why);
    snprintf(peer->last_error, sizeof(peer->last_error), "%s", why);
    log_event_limited(LOG_EVENT_LINK_DOWN, LOG_LEVEL_INFO, LOG_ABOUT(.peer = peer->name),
                      "link to %s node %s is down: %s%s", role_name(peer->role), peer->name, why,
                      wait ? "; waiting for it to come back" : "");
    node_changed(peer->node);
    if (wait)
        peer_wait_for_return(peer);
    else
        peer_forget(peer, why);
    wake_standbys(peer);
}

static void on_closed(void *owner, const char *why)
{
    struct peer *peer = owner;
    bool was_linked = peer->state == PEER_LINKED;

    peer_unlink(peer, why);
    if (!peer->config && !peer->away)
        peer_free(peer);
    else if (!peer->config)
        return; // until it has come back, or the time is up
    else if (was_linked)
        peer_dial_again(peer);
    else if (peer->state != PEER_STANDBY)
        peer_dial_failed(peer, why);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct peer *peer = owner;
    if (peer->state == PEER_LINKED)
        peer_dispatch(peer, message, fds);
    else
        peer_dial_answered(peer, message);
}

static void on_drained(void *owner)
{
    struct peer *peer = owner;
    link_queues_go_on(peer);
    channel_relays_go_on(peer);
}

void peer_own_connection(struct peer *peer)
{
    static const struct connection_owner owner = {
        .message = on_message, .closed = on_closed, .drained = on_drained};
    connection_set_owner(peer->connection, &owner, peer);
}

// ---- two links to one node ------------------------------------------------------------------

// Was the link dialled by the side whose dialling counts?
static bool is_preferred(const struct peer *peer)
{
    const struct node *node = peer->node;
    bool we_dialled = peer->config != NULL;
    bool ours_counts = node->config->role != peer->role
                           ? node->config->role == ROLE_DPU
                           : memcmp(node->id, peer->id_there, NODE_ID_SIZE) < 0;
    return we_dialled == ours_counts;
}

bool peer_displace_others(struct peer *peer)
{
    struct peer *other = peer_find_linked(peer->node, peer->id_there);
    if (!other)
        return true;
    bool same_direction = (other->config != NULL) == (peer->config != NULL);
    if (same_direction ? other->config && peer->config : !is_preferred(peer))
        return false; // two addresses of one node, or the other link counts
    log_peer_limited(LOG_LEVEL_INFO, peer, "link to node %s: replaced by a new one", peer->name);
    peer_unlink(other, "replaced by a new link");
    if (other->config)
        other->state = PEER_STANDBY;
    else if (!other->away)
        peer_free(other);
    return true;
}

void peer_end_now(struct peer *peer, const char *why)
{
    peer->resumable = peer->resumes_apart = false; // it is not waited for
    if (peer->away) {
        peer_forget(peer, why);
    } else {
        peer_unlink(peer, why);
        if (peer->config)
            peer_dial_again(peer);
    }
    if (!peer->config)
        peer_free(peer);
}

// A certificate's name is one node. With another id that is another node in its place, and what
// went over the link of the first has ended.
static void displace_namesakes(const struct peer *peer)
{
    struct peer *other, *next;

    if (!peer->certified)
        return;
    list_for_each_safe (other, next, &peer->node->peers, link) {
        if (other == peer || !other->certified || strcmp(other->name, peer->name) != 0 ||
            (other->state != PEER_LINKED && !other->away) ||
            memcmp(other->id_there, peer->id_there, NODE_ID_SIZE) == 0)
            continue;
        log_peer_limited(LOG_LEVEL_WARNING, peer,
                         "node %s has another id than before: what it had here has ended; if two "
                         "machines show one certificate, give each its own (docactl certificates "
                         "node NAME DIR)",
                         peer->name);
        peer_end_now(other, "its node has another id now");
    }
}

// ---- up -------------------------------------------------------------------------------------

void peer_link_up(struct peer *peer)
{
    const char *how = peer->config ? " " : peer_is_remote(peer) ? " by it from " : " by it";

    event_del(peer->timer);
    peer->state = PEER_LINKED;
    peer->has_resumed = false;
    peer->refused = false;
    peer->backoff_ms = 0;
    peer->linked_ms = clock_ms();
    peer->last_error[0] = '\0';
    connection_set_output_max(peer->connection, LINK_OUTPUT_MAX);
    displace_namesakes(peer);
    known_node_remember(peer->node, peer->id_there, peer->name, peer->certified);
    node_changed(peer->node);
    peer_returned(peer, peer->next_run);
    representors_sync(peer->node, peer);
    publications_announce_all(peer->node, peer);
    MONITOR(peer->node, .event = "peer-linked", .id = peer->id, .for_all = true,
            .name = peer->name);
    if (peer->no_descriptors ? peer->resumes_apart : peer->resumable || keep_is_on())
        peer_send_resume(peer);
    peer->way = WAY_UNKNOWN;
    rc_device_forget_reach(peer);
    peer_requests_send_again(peer);
    qpairs_renew(peer);
    peer_keep(peer);
    log_event_limited(LOG_EVENT_LINKED, LOG_LEVEL_INFO, LOG_ABOUT(.peer = peer->name),
                      "linked to %s node %s: %zu functions, dialled%s%s", role_name(peer->role),
                      peer->name, peer->n_functions, how,
                      peer->config ? config_peer_where(peer->config) : peer_came_from(peer));
}

// From another machine the certificate says who it is, and nobody else's id is taken.
static doca_error_t check_certificate(const struct peer *peer, const struct peer_identity *hello,
                                      struct errtext *err)
{
    if (!peer_is_remote(peer))
        return DOCA_SUCCESS;
    const char *certified = tls_transport_node(connection_remote(peer->connection));
    if (tls_transport_is_revoked(connection_remote(peer->connection))) // since it was shown
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the certificate of node %s has been revoked", certified);
    if (strcmp(certified, hello->name) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "node %s shows the certificate of %s; give it its own, or name it %s",
                           hello->name, certified, certified);
    const struct peer *holder = peer_find(peer->node, hello->node->data);
    const struct known_node *known = known_node_find(peer->node, hello->node->data);
    const char *name = holder ? holder->name : known ? known->name : hello->name;
    if (strcmp(name, hello->name) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "node %s claims the id of node %s",
                           hello->name, name);
    return DOCA_SUCCESS;
}

doca_error_t peer_take_identity(struct peer *peer, const struct peer_identity *hello,
                                struct errtext *err)
{
    struct function functions[FUNCTIONS_MAX];
    enum role role;
    if (hello->node->len != NODE_ID_SIZE || !text_is_name(hello->name, NODE_NAME_SIZE) ||
        !role_parse(hello->role, &role))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "hello without a node id, name or role");
    if (memcmp(hello->node->data, peer->node->id, NODE_ID_SIZE) == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "that is node %s itself; name the socket of another daemon",
                           peer->node->config->name);
    doca_error_t r = check_certificate(peer, hello, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = functions_from_messages(hello->functions, hello->n_functions, functions, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (peer->away && memcmp(peer->id_there, hello->node->data, NODE_ID_SIZE) != 0)
        peer_forget(peer, "another node answers there now");
    memcpy(peer->id_there, hello->node->data, NODE_ID_SIZE);
    peer->certified = peer_is_remote(peer);
    strcpy(peer->name, hello->name);
    peer->role = role;
    memcpy(peer->functions, functions, hello->n_functions * sizeof(*functions));
    peer->n_functions = hello->n_functions;
    peer->has_rdma = hello->rdma;
    peer->known = true;
    memset(peer->next_run, 0, sizeof(peer->next_run));
    if (hello->run && hello->run->len == NODE_RUN_SIZE)
        memcpy(peer->next_run, hello->run->data, NODE_RUN_SIZE);
    peer->resumable = hello->resumable && hello->run && hello->run->len == NODE_RUN_SIZE;
    peer->resumes_apart = hello->resumes_apart && hello->run && hello->run->len == NODE_RUN_SIZE;
    return DOCA_SUCCESS;
}

bool peer_uid_is_trusted(const struct node *node, uid_t uid)
{
    if (uid == 0 || uid == geteuid())
        return true;
    for (size_t i = 0; i < node->config->n_peer_uids; i++)
        if (node->config->peer_uids[i] == uid)
            return true;
    return false;
}

// ---- they dialled ------------------------------------------------------------------------------

static void send_hello_reply(struct peer *peer, uint64_t serial, uint32_t version)
{
    const struct node *node = peer->node;
    struct function_messages functions;
    Docad__PeerHelloReply reply = DOCAD__PEER_HELLO_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    size_t n = functions_to_messages(node->functions, node->n_functions, false, &functions);
    reply.version = version;
    reply.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node->id};
    reply.name = (char *)node->config->name;
    reply.role = (char *)role_name(node->config->role);
    reply.functions = functions.list;
    reply.n_functions = n;
    reply.no_descriptors = peer->no_descriptors;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY;
    message.peer_hello_reply = &reply;
    reply.run = (ProtobufCBinaryData){NODE_RUN_SIZE, (uint8_t *)node->run};
    reply.resumable = keep_is_on();
    reply.resumes_apart = true;
    reply.rdma = node_has_rdma(node);
    peer_send(peer, &message);
}

static doca_error_t check_hello(struct peer *peer, const Docad__PeerHello *m, uint32_t *version,
                                struct errtext *err)
{
    uid_t uid = connection_uid(peer->connection);
    struct peer_identity hello = {.node = &m->node,
                                  .name = m->name,
                                  .role = m->role,
                                  .functions = m->functions,
                                  .n_functions = m->n_functions,
                                  .run = &m->run,
                                  .resumable = m->resumable,
                                  .resumes_apart = m->resumes_apart,
                                  .rdma = m->rdma};
    if (!peer_uid_is_trusted(peer->node, uid))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "daemons of uid %u may not link; peers have uid 0, this daemon's uid "
                           "(%u), or one of peer_uids in its configuration",
                           (unsigned)uid, (unsigned)geteuid());
    doca_error_t r = version_negotiate("peer", m->version_min, m->version_max, version, err);
    if (r == DOCA_SUCCESS)
        r = peer_take_identity(peer, &hello, err);
    if (r == DOCA_SUCCESS && !peer_displace_others(peer))
        r = errtext_set(err, DOCA_ERROR_ALREADY_EXIST, "there is a link to node %s already",
                        peer->name);
    return r;
}

static void log_refused(const struct peer *peer, const char *why)
{
    const char *certified =
        peer_is_remote(peer) ? tls_transport_node(connection_remote(peer->connection)) : NULL;

    if (certified)
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, LOG_ABOUT(.peer = certified),
                          "peer %s at %s: refused: %s", certified, peer_came_from(peer), why);
    else
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING,
                          LOG_ABOUT(.pid = connection_pid(peer->connection),
                                    .uid = connection_uid(peer->connection)),
                          "peer (pid %d, uid %u): refused: %s",
                          (int)connection_pid(peer->connection),
                          (unsigned)connection_uid(peer->connection), why);
}

bool peer_accept(struct node *node, struct connection *connection, uint64_t serial,
                 const Docad__PeerHello *hello)
{
    struct errtext err;
    uint32_t version;
    struct peer *peer = peer_new(node, NULL);

    if (!peer)
        return false;
    peer->connection = connection;
    peer_own_connection(peer);
    doca_error_t r = check_hello(peer, hello, &version, &err);
    if (r == DOCA_SUCCESS) {
        peer->no_descriptors = hello->no_descriptors || peer_is_remote(peer);
        send_hello_reply(peer, serial, version);
        peer_link_up(peer);
        return true;
    }
    if (r != DOCA_ERROR_ALREADY_EXIST)
        log_refused(peer, err.s);
    peer->refused = true;
    snprintf(peer->last_error, sizeof(peer->last_error), "%s", err.s);
    peer_reply_error(peer, serial, r, err.s);
    connection_finish(connection, err.s);
    return true;
}
