// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "bytes_only.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "config.h"
#include "connection.h"
#include "import.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "rdma_endpoint.h"
#include "rdma_pair.h"
#include "session.h"
#include "user.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#define PART_FDS 2 // descriptors for one side: memory file and channel

static bool same_token(const uint8_t a[RDMA_TOKEN_SIZE], const uint8_t b[RDMA_TOKEN_SIZE])
{
    return CRYPTO_memcmp(a, b, RDMA_TOKEN_SIZE) == 0;
}

// Makes a pair: this endpoint gets its part, the caller gets the part of the other side.
static doca_error_t make_pair(struct rdma_endpoint *endpoint, int theirs[PART_FDS],
                              struct errtext *err)
{
    int channels[2];
    cleanup_fd int memfd = rdma_pair_create();
    if (memfd < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "RDMA pair: %s", strerror(-memfd));
    cleanup_fd int again = fcntl(memfd, F_DUPFD_CLOEXEC, 0);
    if (again < 0 || bytes_only_pair(SOCK_STREAM | SOCK_CLOEXEC, channels) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "RDMA pair: %s", strerror(errno));
    endpoint->memfd = steal_fd(&memfd);
    endpoint->channel = channels[0];
    endpoint->side = 0;
    theirs[0] = steal_fd(&again);
    theirs[1] = channels[1];
    return DOCA_SUCCESS;
}

// Over a link that carries no descriptors each node makes the part of its own side, which the other
// side never uses: the ibverbs devices move the bytes, and the daemons notify each other when a
// side ends.
static doca_error_t make_half(struct rdma_endpoint *endpoint, struct errtext *err)
{
    cleanup_fd int memfd = rdma_pair_create();
    if (memfd < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "RDMA pair: %s", strerror(-memfd));
    int channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); // never readable
    if (channel < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "RDMA pair: %s", strerror(errno));
    endpoint->memfd = steal_fd(&memfd);
    endpoint->channel = channel;
    endpoint->side = 0;
    return DOCA_SUCCESS;
}

static void set_other(struct rdma_endpoint *endpoint, const uint8_t node[NODE_ID_SIZE], uint64_t id,
                      const uint8_t token[RDMA_TOKEN_SIZE])
{
    memcpy(endpoint->other.node, node, NODE_ID_SIZE);
    memcpy(endpoint->other.token, token, RDMA_TOKEN_SIZE);
    endpoint->other.id = id;
    endpoint->paired = true;
}

static bool is_other(const struct rdma_endpoint *endpoint, const uint8_t node[NODE_ID_SIZE],
                     uint64_t id, const uint8_t token[RDMA_TOKEN_SIZE])
{
    return endpoint->paired && endpoint->other.id == id &&
           memcmp(endpoint->other.node, node, NODE_ID_SIZE) == 0 &&
           same_token(endpoint->other.token, token);
}

static doca_error_t refuse_ended(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                       "the other RDMA instance was stopped, or its process has ended; connection "
                       "details are only valid until then");
}

static doca_error_t taken(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                       "one of the two RDMA instances is connected, or being connected, to a "
                       "third one");
}

// Finds the endpoint of this node to which a token belongs.
static doca_error_t find_endpoint(struct node *node, uint64_t id,
                                  const uint8_t token[RDMA_TOKEN_SIZE], struct rdma_endpoint **out,
                                  struct errtext *err)
{
    struct rdma_endpoint *endpoint = OBJECT_GET(node, RDMA, id, struct rdma_endpoint);
    if (!endpoint || endpoint->state != SLOT_LIVE || !same_token(endpoint->token, token))
        return refuse_ended(err);
    *out = endpoint;
    return DOCA_SUCCESS;
}

// ---- the client's answer ----------------------------------------------------------------------

