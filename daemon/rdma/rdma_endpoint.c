// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_endpoint.h"

#include "access.h"
#include "cleanup.h"
#include "closer.h"
#include "kept.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "session_requests.h"
#include "user.h"

#include <inttypes.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/socket.h>

#define ENDPOINT_FDS 3 // at most: lifeline, memory file, channel

// ---- ends ---------------------------------------------------------------------------------

void rdma_endpoint_unpair(struct rdma_endpoint *endpoint)
{
    memset(&endpoint->other, 0, sizeof(endpoint->other));
    endpoint->paired = false;
    close_fdp(&endpoint->memfd);
    closer_take(steal_fd(&endpoint->channel), endpoint->session->user->uid);
}

static void close_lifeline(struct rdma_endpoint *endpoint)
{
    closer_end(steal_fd(&endpoint->lifeline), endpoint->session->user->uid);
}

void rdma_endpoint_end(struct rdma_endpoint *endpoint, enum slot_state state)
{
    bool connected = endpoint->connected;
    rdma_endpoint_unpair(endpoint);
    if (!connected) {
        kept_rdma(endpoint);
        return;
    }
    // The state first: whoever finds the lifeline closed looks for the reason.
    endpoint->state = state;
    state_slot_set(&endpoint->session->node->slots, endpoint->slot, endpoint->id.id, state);
    close_lifeline(endpoint);
    kept_rdma(endpoint);
}

void rdma_endpoints_wake(struct session *session)
{
    struct rdma_endpoint *endpoint;

    list_for_each (endpoint, &session->rdma_endpoints, session_link) {
        if (endpoint->lifeline < 0 || !endpoint->function ||
            endpoint->function->backing != DOCAD__BACKING__VERBS)
            continue;
        ssize_t n = send(endpoint->lifeline, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)n; // a full one is readable already
    }
}

void rdma_tell_ended(struct peer *peer, uint64_t endpoint, uint64_t from)
{
    Docad__PeerRdmaEnded ended = DOCAD__PEER_RDMA_ENDED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    ended.endpoint = endpoint;
    ended.from_endpoint = from;
    ended.state = SLOT_OWNER_GONE;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_RDMA_ENDED;
    message.peer_rdma_ended = &ended;
    peer_send(peer, &message);
}

void rdma_endpoint_tell_peer(const struct rdma_endpoint *endpoint)
{
    rdma_tell_ended(endpoint->other.peer, endpoint->other.id, endpoint->id.id);
}

struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint)
{
    if (!endpoint)
        return NULL;
    struct session *session = endpoint->session;
    if (endpoint->request)
        peer_request_forget(endpoint->request);
    if (endpoint->other.here)
        rdma_endpoint_end(endpoint->other.here, SLOT_OWNER_GONE);
    if (endpoint->other.peer)
        rdma_endpoint_tell_peer(endpoint);
    rdma_endpoint_unpair(endpoint);
    close_lifeline(endpoint);
    keep_drop(&endpoint->kept);
    if (session->unconfirmed == endpoint)
        session->unconfirmed = NULL;
    idmap_remove(&session->node->rdma_by_id, &endpoint->id);
    list_remove(&endpoint->link);
    list_remove(&endpoint->session_link);
    session_give_slot(session, endpoint->slot);
    limit_give(&session->user->descriptors, ENDPOINT_FDS);
    limit_give(&session->n_qpairs, 1);
    free(endpoint);
    return NULL;
}

struct rdma_endpoint *rdma_endpoint_restore(struct session *session, uint64_t id, uint32_t slot)
{
    struct node *node = session->node;
    struct rdma_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return NULL;
    endpoint->session = session;
    endpoint->slot = slot;
    endpoint->lifeline = endpoint->memfd = endpoint->channel = -1;
    session->user->slots++;
    session->user->descriptors += ENDPOINT_FDS;
    session->n_qpairs++;
    list_append(&node->rdma_endpoints, &endpoint->link);
    list_append(&session->rdma_endpoints, &endpoint->session_link);
    idmap_add(&node->rdma_by_id, &endpoint->id, id);
    return endpoint;
}

void rdma_part_arrived(struct rdma_endpoint *endpoint)
{
    endpoint->session->unconfirmed = NULL;
    close_fdp(&endpoint->memfd);
    closer_take(steal_fd(&endpoint->channel), endpoint->session->user->uid);
    kept_rdma(endpoint);
}

// ---- the client's requests -------------------------------------------------------------------

