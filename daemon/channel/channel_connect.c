// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds the service of a client: on this node (SFs of a DPU), or on one of the linked DPUs; and
// ends the channels of a process or a linked node.

#include "channel.h"
#include "channel_relay.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "config.h"
#include "connection.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "relay_store.h"
#include "user.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static doca_error_t answer(struct channel *channel, uint32_t max_message, uint32_t recv_queue,
                           const int fds[CHANNEL_FDS], struct errtext *err)
{
    Docad__ChannelConnectReply reply = DOCAD__CHANNEL_CONNECT_REPLY__INIT;
    reply.channel_id = channel->object.id;
    reply.max_message = max_message;
    reply.recv_queue = recv_queue;
    reply.relayed = channel->relay != NULL;
    doca_error_t r = channel_keep(channel, err);
    if (r == DOCA_SUCCESS && channel->other)
        r = channel_keep(channel->other, err);
    if (r != DOCA_SUCCESS)
        return r;
    object_use(&channel->object);
    session_reply(channel->object.session, channel->serial,
                  message_of(CHANNEL_CONNECT_REPLY, channel_connect_reply, &reply), fds,
                  CHANNEL_FDS);
    return DOCA_SUCCESS;
}

static void refuse(struct channel *channel, doca_error_t code, const char *text)
{
    struct session *session = channel->object.session;
    uint64_t serial = channel->serial;
    if (channel_wait(channel, code, text))
        return;
    channel_free(channel);
    session_reply_error(session, serial, code, text);
}

// Closes the client's end, to which the service may already have sent messages.
static void close_all(int fds[CHANNEL_FDS], const struct channel_service *service)
{
    fd_reaper_close_all(fds, CHANNEL_FDS, service->object.session->user->uid);
}

// ---- on this node ---------------------------------------------------------------------

static doca_error_t connect_here(struct channel *channel, struct channel_service *service,
                                 struct errtext *err)
{
    int fds[CHANNEL_FDS];
    struct channel *other;
    struct session *session = channel->object.session;

