// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_endpoint.h"

#include "access.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "random_bytes.h"
#include "rdma_pair.h"
#include "session.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#define ENDPOINT_FDS 3 // at most: lifeline, memory file, channel

// ---- ends ---------------------------------------------------------------------------------

static void close_part(struct rdma_endpoint *endpoint)
{
    uid_t uid = endpoint->object.session->user->uid;
    fd_reaper_close(steal_fd(&endpoint->memfd), uid);
    fd_reaper_close(steal_fd(&endpoint->channel), uid);
}

void rdma_endpoint_set_peer(struct rdma_endpoint *endpoint, struct peer *peer)
{
    endpoint->other.peer = peer;
    peer_named_add(peer, NAMED_ENDPOINTS, &endpoint->named);
}

void rdma_endpoint_unpair(struct rdma_endpoint *endpoint)
{
    if (endpoint->other.peer)
        peer_named_remove(endpoint->other.peer, NAMED_ENDPOINTS, &endpoint->named);
    memset(&endpoint->other, 0, sizeof(endpoint->other));
    endpoint->paired = false;
    close_part(endpoint);
}

static void close_lifeline(struct rdma_endpoint *endpoint)
{
    fd_reaper_close_socket(steal_fd(&endpoint->lifeline), endpoint->object.session->user->uid);
}

void rdma_endpoint_end(struct rdma_endpoint *endpoint, enum slot_state state)
{
    bool connected = endpoint->connected;
    rdma_endpoint_unpair(endpoint);
    if (!connected) {
        rdma_endpoint_changed(endpoint);
        return;
    }
    // The state is set first: a client that finds the lifeline closed reads the reason there.
    endpoint->state = state;
    object_show(&endpoint->object, state);
    close_lifeline(endpoint);
    rdma_endpoint_changed(endpoint);
}

void rdma_notify_ended(struct peer *peer, uint64_t endpoint, uint64_t from)
{
    Docad__PeerRdmaEnded ended = DOCAD__PEER_RDMA_ENDED__INIT;

    ended.endpoint = endpoint;
    ended.from_endpoint = from;
    ended.state = SLOT_OWNER_GONE;
    peer_send(peer, message_of(PEER_RDMA_ENDED, peer_rdma_ended, &ended));
}

void rdma_endpoint_notify_peer(const struct rdma_endpoint *endpoint)
{
    rdma_notify_ended(endpoint->other.peer, endpoint->other.id, endpoint->object.id);
}

// ---- lifetime -----------------------------------------------------------------------------

struct rdma_endpoint *rdma_endpoint_make(struct session *session, const struct function *function,
                                         uint32_t permissions)
{
    struct rdma_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return NULL;
    object_init(&endpoint->object, DOCAD__RECORD__WHAT_RDMA, session->node, session);
    endpoint->function = function;
    endpoint->permissions = permissions;
    endpoint->lifeline = endpoint->memfd = endpoint->channel = -1;
    return endpoint;
}

void rdma_endpoint_set_comch(struct rdma_endpoint *endpoint, const Docad__ComchPart *m)
{
    if (m)
        endpoint->comch =
            (struct comch_part){.what = m->producers ? COMCH_PRODUCERS : COMCH_CONSUMER,
                                .channel = m->channel_id,
                                .id = m->consumer};
}

doca_error_t rdma_endpoint_enter(struct rdma_endpoint *endpoint, uint64_t id,
                                 const struct limits *limits, struct errtext *err)
{
    struct session *session = endpoint->object.session;
    const struct charge charges[] = {{LIMIT_QUEUE_PAIRS, &session->n_qpairs, 1},
                                     {LIMIT_DESCRIPTORS, &session->user->descriptors, ENDPOINT_FDS},
                                     {LIMIT_METADATA, &session->user->metadata,
                                      sizeof(*endpoint) + sizeof(struct rdma_pair_shared)}};
    return object_enter(&endpoint->object, id, charges, ARRAY_SIZE(charges), limits, err);
}

