// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_life.h"

#include "clock.h"
#include "config.h"
#include "connection.h"
#include "known_nodes.h"
#include "log.h"
#include "node.h"
#include "peer_link.h"
#include "refusals.h"
#include "representor.h"
#include "tls_transport.h"
#include "version.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct peer *peer_new(struct node *node, const struct config_peer *config)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    peer->timer = event_new(node->base, -1, 0, peer_on_timer, peer);
    peer->grace = event_new(node->base, -1, 0, peer_on_grace, peer);
    if (!peer->timer || !peer->grace) {
        if (peer->timer)
            event_free(peer->timer);
        if (peer->grace)
            event_free(peer->grace);
        free(peer);
        return NULL;
    }
    peer->node = node;
    peer->config = config;
    peer->id = node_next_id(node);
    idmap_init(&peer->imports_by_grant);
    idmap_init(&peer->importers_by_session);
    idmap_init(&peer->channels);
    idmap_init(&peer->relays);
    list_init(&peer->relays_waiting);
    idmap_init(&peer->link_queues);
    idmap_init(&peer->qpairs_there);
    list_init(&peer->link_ready);
    list_init(&peer->announcement.turn.in_user);
    list_init(&peer->announcement.withdrawn);
    list_init(&peer->requests);
    idmap_init(&peer->requests_by_serial);
    sched_user_init(&peer->sched, NULL);
    list_init(&peer->rdma_callers);
    users_init(&peer->users);
    list_init(&peer->importers);
    list_init(&peer->ended_imports);
    list_init(&peer->qpairs);
    list_init(&peer->qpairs_to_renew);
    list_append(&node->peers, &peer->in_node);
    return peer;
}

doca_error_t peer_new_dialled(struct node *node, const struct config_peer *config,
                              struct errtext *err)
{
    struct peer *peer = peer_new(node, config);
    if (!peer)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    copy_text(peer->name, config->name);
    peer_dial_later(peer, 0);
    return DOCA_SUCCESS;
}

// ---- they dialled ------------------------------------------------------------------------------

static void send_hello_reply(struct peer *peer, uint64_t serial, uint32_t version)
{
    const struct node *node = peer->node;
    struct function_messages functions;
    Docad__PeerHelloReply reply = DOCAD__PEER_HELLO_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    PEER_IDENTITY_FILL(&reply, node, &functions);
    reply.version = version;
    reply.no_descriptors = peer->no_descriptors;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY;
    message.peer_hello_reply = &reply;
    peer_send(peer, &message);
}

static doca_error_t check_hello(struct peer *peer, const Docad__PeerHello *m, uint32_t *version,
                                struct errtext *err)
{
    uid_t uid = connection_uid(peer->connection);
    struct peer_identity hello = PEER_IDENTITY_OF(m);
    if (peer_down_ms(peer->node))
        return errtext_set(err, DOCA_ERROR_AGAIN, "links are down by a fault of its configuration");
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

// The first refusal of a node or user, and later ones for another reason, are logged.
static void log_refused(const struct peer *peer, const char *why)
{
    const char *certified =
        peer_is_remote(peer) ? tls_transport_node(connection_remote(peer->connection)) : NULL;
    pid_t pid = connection_pid(peer->connection);
    uid_t uid = connection_uid(peer->connection);
    char who[REFUSED_WHO_MAX], more[REFUSED_SILENT_SIZE];
    uint64_t silent;

    if (certified)
        copy_text(who, certified);
    else
        snprintf(who, sizeof(who), "uid %u", (unsigned)uid);
    if (!refusals_add(&peer->node->refusals, who, "hello", why, clock_ms(), &silent))
        return;
    refusals_format(silent, more);
    if (certified)
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, LOG_ABOUT(.peer = certified),
                          "peer %s at %s: refused: %s%s; " REFUSED_COUNTED, certified,
                          peer_came_from(peer), why, more);
    else
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING,
                          LOG_ABOUT(.pid = pid, .uid = uid),
                          "peer (pid %d, uid %u): refused: %s%s; " REFUSED_COUNTED, (int)pid,
                          (unsigned)uid, why, more);
}

doca_error_t peer_accept(struct node *node, struct connection *connection, uint64_t serial,
                         const Docad__PeerHello *hello, struct errtext *err)
{
    uint32_t version;
    struct peer *peer = peer_new(node, NULL);

    if (!peer)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    peer->connection = connection;
    doca_error_t r = check_hello(peer, hello, &version, err);
    if (r != DOCA_SUCCESS) {
        if (r != DOCA_ERROR_ALREADY_EXIST && r != DOCA_ERROR_AGAIN)
            log_refused(peer, err->s);
        peer->connection = NULL;
        peer_free(peer);
        return r;
    }
    peer_own_connection(peer);
    peer->no_descriptors = hello->no_descriptors || peer_is_remote(peer);
    send_hello_reply(peer, serial, version);
    peer_link_up(peer);
    return DOCA_SUCCESS;
}

// ---- docad after docad ----------------------------------------------------------------

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__PeerRecord *m = item->record->peer;
    struct peer_identity identity = {.node = &m->node,
                                     .name = m->name,
                                     .role = m->role,
                                     .functions = m->functions,
                                     .n_functions = m->n_functions};
    struct errtext err;

    if (m->run.len != NODE_RUN_SIZE)
        return;
    struct peer *peer = peer_new(node, NULL);
    if (!peer)
        return;
    if (peer_take_identity(peer, &identity, &err) != DOCA_SUCCESS ||
        peer_find(node, m->node.data)) {
        peer_free(peer);
        return;
    }
    memcpy(peer->run, m->run.data, sizeof(peer->run));
    peer->resumable = true;
    peer->no_descriptors = peer->resumes_apart = m->no_descriptors;
    fdstore_take(item, &peer->stored, NULL);
    peer->certified = m->certified;
    known_node_remember(node, peer->id_there, peer->name, peer->certified);
    representors_restore(node, peer, m->representors, m->n_representors);
    peer_wait_for_return(peer);
}

const struct object_kind peer_kind = {.record = DOCAD__RECORD__WHAT_PEER, .restore = restore};
