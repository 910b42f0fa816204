// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer.h"

#include "config.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "peer_request.h"
#include "grace_period.h"
#include "tls_transport.h"

#include <string.h>

const char *peer_came_from(const struct peer *peer)
{
    return peer_is_remote(peer) ? tls_transport_address(connection_remote(peer->connection)) : "";
}

bool peer_is_remote(const struct peer *peer)
{
    return peer->connection && connection_remote(peer->connection);
}

bool peer_certificate_expires(const struct peer *peer, int64_t *expires_s)
{
    if (peer->state != PEER_LINKED || !peer_is_remote(peer))
        return false;
    *expires_s = tls_transport_expires_s(connection_remote(peer->connection));
    return *expires_s != INT64_MAX;
}

struct peer *peer_find(struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    struct peer *peer, *linked = peer_find_linked(node, id);
    if (linked)
        return linked;
    list_for_each (peer, &node->peers, in_node) {
        if (peer->away && memcmp(peer->id_there, id, NODE_ID_SIZE) == 0)
            return peer;
    }
    return NULL;
}

struct peer *peer_find_linked(struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    struct peer *peer;
    list_for_each (peer, &node->peers, in_node) {
        if (peer->state == PEER_LINKED && memcmp(peer->id_there, id, NODE_ID_SIZE) == 0)
            return peer;
    }
    return NULL;
}

// Even a docad that keeps nothing through a restart may still be running, behind a network that is
// down.
bool peer_may_return(const struct peer *peer)
{
    if (!peer->no_descriptors)
        return peer->resumable;
    return peer->resumes_apart && (peer->resumable || peer->away || peer_is_remote(peer));
}

void peer_send(struct peer *peer, Docad__Message *message)
{
    // Nothing else is sent before the hellos. A link that waits to be resumed gets its messages
    // then.
    bool hello = message->body_case == DOCAD__MESSAGE__BODY_PEER_HELLO ||
                 message->body_case == DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY ||
                 message->body_case == DOCAD__MESSAGE__BODY_ERROR;
    if (peer->connection && (peer->state == PEER_LINKED || hello))
        connection_send(peer->connection, message, NULL, 0);
}

void peers_announce_functions(struct node *node)
{
    struct function_messages functions;
    Docad__PeerFunctions body = DOCAD__PEER_FUNCTIONS__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct peer *peer;

    body.n_functions = functions_to_messages(node->functions, node->n_functions, false, &functions);
    body.functions = functions.list;
    body.rdma = node_has_rdma(node);
    message.body_case = DOCAD__MESSAGE__BODY_PEER_FUNCTIONS;
    message.peer_functions = &body;
    list_for_each (peer, &node->peers, in_node) {
        peer->way = WAY_UNKNOWN; // it was decided with other devices
        if (peer->state == PEER_LINKED)
            peer_send(peer, &message);
    }
}

void peer_reply_ok(struct peer *peer, uint64_t serial)
{
    if (serial == 0)
        return; // no request waits for the answer
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_OK;
    message.ok = &ok;
    peer_send(peer, &message);
}

static void reply_error(struct peer *peer, uint64_t serial, doca_error_t code, const char *text,
                        bool policy)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    error.code = code;
    error.text = (char *)text;
    error.policy = policy;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    peer_send(peer, &message);
}

void peer_reply_error(struct peer *peer, uint64_t serial, doca_error_t code, const char *text)
{
    reply_error(peer, serial, code, text, false);
}

void peer_reply_refused(struct peer *peer, uint64_t serial, const char *text)
{
    reply_error(peer, serial, DOCA_ERROR_NOT_PERMITTED, text, true);
}

void peer_import_release(struct peer *peer, uint64_t grant_id)
{
    Docad__PeerImportRelease release = DOCAD__PEER_IMPORT_RELEASE__INIT;
    release.grant_id = grant_id;
    peer_send(peer, message_of(PEER_IMPORT_RELEASE, peer_import_release, &release));
}

