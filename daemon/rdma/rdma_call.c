// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a call finds its listener: on this node, or on a linked one. Linked nodes are asked one after
// the other.

#include "fd_reaper.h"
#include "connection.h"
#include "credentials.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "rdma_endpoint.h"
#include "rdma_listener.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>

// ---- the caller's side ---------------------------------------------------------------------

static void answer(struct rdma_endpoint *endpoint, int fd)
{
    Docad__RdmaCallReply reply = DOCAD__RDMA_CALL_REPLY__INIT;

    session_reply(endpoint->object.session, endpoint->serial,
                  message_of(RDMA_CALL_REPLY, rdma_call_reply, &reply), &fd, 1);
}

static doca_error_t ask_next(struct rdma_endpoint *endpoint, struct errtext *err);

static void on_reply(void *arg, struct peer *peer, const Docad__Message *reply, struct fd_list *fds,
                     const struct errtext *why)
{
    struct rdma_endpoint *endpoint = arg;
    struct errtext err;

    endpoint->request = NULL;
    endpoint->call.asked = peer->id;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_PEER_RDMA_CALL_REPLY && fds->count == 1) {
        answer(endpoint, fds->fds[0]);
        return;
    }
    doca_error_t code = reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR
                            ? peer_error_code(reply->error)
                            : DOCA_ERROR_NOT_FOUND; // a node that does not answer has no listener
    if (code == DOCA_ERROR_NOT_FOUND || code == DOCA_ERROR_NOT_SUPPORTED) {
        code = ask_next(endpoint, &err);
        if (code == DOCA_SUCCESS)
            return;
        session_reply_error(endpoint->object.session, endpoint->serial, code, err.s);
        return;
    }
    session_reply_error(endpoint->object.session, endpoint->serial, code,
                        reply ? reply->error->text : why->s);
}

// An older docad would take a call without an address to any user's listener.
static bool may_ask(const struct peer *peer, bool by_address)
{
    return peer->state == PEER_LINKED && !peer->no_descriptors && (by_address || peer->by_uid);
}

static struct peer *next_peer(const struct node *node, uint64_t after, bool by_address)
{
    struct peer *peer, *best = NULL;

    list_for_each (peer, &node->peers, in_node)
        if (may_ask(peer, by_address) && peer->id > after && (!best || peer->id < best->id))
            best = peer;
    return best;
}

static doca_error_t no_listener(const struct rdma_endpoint *endpoint, struct errtext *err)
{
    if (endpoint->call.here)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "uid %u does not listen to port %u on this machine; call another "
                           "user's listener by its function's address, which 'docactl devices' "
                           "shows",
                           (unsigned)endpoint->object.session->credentials.uid,
                           endpoint->call.port);
    return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                       "no program listens to port %u of a function with this address; 'docactl "
                       "listeners' shows who does. Functions of software reach nodes on the same "
                       "machine only",
                       endpoint->call.port);
}

static doca_error_t ask_next(struct rdma_endpoint *endpoint, struct errtext *err)
{
    struct session *session = endpoint->object.session;
    Docad__PeerRdmaCall m = DOCAD__PEER_RDMA_CALL__INIT;
    Docad__Account account;
    uint8_t descriptor[RDMA_DESC_SIZE_MAX], from[RDMA_ADDRESS_SIZE];
    size_t size;

    struct peer *peer = next_peer(session->node, endpoint->call.asked, !endpoint->call.here);
    if (!peer)
        return no_listener(endpoint, err);
    doca_error_t r = rdma_endpoint_describe(endpoint, NULL, descriptor, &size, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!endpoint->call.here)
        m.address = (ProtobufCBinaryData){RDMA_ADDRESS_SIZE, endpoint->call.address};
    m.port = endpoint->call.port;
    m.descriptor = (ProtobufCBinaryData){size, descriptor};
    if (rdma_function_address(endpoint->function, from))
        m.from_address = (ProtobufCBinaryData){sizeof(from), from};
    m.uid = session->credentials.uid;
    m.account = credentials_account(&session->credentials, &account);
    return peer_request_send(&endpoint->request, peer,
                             message_of(PEER_RDMA_CALL, peer_rdma_call, &m), on_reply, NULL,
                             endpoint, err);
}

static doca_error_t call_here(struct rdma_endpoint *endpoint, struct rdma_listener *listener,
                              struct errtext *err)
{
    Docad__RdmaOffer offer = DOCAD__RDMA_OFFER__INIT;
    uint8_t descriptor[RDMA_DESC_SIZE_MAX], from[RDMA_ADDRESS_SIZE];
    size_t size;
    int fd;