static void answer(struct rdma_endpoint *endpoint, uint64_t serial)
{
    struct session *session = endpoint->object.session;
    Docad__RdmaConnectReply reply = DOCAD__RDMA_CONNECT_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    int fds[PART_FDS] = {endpoint->memfd, endpoint->channel};

    endpoint->connected = true;
    reply.side = endpoint->side;
    reply.permissions = endpoint->other.permissions;
    reply.same_user = endpoint->other.uid == session->credentials.uid &&
                      !session->node->config->isolation_strict &&
                      !(endpoint->other.peer && endpoint->other.peer->no_descriptors);
    message.body_case = DOCAD__MESSAGE__BODY_RDMA_CONNECT_REPLY;
    message.rdma_connect_reply = &reply;
    rdma_endpoint_changed(endpoint);
    session_reply(session, serial, &message, fds, PART_FDS);
    // Kept until the client's next request: this answer may be lost with this docad.
    session->unconfirmed = endpoint;
    if (!fdstore_is_on())
        rdma_part_arrived(endpoint);
}

// ---- both on this node -------------------------------------------------------------------------

static doca_error_t connect_here(struct rdma_endpoint *endpoint, uint64_t serial,
                                 const struct rdma_desc *desc, struct errtext *err)
{
    struct rdma_endpoint *other;
    int theirs[PART_FDS];

    doca_error_t r =
        find_endpoint(endpoint->object.session->node, desc->endpoint_id, desc->token, &other, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (other == endpoint)
        return errtext_set(
            err, DOCA_ERROR_INVALID_VALUE,
            "these are the RDMA instance's own connection details; use those of another instance");
    if (other->paired)
        return taken(err);
    r = make_pair(endpoint, theirs, err);
    if (r != DOCA_SUCCESS)
        return r;
    other->memfd = theirs[0];
    other->channel = theirs[1];
    other->side = 1;
    const uint8_t *node = endpoint->object.session->node->id;
    set_other(endpoint, node, other->object.id, other->token);
    set_other(other, node, endpoint->object.id, endpoint->token);
    endpoint->other.here = other;
    endpoint->other.permissions = other->permissions;
    endpoint->other.uid = other->object.session->credentials.uid;
    other->other.here = endpoint;
    other->other.permissions = endpoint->permissions;
    other->other.uid = endpoint->object.session->credentials.uid;
    rdma_endpoint_changed(other);
    answer(endpoint, serial);
    return DOCA_SUCCESS;
}

// ---- one on a linked node -----------------------------------------------------------------------

static void refuse(struct rdma_endpoint *endpoint, doca_error_t code, const char *text)
{
    if (endpoint->other.peer) // the other node may have reserved its side
        rdma_endpoint_notify_peer(endpoint);
    rdma_endpoint_unpair(endpoint);
    rdma_endpoint_changed(endpoint);
    session_reply_error(endpoint->object.session, endpoint->serial, code, text);
}

// Takes the part that the other node made.
static bool take_part(struct rdma_endpoint *endpoint, struct fd_list *fds)
{
    if (fds->count != PART_FDS || endpoint->memfd >= 0)
        return false;
    endpoint->memfd = fd_list_take(fds, 0);
    endpoint->channel = fd_list_take(fds, 1);
    endpoint->side = 1;
    return true;
}

static void on_peer_reply(void *arg, struct peer *peer, const Docad__Message *reply,
                          struct fd_list *fds, const struct errtext *why)
{
    struct rdma_endpoint *endpoint = arg;
    char text[sizeof(why->s) + 128];

    endpoint->request = NULL;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        refuse(endpoint, peer_error_code(reply->error), reply->error->text);
        return;
    }
    if (!reply || !endpoint->paired || (fds->count && !take_part(endpoint, fds)) ||
        endpoint->memfd < 0) {
        snprintf(text, sizeof(text), "node %s: %s", peer->name,
                 reply ? "the other side has ended meanwhile" : why->s);
        refuse(endpoint, DOCA_ERROR_CONNECTION_ABORTED, text);
        return;
    }
    endpoint->other.permissions = reply->peer_rdma_connect_reply->permissions;
    endpoint->other.uid = reply->peer_rdma_connect_reply->uid;
    peer_named_again(peer, NAMED_ENDPOINTS, &endpoint->named); // it knows the connection
    answer(endpoint, endpoint->serial);
}