    const struct channel_sizes *there = channel_sizes_there(service, &channel->options);
    doca_error_t r =
        channel_introduce(&other, service, session->user, NULL, &channel->options, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    other->other = channel;
    other->peer_pid = session->pid;
    copy_text(other->peer_node, session->node->config->name);
    channel->other = other;
    channel->peer_pid = service->object.session->pid;
    copy_text(channel->peer_node, session->node->config->name);
    r = answer(channel, there->max_message, there->recv_queue, fds, err);
    close_all(fds, service);
    return r;
}

// ---- on a linked DPU ------------------------------------------------------------------

static doca_error_t ask_next(struct channel *channel, struct errtext *err);

static bool plausible(const struct peer *peer, const Docad__PeerChannelConnectReply *m,
                      const struct fd_list *fds)
{
    return fds->count == (peer->no_descriptors ? 0 : CHANNEL_FDS) && m->channel_id != 0 &&
           m->max_message != 0 && m->max_message <= CHANNEL_MESSAGE_MAX && m->recv_queue != 0 &&
           m->recv_queue <= CHANNEL_QUEUE_MAX;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The client cannot reach the service directly, so this node relays.
static doca_error_t connect_relayed(struct channel *channel,
                                    const Docad__PeerChannelConnectReply *m, struct errtext *err)
{
    cleanup(channel_ends_close) struct channel_ends ends = CHANNEL_ENDS_NONE;
    ends.uid = channel->object.session->user->uid;
    struct channel_sizes service = {m->max_message, RELAY_WINDOW, m->recv_queue};

    int e = channel_ends_make(&ends, &channel->options.sizes, &service, false);
    if (e < 0)
        return channel_not_made(&channel->options, e, err);
    doca_error_t r = channel_relay_new(
        channel, channel->peer, smaller(channel->options.sizes.max_message, m->max_message),
        channel->options.takes_packets && m->takes_packets, ends.fds[CHANNEL_SERVICE], err);
    if (r == DOCA_SUCCESS)
        r = answer(channel, m->max_message, m->recv_queue, ends.fds[CHANNEL_CLIENT], err);
    return r;
}

static void on_reply(void *arg, struct peer *peer, const Docad__Message *reply, struct fd_list *fds,
                     const struct errtext *why)
{
    struct channel *channel = arg;
    struct errtext err;

    channel->request = NULL;
    channel->asked_peer = peer->id; // the node may have come back by another link
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY) {
        const Docad__PeerChannelConnectReply *m = reply->peer_channel_connect_reply;
        if (!plausible(peer, m, fds)) {
            channel_release_remote(peer, m->channel_id);
            refuse(channel, DOCA_ERROR_DRIVER, "the linked node's answer is not valid");
            return;
        }
        doca_error_t r = channel_share(channel, peer, m->channel_id, &err);
        channel->peer_pid = (pid_t)m->pid;
        copy_text(channel->peer_node, peer->name);
        if (r == DOCA_SUCCESS)
            r = peer->no_descriptors
                    ? connect_relayed(channel, m, &err)
                    : answer(channel, m->max_message, m->recv_queue, fds->fds, &err);
        if (r != DOCA_SUCCESS)
            refuse(channel, r, err.s);
        return;
    }
    doca_error_t code = reply ? peer_error_code(reply->error) : DOCA_ERROR_DRIVER;
    if (code == DOCA_ERROR_NOT_FOUND) {
        struct errtext last;
        code = ask_next(channel, &err);
        if (code != DOCA_SUCCESS)
            refuse(
                channel,
                errtext_set(&last, code, "%.140s; %.160s", err.s, reply ? reply->error->text : ""),
                last.s);
        return;
    }
    refuse(channel, code, reply ? reply->error->text : why->s);
}

static void on_unwanted(struct peer *peer, const Docad__Message *reply)
{
    channel_release_remote(peer, reply->peer_channel_connect_reply->channel_id);
}

// While docad waits for a DPU, the request is sent when the DPU is linked again.
static struct peer *next_dpu(const struct node *node, uint64_t after)
{
    struct peer *peer, *best = NULL;
    list_for_each (peer, &node->peers, in_node) {
        if ((peer->state == PEER_LINKED || peer->away) && peer->role == ROLE_DPU &&
            peer->id > after && (!best || peer->id < best->id))
            best = peer;
    }
    return best;
}

static doca_error_t ask_next(struct channel *channel, struct errtext *err)
{
    struct session *session = channel->object.session;
    struct node *node = session->node;
    Docad__PeerChannelConnect m = DOCAD__PEER_CHANNEL_CONNECT__INIT;
    Docad__Account account;

    struct peer *peer =
        node->config->role == ROLE_HOST ? next_dpu(node, channel->asked_peer) : NULL;
    if (!peer)
        return errtext_set(
            err, DOCA_ERROR_CONNECTION_ABORTED, "no service \"%s\" for function %s%s",
            channel->name, channel->function->name,
            channel->asked_peer == 0 && node->config->role == ROLE_HOST ? ": no DPU is linked"
                                                                        : "");
    if (!peer->no_descriptors && !packet_has_room())
        return channel_not_made(&channel->options, -EMFILE, err);
    channel->asked_peer = peer->id;
    m.vuid = (char *)channel->function->vuid;
    m.name = channel->name;
    m.max_message = channel->options.sizes.max_message;
    m.send_queue = channel->options.sizes.send_queue;
    m.recv_queue = channel->options.sizes.recv_queue;
    m.takes_packets = channel->options.takes_packets;
    m.takes_ring = channel->options.takes_ring;
    if (channel->options.keyed)
        m.key = record_bytes(channel->options.key, CHANNEL_KEY_SIZE);
    m.pid = (uint32_t)session->pid;
    m.uid = session->credentials.uid;
    m.account = credentials_account(&session->credentials, &account);
    return peer_request_send(&channel->request, peer,
                             message_of(PEER_CHANNEL_CONNECT, peer_channel_connect, &m), on_reply,
                             on_unwanted, channel, err);
}

static doca_error_t check_connect(const struct request *request, struct channel_options *options,
                                  const struct function **out)
{
    const Docad__ChannelConnect *m = request->message->channel_connect;
    const struct function *function;

    doca_error_t r = channel_check_name(m->name, request->err);
    if (r == DOCA_SUCCESS)
        r = channel_check_options(options, m->takes_packets, &m->key, request->err);
    if (r == DOCA_SUCCESS)
        r = session_open_function(request->session, m->function_id, &function, request->err);
    if (r == DOCA_SUCCESS && function->can_list_reps)
        r = errtext_set(request->err, DOCA_ERROR_NOT_SUPPORTED,
                        "function %s belongs to a DPU itself: services are for functions with "
                        "representors, and clients must use such a function",
                        function->name);
    if (r == DOCA_SUCCESS)
        *out = function;
    return r;
}

// The request begins: of a client that has waited, with the same channel.
static doca_error_t begin(struct channel **out, const struct request *request,
                          const struct channel_options *options, const struct function *function)
{
    const Docad__ChannelConnect *m = request->message->channel_connect;

    if (!*out) {
        doca_error_t r = channel_new(out, request->session, NULL, m->name, request->err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    struct channel *channel = *out;
    copy_text(channel->name, m->name);
    copy_text(channel->on, function->name);
    channel->function = function;
    channel->options = *options;
    channel->asked_peer = 0;
    channel->serial = channel->object.stored.serial = request->message->serial;
    channel_wait_begin(channel, m);
    return DOCA_SUCCESS;
}

doca_error_t on_channel_connect(struct request *request)
{
    struct session *session = request->session;
    const Docad__ChannelConnect *m = request->message->channel_connect;
    struct channel_options options = {.sizes = {m->max_message, m->send_queue, m->recv_queue},
                                      .takes_ring = m->takes_ring};
    struct channel *channel = channel_wait_find(session, m->waiting);
    const struct function *function;

    doca_error_t r = check_connect(request, &options, &function);
    if (r == DOCA_SUCCESS)
        r = begin(&channel, request, &options, function);
    if (r != DOCA_SUCCESS) {
        channel_free(channel);
        return r;
    }
    struct channel_service *service =
        channel_service_find(session->node, session->node->id, function->vuid, m->name);
    r = service ? connect_here(channel, service, request->err) : ask_next(channel, request->err);
    if (r == DOCA_SUCCESS || channel_wait(channel, r, request->err->s))
        return DOCA_SUCCESS;
    channel_free(channel);
    return r;
}

// ---- requests of a linked host ---------------------------------------------------------------

static doca_error_t introduce_peer(struct peer *peer, uint64_t serial,
                                   const Docad__PeerChannelConnect *m, struct errtext *err)
{
    struct channel_options options = {.sizes = {m->max_message, m->send_queue, m->recv_queue},
                                      .takes_ring = m->takes_ring};
    Docad__PeerChannelConnectReply reply = DOCAD__PEER_CHANNEL_CONNECT_REPLY__INIT;
    Docad__Message answer_to = DOCAD__MESSAGE__INIT;
    struct channel *channel;
    int fds[CHANNEL_FDS];

    doca_error_t r = channel_check_options(&options, m->takes_packets, &m->key, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct channel_service *service =
        channel_service_find(peer->node, peer->id_there, m->vuid, m->name);
    if (!service) {
        char names[160];
        channel_services_name(peer->node, peer->id_there, m->vuid, names, sizeof(names));
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "%s has %s%s", peer->node->config->name,
                           names[0] ? "services named " : "no service for it", names);
    }
    struct user *user = user_get(&peer->users, m->account ? m->account->uid : m->uid);
    if (!user)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    const struct channel_sizes *here = channel_sizes_there(service, &options);
    r = channel_introduce(&channel, service, user, peer, &options, fds, err);
    user_unref(user);
    if (r != DOCA_SUCCESS)
        return r;
    channel->peer_pid = (pid_t)m->pid;
    copy_text(channel->peer_node, peer->name);
    r = channel_share(channel, peer, channel->object.id, err);
    if (r == DOCA_SUCCESS)
        r = channel_keep(channel, err);
    if (r == DOCA_SUCCESS && peer->no_descriptors)
        r = channel_relay_new(channel, peer, smaller(options.sizes.max_message, here->max_message),
                              options.takes_packets && service->takes_packets, fds, err);
    if (r != DOCA_SUCCESS) {
        channel_unshare(channel); // our answer notifies it
        channel_free(channel);
        close_all(fds, service);
        return r;
    }
    reply.channel_id = channel->object.id;
    reply.max_message = here->max_message;
    reply.recv_queue = here->recv_queue;
    reply.takes_packets = service->takes_packets;
    reply.pid = (uint32_t)service->object.session->pid;
    answer_to.serial = serial;
    answer_to.body_case = DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY;
    answer_to.peer_channel_connect_reply = &reply;
    connection_send(peer->connection, &answer_to, fds, peer->no_descriptors ? 0 : CHANNEL_FDS);
    close_all(fds, service);
    return DOCA_SUCCESS;
}

void channel_peer_connect(struct peer *peer, const Docad__Message *message)
{
    struct errtext err;
    doca_error_t r = introduce_peer(peer, message->serial, message->peer_channel_connect, &err);
    if (r != DOCA_SUCCESS)
        peer_reply_error(peer, message->serial, r, err.s);
}

// ---- ends -----------------------------------------------------------------------------

doca_error_t on_channel_close(struct request *request)
{
    struct session *session = request->session;
    uint64_t id = request->message->channel_close->id;
    struct channel_service *service =
        OBJECT_GET(session->node, SERVICE, id, struct channel_service);
    struct channel *channel = OBJECT_GET(session->node, CHANNEL, id, struct channel);

    if (service && service->object.session == session)
        channel_service_free(service);
    else if (channel && channel->object.session == session && !channel->request)
        channel_free(channel);
    else
        return errtext_set(request->err, DOCA_ERROR_NOT_FOUND,
                           "channel %" PRIu64 ": this session has none", id);
    return request_reply_ok(request);
}

void channel_peer_ended(struct peer *peer, const Docad__Message *message)
{
    uint64_t shared_id = message->peer_channel_ended->channel_id;
    if (channel_relay_ended_there(peer, shared_id))
        return;
    struct channel *channel = idmap_get(&peer->channels, shared_id, struct channel, shared);
    if (!channel)
        return;
    channel_unshare(channel); // the peer has the end already
    channel_free(channel);
}