    doca_error_t r = rdma_endpoint_describe(endpoint, NULL, descriptor, &size, err);
    if (r != DOCA_SUCCESS)
        return r;
    offer.descriptor = (ProtobufCBinaryData){size, descriptor};
    if (rdma_function_address(endpoint->function, from))
        offer.address = (ProtobufCBinaryData){sizeof(from), from};
    r = rdma_listener_offer(listener, endpoint->object.session->user, NULL, &offer, &fd, err);
    if (r != DOCA_SUCCESS)
        return r;
    answer(endpoint, fd);
    fd_reaper_close(fd, endpoint->object.session->user->uid);
    return DOCA_SUCCESS;
}

static doca_error_t check(const Docad__RdmaCall *m, const struct rdma_endpoint *endpoint,
                          struct errtext *err)
{
    if ((m->address.len != 0 && m->address.len != RDMA_ADDRESS_SIZE) || m->port == 0 ||
        m->port > UINT16_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the address of a call is not valid");
    if (endpoint->paired || endpoint->request || endpoint->state != SLOT_LIVE)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "RDMA endpoint %" PRIu64 ": it is connected, or has ended",
                           endpoint->object.id);
    if (endpoint->function->backing == DOCAD__BACKING__VERBS)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s is an ibverbs device, whose addresses docad does not serve",
                           endpoint->function->name);
    return DOCA_SUCCESS;
}

doca_error_t on_rdma_call(struct request *request)
{
    const Docad__RdmaCall *m = request->message->rdma_call;
    struct rdma_endpoint *endpoint =
        OBJECT_OF_SESSION(request->session, RDMA, m->endpoint_id, struct rdma_endpoint);

    if (!endpoint)
        return session_has_no("RDMA endpoint", m->endpoint_id, request->err);
    doca_error_t r = check(m, endpoint, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    endpoint->serial = request->message->serial;
    endpoint->call.here = m->address.len == 0;
    endpoint->call.port = (uint16_t)m->port;
    endpoint->call.asked = 0;
    if (m->address.len)
        memcpy(endpoint->call.address, m->address.data, RDMA_ADDRESS_SIZE);
    struct rdma_target target = {m->address.len ? endpoint->call.address : NULL, m->port,
                                 request->session->credentials.uid, endpoint->function};
    struct rdma_listener *listener = rdma_listener_find(request->session->node, &target);
    return listener ? call_here(endpoint, listener, request->err)
                    : ask_next(endpoint, request->err);
}

// ---- a linked node calls -----------------------------------------------------------------------

static doca_error_t take_call(struct peer *peer, const Docad__PeerRdmaCall *m, int *fd,
                              struct errtext *err)
{
    Docad__RdmaOffer offer = DOCAD__RDMA_OFFER__INIT;
    struct rdma_target target = {m->address.len ? m->address.data : NULL, m->port, m->uid, NULL};

    if ((m->address.len != 0 && m->address.len != RDMA_ADDRESS_SIZE) ||
        (m->from_address.len != 0 && m->from_address.len != RDMA_ADDRESS_SIZE) ||
        m->descriptor.len > RDMA_DESC_SIZE_MAX || peer->no_descriptors)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the request is not valid");
    struct rdma_listener *listener = rdma_listener_find(peer->node, &target);
    if (!listener)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "no program listens to that port");
    struct user *user = user_get(&peer->users, m->account ? m->account->uid : m->uid);
    if (!user)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    offer.descriptor = m->descriptor;
    offer.address = m->from_address;
    doca_error_t r = rdma_listener_offer(listener, user, peer, &offer, fd, err);
    user_unref(user);
    return r;
}

void rdma_peer_call(struct peer *peer, const Docad__Message *message)
{
    Docad__PeerRdmaCallReply reply = DOCAD__PEER_RDMA_CALL_REPLY__INIT;
    Docad__Message answer_to = DOCAD__MESSAGE__INIT;
    struct errtext err;
    int fd;

    doca_error_t r = take_call(peer, message->peer_rdma_call, &fd, &err);
    if (r != DOCA_SUCCESS) {
        peer_reply_error(peer, message->serial, r, err.s);
        return;
    }
    answer_to.serial = message->serial;
    answer_to.body_case = DOCAD__MESSAGE__BODY_PEER_RDMA_CALL_REPLY;
    answer_to.peer_rdma_call_reply = &reply;
    connection_send(peer->connection, &answer_to, &fd, 1);
    fd_reaper_close(fd, FD_REAPER_NO_UID);
}