static doca_error_t ask_peer(struct rdma_endpoint *endpoint, const int fds[PART_FDS], size_t n_fds,
                             struct errtext *err)
{
    struct session *session = endpoint->object.session;
    Docad__PeerRdmaConnect request = DOCAD__PEER_RDMA_CONNECT__INIT;

    request.from_endpoint = endpoint->object.id;
    request.from_token = (ProtobufCBinaryData){RDMA_TOKEN_SIZE, endpoint->token};
    request.endpoint = endpoint->other.id;
    request.token = (ProtobufCBinaryData){RDMA_TOKEN_SIZE, endpoint->other.token};
    request.permissions = endpoint->permissions;
    request.uid = session->credentials.uid;
    request.pid = (uint32_t)session->pid;
    return peer_request_send_fds(&endpoint->request, endpoint->other.peer,
                                 message_of(PEER_RDMA_CONNECT, peer_rdma_connect, &request), fds,
                                 n_fds, on_peer_reply, NULL, endpoint, err);
}

static bool makes_pairs(const struct node *node, const struct peer *peer)
{
    return !peer->no_descriptors && memcmp(node->id, peer->id_there, NODE_ID_SIZE) < 0;
}

// The message has the remedy, because the program chose the software function.
static doca_error_t too_far(const struct peer *peer, const struct function *function,
                            struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "RDMA connection of function %s with node %s: software functions only reach "
                       "nodes on the same machine, and the link carries no file descriptors; use "
                       "functions of RDMA devices on both machines (docactl devices; rdma link add "
                       "rxe0 type rxe netdev eth0 makes one: Soft-RoCE)",
                       function->name, peer->name);
}

static doca_error_t connect_there(struct rdma_endpoint *endpoint, uint64_t serial,
                                  struct peer *peer, const struct rdma_desc *desc,
                                  struct errtext *err)
{
    int theirs[PART_FDS] = {-1, -1};
    bool make = makes_pairs(endpoint->object.session->node, peer);
    doca_error_t r = DOCA_SUCCESS;
    if (!desc->has_verbs && peer->no_descriptors)
        r = too_far(peer, endpoint->function, err);
    if (r == DOCA_SUCCESS && peer->no_descriptors)
        r = make_half(endpoint, err);
    else if (r == DOCA_SUCCESS && make)
        r = make_pair(endpoint, theirs, err);
    if (r != DOCA_SUCCESS)
        return r;
    set_other(endpoint, peer->id_there, desc->endpoint_id, desc->token);
    rdma_endpoint_set_peer(endpoint, peer);
    endpoint->serial = serial;
    r = ask_peer(endpoint, theirs, make ? PART_FDS : 0, err);
    fd_reaper_close_all(theirs, PART_FDS, endpoint->object.session->user->uid);
    if (r != DOCA_SUCCESS)
        rdma_endpoint_unpair(endpoint);
    return r;
}