static void rdma_endpoint_leave(struct rdma_endpoint *endpoint)
{
    if (endpoint->object.session->unconfirmed == endpoint)
        endpoint->object.session->unconfirmed = NULL;
    object_leave(&endpoint->object);
}

struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint)
{
    if (!endpoint)
        return NULL;
    if (endpoint->request)
        peer_request_abandon(endpoint->request);
    if (endpoint->other.here)
        rdma_endpoint_end(endpoint->other.here, SLOT_OWNER_GONE);
    if (endpoint->other.peer)
        rdma_endpoint_notify_peer(endpoint);
    rdma_endpoint_unpair(endpoint);
    close_lifeline(endpoint);
    rdma_endpoint_leave(endpoint);
    free(endpoint);
    return NULL;
}

void rdma_part_arrived(struct rdma_endpoint *endpoint)
{
    endpoint->object.session->unconfirmed = NULL;
    close_part(endpoint);
    rdma_endpoint_changed(endpoint);
}

// ---- the client's requests -------------------------------------------------------------------

static doca_error_t endpoint_new(struct rdma_endpoint **out, struct session *session,
                                 const struct function *function, uint32_t permissions,
                                 struct errtext *err)
{
    struct node *node = session->node;
    struct rdma_endpoint *endpoint = rdma_endpoint_make(session, function, permissions);
    if (!endpoint)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = rdma_endpoint_enter(endpoint, node_next_id(node), node_limits(node), err);
    if (r != DOCA_SUCCESS) {
        free(endpoint);
        return r;
    }
    r = object_take_slot(&endpoint->object, err);
    if (r != DOCA_SUCCESS) {
        rdma_endpoint_leave(endpoint);
        free(endpoint);
        return r;
    }
    *out = endpoint;
    return DOCA_SUCCESS;
}

doca_error_t rdma_endpoint_describe(const struct rdma_endpoint *endpoint,
                                    const Docad__RdmaVerbs *verbs, uint8_t buf[RDMA_DESC_SIZE_MAX],
                                    size_t *size, struct errtext *err)
{
    struct rdma_desc desc = {.endpoint_id = endpoint->object.id};
    if (verbs && !rdma_desc_verbs_from_message(verbs, &desc))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the description of an RDMA instance's queue pair is not valid");
    memcpy(desc.node, endpoint->object.session->node->id, sizeof(desc.node));
    memcpy(desc.token, endpoint->token, sizeof(desc.token));
    copy_text(desc.pci_address, endpoint->function->pci);
    copy_text(desc.vuid, endpoint->function->vuid);
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
    struct session *session = endpoint->object.session;
    Docad__RdmaEndpointCreateReply reply = DOCAD__RDMA_ENDPOINT_CREATE_REPLY__INIT;
    uint8_t descriptor[RDMA_DESC_SIZE_MAX];
    size_t size;
    int pair[2];

    if (!random_bytes(endpoint->token, sizeof(endpoint->token)))
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "no random numbers for a token");
    doca_error_t r = rdma_endpoint_describe(endpoint, verbs, descriptor, &size, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "lifeline: %s", strerror(errno));
    endpoint->lifeline = pair[0];
    endpoint->state = SLOT_LIVE;
    object_show(&endpoint->object, SLOT_LIVE);
    endpoint->object.stored.serial = serial;
    r = rdma_endpoint_keep(endpoint, err);
    if (r != DOCA_SUCCESS) {
        close_fdp(&pair[1]);
        return r;
    }
    reply.endpoint_id = endpoint->object.id;
    reply.state_slot = endpoint->object.slot;
    reply.descriptor = (ProtobufCBinaryData){size, descriptor};
    session_reply(session, serial,
                  message_of(RDMA_ENDPOINT_CREATE_REPLY, rdma_endpoint_create_reply, &reply),
                  &pair[1], 1);
    fd_reaper_close(pair[1], session->user->uid);
    return DOCA_SUCCESS;
}