void peer_qpair_destroy(struct peer *peer, uint64_t qpair_id)
{
    Docad__PeerQueuePairDestroy destroy = DOCAD__PEER_QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = qpair_id;
    peer_send(peer, message_of(PEER_QUEUE_PAIR_DESTROY, peer_queue_pair_destroy, &destroy));
}

void peer_qpair_failed(struct peer *peer, uint64_t qpair_id)
{
    Docad__PeerQueuePairFailed failed = DOCAD__PEER_QUEUE_PAIR_FAILED__INIT;
    failed.queue_pair_id = qpair_id;
    peer_send(peer, message_of(PEER_QUEUE_PAIR_FAILED, peer_queue_pair_failed, &failed));
}

void peer_notify_no_grant(struct peer *peer, uint64_t grant_id)
{
    Docad__PeerGrantEnded ended = DOCAD__PEER_GRANT_ENDED__INIT;
    ended.grant_id = grant_id;
    ended.state = SLOT_OWNER_GONE;
    peer_send(peer, message_of(PEER_GRANT_ENDED, peer_grant_ended, &ended));
}

static void on_grant_ended_ack(void *arg, struct peer *peer, const Docad__Message *reply,
                               struct fd_list *fds, const struct errtext *why)
{
    (void)peer;
    (void)reply;
    (void)fds;
    (void)why;
    if (arg)
        grace_period_release(arg);
}

void peer_grant_ended(struct peer *peer, uint64_t grant_id, enum slot_state state,
                      struct grace_period *grace)
{
    Docad__PeerGrantEnded ended = DOCAD__PEER_GRANT_ENDED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    ended.grant_id = grant_id;
    ended.state = state;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED;
    message.peer_grant_ended = &ended;
    if (grace)
        grace_period_hold(grace);
    if (peer_request_send(NULL, peer, &message, on_grant_ended_ack, NULL, grace, NULL) !=
        DOCA_SUCCESS) {
        // The other side must not continue to use a grant that has ended.
        if (peer->connection)
            connection_drop(peer->connection, "out of memory");
        if (grace)
            grace_period_release(grace);
    }
}

doca_error_t peer_check_descriptors(const struct peer *peer, const char *what, struct errtext *err)
{
    if (!peer->no_descriptors)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "%s needs file descriptors, but the link to node %s carries none", what,
                       peer->name);
}

void peer_set_rdma(struct peer *peer, bool has_rdma)
{
    if (peer->has_rdma != has_rdma)
        peer->way = WAY_UNKNOWN;
    peer->has_rdma = has_rdma;
}

void peer_log_way(struct peer *peer, const char *device, const char *why)
{
    enum way way = device ? WAY_DEVICE : WAY_LINK;

    if (peer->way == way)
        return;
    peer->way = way;
    peer->no_device_here = why != NULL;
    if (device)
        log_peer_limited(LOG_LEVEL_INFO, peer, "bytes from and to node %s go by RDMA, over %s",
                         peer->name, device);
    else
        log_peer_limited(LOG_LEVEL_INFO, peer,
                         "bytes from and to node %s go over the daemons' link, slower than by "
                         "RDMA: %s%s%s",
                         peer->name, why ? "" : "node ", why ? why : peer->name,
                         why ? ""
                             : " has no RDMA device that it can use; see its log for the reason");
}

const char *peer_way(const struct peer *peer, const char **without_device)
{
    bool here = node_has_rdma(peer->node);

    *without_device = NULL;
    if (!peer->no_descriptors)
        return "memory";
    if (peer->way == WAY_DEVICE || (peer->way == WAY_UNKNOWN && here && peer->has_rdma))
        return "rdma";
    // The node without devices, or else the one that cannot use those that it has.
    bool lacks = here && peer->has_rdma ? peer->no_device_here : !here;
    *without_device = lacks ? peer->node->config->name : peer->name;
    return "link";
}

doca_error_t peer_error_code(const Docad__Error *error)
{
    bool known = error->code > DOCA_SUCCESS && error->code <= DOCA_ERROR_IN_PROGRESS;
    return known ? (doca_error_t)error->code : DOCA_ERROR_DRIVER;
}