static doca_error_t take_charges(struct session *session, uint32_t *slot, struct errtext *err)
{
    const struct limits *limits = node_limits(session->node);

    doca_error_t r = limit_take(limits, LIMIT_QUEUE_PAIRS, &session->n_qpairs, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = limit_take(limits, LIMIT_DESCRIPTORS, &session->user->descriptors, ENDPOINT_FDS, err);
    if (r == DOCA_SUCCESS) {
        r = session_take_slot(session, slot, err);
        if (r != DOCA_SUCCESS)
            limit_give(&session->user->descriptors, ENDPOINT_FDS);
    }
    if (r != DOCA_SUCCESS)
        limit_give(&session->n_qpairs, 1);
    return r;
}

static doca_error_t endpoint_new(struct rdma_endpoint **out, struct session *session,
                                 const struct function *function, uint32_t permissions,
                                 struct errtext *err)
{
    struct node *node = session->node;
    struct rdma_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = take_charges(session, &endpoint->slot, err);
    if (r != DOCA_SUCCESS) {
        free(endpoint);
        return r;
    }
    endpoint->session = session;
    endpoint->function = function;
    endpoint->permissions = permissions;
    endpoint->lifeline = endpoint->memfd = endpoint->channel = -1;
    list_append(&node->rdma_endpoints, &endpoint->link);
    list_append(&session->rdma_endpoints, &endpoint->session_link);
    idmap_add(&node->rdma_by_id, &endpoint->id, node_next_id(node));
    *out = endpoint;
    return DOCA_SUCCESS;
}

static doca_error_t make_descriptor(const struct rdma_endpoint *endpoint,
                                    const Docad__RdmaVerbs *verbs, uint8_t buf[RDMA_DESC_SIZE_MAX],
                                    size_t *size, struct errtext *err)
{
    struct rdma_desc desc = {.endpoint_id = endpoint->id.id};
    if (verbs && !rdma_desc_verbs_from_message(verbs, &desc))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the queue pair of an RDMA instance makes no sense");
    memcpy(desc.node, endpoint->session->node->id, sizeof(desc.node));
    memcpy(desc.token, endpoint->token, sizeof(desc.token));
    strcpy(desc.pci_address, endpoint->function->pci);
    strcpy(desc.vuid, endpoint->function->vuid);
    if (rdma_desc_encode(&desc, buf, size) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "VUID of function %s is too long for a descriptor; shorten it in "
                           "docad's configuration",
                           endpoint->function->name);
    return DOCA_SUCCESS;
}

static doca_error_t fill(struct rdma_endpoint *endpoint, const Docad__RdmaVerbs *verbs,
                         uint64_t serial, struct errtext *err)
{
    struct session *session = endpoint->session;
    Docad__RdmaEndpointCreateReply reply = DOCAD__RDMA_ENDPOINT_CREATE_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    uint8_t descriptor[RDMA_DESC_SIZE_MAX];
    size_t size;
    int pair[2];

    if (RAND_bytes(endpoint->token, sizeof(endpoint->token)) != 1)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "no random numbers for a token");
    doca_error_t r = make_descriptor(endpoint, verbs, descriptor, &size, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "lifeline: %s", strerror(errno));
    endpoint->lifeline = pair[0];
    endpoint->state = SLOT_LIVE;
    state_slot_set(&session->node->slots, endpoint->slot, endpoint->id.id, SLOT_LIVE);
    endpoint->kept.serial = serial;
    kept_rdma(endpoint);
    reply.endpoint_id = endpoint->id.id;
    reply.state_slot = endpoint->slot;
    reply.descriptor = (ProtobufCBinaryData){size, descriptor};
    message.body_case = DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE_REPLY;
    message.rdma_endpoint_create_reply = &reply;
    session_reply(session, serial, &message, &pair[1], 1);
    close(pair[1]);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_rdma_endpoint_create)
{
    const Docad__RdmaEndpointCreate *m = request->rdma_endpoint_create;
    const struct function *function;
    struct rdma_endpoint *endpoint;
    (void)fds;

    doca_error_t r = session_open_function(session, m->function_id, &function, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (m->permissions & ~(uint32_t)(ACCESS_LOCAL_READ_WRITE | ACCESS_RDMA))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "permissions 0x%x of an RDMA instance: unknown", m->permissions);
    r = endpoint_new(&endpoint, session, function, m->permissions, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = fill(endpoint, m->verbs, request->serial, err);
    if (r != DOCA_SUCCESS)
        rdma_endpoint_free(endpoint);
    return r;
}

SESSION_REQUEST(on_rdma_endpoint_destroy)
{
    uint64_t id = request->rdma_endpoint_destroy->endpoint_id;
    struct rdma_endpoint *endpoint =
        idmap_get(&session->node->rdma_by_id, id, struct rdma_endpoint, id);
    (void)fds;

    if (!endpoint || endpoint->session != session || endpoint->request)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "RDMA endpoint %" PRIu64 ": this session has none", id);
    rdma_endpoint_free(endpoint);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

// ---- functions ------------------------------------------------------------------------------

void rdma_function_gone(struct node *node, const struct function *function, enum slot_state state)
{
    struct rdma_endpoint *endpoint;

    list_for_each (endpoint, &node->rdma_endpoints, link) {
        if (endpoint->function != function || endpoint->state != SLOT_LIVE)
            continue;
        if (endpoint->other.here && endpoint->other.here->function != function)
            rdma_endpoint_end(endpoint->other.here, SLOT_OWNER_GONE);
        if (endpoint->other.peer)
            rdma_endpoint_tell_peer(endpoint);
        // docad may know nothing of its connection: it ends all the same.
        endpoint->connected = true;
        rdma_endpoint_end(endpoint, state);
    }
}

// ---- links ---------------------------------------------------------------------------------

void rdma_peer_gone(struct peer *peer)
{
    struct rdma_endpoint *endpoint;
    list_for_each (endpoint, &peer->node->rdma_endpoints, link) {
        if (endpoint->other.peer == peer)
            rdma_endpoint_end(endpoint, SLOT_PEER_GONE);
    }
}

void rdma_peer_ended(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerRdmaEnded *m = message->peer_rdma_ended;
    struct rdma_endpoint *endpoint =
        idmap_get(&peer->node->rdma_by_id, m->endpoint, struct rdma_endpoint, id);
    bool known = m->state == SLOT_REVOKED || m->state == SLOT_OWNER_GONE;
    (void)fds;

    if (endpoint && endpoint->other.peer == peer && endpoint->other.id == m->from_endpoint)
        rdma_endpoint_end(endpoint, known ? (enum slot_state)m->state : SLOT_OWNER_GONE);
}