doca_error_t on_rdma_endpoint_create(struct request *request)
{
    const Docad__RdmaEndpointCreate *m = request->message->rdma_endpoint_create;
    const struct function *function;
    struct rdma_endpoint *endpoint;

    doca_error_t r =
        session_open_function(request->session, m->function_id, &function, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (m->permissions & ~(uint32_t)(ACCESS_LOCAL_READ_WRITE | ACCESS_RDMA))
        return errtext_set(request->err, DOCA_ERROR_INVALID_VALUE,
                           "permissions 0x%x of an RDMA instance: unknown", m->permissions);
    r = endpoint_new(&endpoint, request->session, function, m->permissions, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    rdma_endpoint_set_comch(endpoint, m->comch);
    r = fill(endpoint, m->verbs, request->message->serial, request->err);
    if (r != DOCA_SUCCESS)
        rdma_endpoint_free(endpoint);
    return r;
}

doca_error_t on_rdma_endpoint_destroy(struct request *request)
{
    struct session *session = request->session;
    uint64_t id = request->message->rdma_endpoint_destroy->endpoint_id;
    struct rdma_endpoint *endpoint = OBJECT_GET(session->node, RDMA, id, struct rdma_endpoint);

    if (!endpoint || endpoint->object.session != session || endpoint->request)
        return errtext_set(request->err, DOCA_ERROR_NOT_FOUND,
                           "RDMA endpoint %" PRIu64 ": this session has none", id);
    rdma_endpoint_free(endpoint);
    return request_reply_ok(request);
}

// ---- links ---------------------------------------------------------------------------------

void rdma_peer_ended(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerRdmaEnded *m = message->peer_rdma_ended;
    struct rdma_endpoint *endpoint =
        OBJECT_GET(peer->node, RDMA, m->endpoint, struct rdma_endpoint);
    bool known = m->state == SLOT_REVOKED || m->state == SLOT_OWNER_GONE;

    if (endpoint && endpoint->other.peer == peer && endpoint->other.id == m->from_endpoint)
        rdma_endpoint_end(endpoint, known ? (enum slot_state)m->state : SLOT_OWNER_GONE);
}

// ---- records --------------------------------------------------------------------------

void rdma_endpoint_changed(struct rdma_endpoint *endpoint)
{
    struct errtext err;
    fdstore_note(rdma_endpoint_keep(endpoint, &err), &err);
}

doca_error_t rdma_endpoint_keep(struct rdma_endpoint *e, struct errtext *err)
{
    Docad__RdmaRecord what = DOCAD__RDMA_RECORD__INIT;
    Docad__ComchPart comch = DOCAD__COMCH_PART__INIT;
    Docad__Record record;
    int fds[3];
    size_t n = 0;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.function = e->function->id;
    what.permissions = e->permissions;
    what.slot = e->object.slot;
    what.token = record_bytes(e->token, sizeof(e->token));
    what.paired = e->paired;
    what.connected = e->connected;
    what.other_node = record_bytes(e->other.node, sizeof(e->other.node));
    what.other_id = e->other.id;
    what.other_token = record_bytes(e->other.token, sizeof(e->other.token));
    what.other_permissions = e->other.permissions;
    what.other_uid = e->other.uid;
    what.side = e->side;
    if (e->comch.what != COMCH_NONE) {
        comch.producers = e->comch.what == COMCH_PRODUCERS;
        comch.channel_id = e->comch.channel;
        comch.consumer = e->comch.id;
        what.comch = &comch;
    }
    what.has_lifeline = e->lifeline >= 0;
    what.has_part = e->memfd >= 0;
    if (what.has_lifeline)
        fds[n++] = e->lifeline;
    if (what.has_part) {
        fds[n++] = e->memfd;
        fds[n++] = e->channel;
    }
    object_record(&e->object, &record);
    record.rdma = &what;
    return object_put(&e->object, &record, fds, n, err);
}