doca_error_t on_rdma_connect(struct request *request)
{
    struct session *session = request->session;
    const Docad__RdmaConnect *m = request->message->rdma_connect;
    struct rdma_endpoint *endpoint =
        OBJECT_GET(session->node, RDMA, m->endpoint_id, struct rdma_endpoint);
    struct rdma_desc desc;
    struct peer *peer;

    doca_error_t r = rdma_desc_decode(m->descriptor.data, m->descriptor.len, &desc, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!endpoint || endpoint->object.session != session)
        return errtext_set(request->err, DOCA_ERROR_NOT_FOUND,
                           "RDMA endpoint %" PRIu64 ": this session has none", m->endpoint_id);
    if (endpoint->connected && endpoint->memfd >= 0 && request->message->again &&
        is_other(endpoint, desc.node, desc.endpoint_id, desc.token)) {
        answer(endpoint, request->message->serial); // the first answer was lost
        return DOCA_SUCCESS;
    }
    if (endpoint->connected || endpoint->request)
        return errtext_set(request->err, DOCA_ERROR_BAD_STATE,
                           "RDMA endpoint %" PRIu64 ": connected already", m->endpoint_id);
    if (endpoint->paired) {
        if (!is_other(endpoint, desc.node, desc.endpoint_id, desc.token))
            return taken(request->err);
        answer(endpoint, request->message->serial);
        return DOCA_SUCCESS;
    }
    r = import_find_owner(session->node, desc.node, "RDMA instance", &peer, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    return peer ? connect_there(endpoint, request->message->serial, peer, &desc, request->err)
                : connect_here(endpoint, request->message->serial, &desc, request->err);
}

// ---- requests of a linked node
// ------------------------------------------------------------------------

// Makes this node's part of a pair that another node requests.
static doca_error_t contribute(struct peer *peer, struct rdma_endpoint *endpoint,
                               struct fd_list *fds, int theirs[PART_FDS], struct errtext *err)
{
    if (peer->no_descriptors && endpoint->function->backing != DOCAD__BACKING__VERBS)
        return too_far(peer, endpoint->function, err);
    if (peer->no_descriptors)
        return make_half(endpoint, err);
    if (makes_pairs(peer->node, peer))
        return make_pair(endpoint, theirs, err);
    take_part(endpoint, fds);
    return DOCA_SUCCESS;
}

static doca_error_t reserve(struct peer *peer, const Docad__PeerRdmaConnect *m, struct fd_list *fds,
                            struct rdma_endpoint **out, int theirs[PART_FDS], struct errtext *err)
{
    struct rdma_endpoint *endpoint;
    bool take = !peer->no_descriptors && !makes_pairs(peer->node, peer);

    if (m->token.len != RDMA_TOKEN_SIZE || m->from_token.len != RDMA_TOKEN_SIZE ||
        fds->count != (take ? PART_FDS : 0))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the request is not valid");
    doca_error_t r = find_endpoint(peer->node, m->endpoint, m->token.data, &endpoint, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (endpoint->paired) {
        // If both sides request this at the same time, the part that each one needs is already in
        // flight, or comes with this very request.
        if (!is_other(endpoint, peer->id_there, m->from_endpoint, m->from_token.data) ||
            (take && !take_part(endpoint, fds)))
            return taken(err);
    } else {
        r = contribute(peer, endpoint, fds, theirs, err);
        if (r != DOCA_SUCCESS)
            return r;
        set_other(endpoint, peer->id_there, m->from_endpoint, m->from_token.data);
        rdma_endpoint_set_peer(endpoint, peer);
    }
    endpoint->other.permissions = m->permissions;
    endpoint->other.uid = m->uid;
    rdma_endpoint_changed(endpoint);
    *out = endpoint;
    return DOCA_SUCCESS;
}

void rdma_peer_connect(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    Docad__PeerRdmaConnectReply reply = DOCAD__PEER_RDMA_CONNECT_REPLY__INIT;
    Docad__Message ans = DOCAD__MESSAGE__INIT;
    struct rdma_endpoint *endpoint;
    int theirs[PART_FDS] = {-1, -1};
    struct errtext err;

    doca_error_t r = reserve(peer, message->peer_rdma_connect, fds, &endpoint, theirs, &err);
    if (r != DOCA_SUCCESS) {
        peer_reply_error(peer, message->serial, r, err.s);
        return;
    }
    reply.permissions = endpoint->permissions;
    reply.uid = endpoint->object.session->credentials.uid;
    ans.serial = message->serial;
    ans.body_case = DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT_REPLY;
    ans.peer_rdma_connect_reply = &reply;
    connection_send(peer->connection, &ans, theirs, theirs[0] >= 0 ? PART_FDS : 0);
    fd_reaper_close_all(theirs, PART_FDS, endpoint->object.session->user->uid);
}
