// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels, and how one is made.

#include "channel.h"

#include "bytes_only.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "memfd.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "session.h"
#include "user.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

// ---- checking a request ------------------------------------------------------------

doca_error_t channel_check_name(const char *name, struct errtext *err)
{
    size_t length = strnlen(name, CHANNEL_NAME_SIZE);
    if (length == 0 || length == CHANNEL_NAME_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the name of a service must have 1 to %u bytes", CHANNEL_NAME_SIZE - 1);
    return DOCA_SUCCESS;
}

doca_error_t channel_check_sizes(const struct channel_sizes *s, struct errtext *err)
{
    if (s->max_message == 0 || s->max_message > CHANNEL_MESSAGE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "message size of %u bytes: it must be 1 to %u", s->max_message,
                           CHANNEL_MESSAGE_MAX);
    if (s->send_queue == 0 || s->send_queue > CHANNEL_QUEUE_MAX || s->recv_queue == 0 ||
        s->recv_queue > CHANNEL_QUEUE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "queues of %u and %u messages: each must have 1 to %u", s->send_queue,
                           s->recv_queue, CHANNEL_QUEUE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t channel_check_options(struct channel_options *options, bool takes_packets,
                                   const ProtobufCBinaryData *key, struct errtext *err)
{
    if (key->len != 0 && key->len != CHANNEL_KEY_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "key of %zu bytes: it must have %u",
                           key->len, CHANNEL_KEY_SIZE);
    options->takes_packets = takes_packets;
    options->keyed = key->len != 0;
    if (options->keyed)
        memcpy(options->key, key->data, CHANNEL_KEY_SIZE);
    return channel_check_sizes(&options->sizes, err);
}

// ---- channels -------------------------------------------------------------------------

struct channel *channel_make(struct session *session, enum channel_side_index side,
                             const char *name)
{
    struct channel *channel = calloc(1, sizeof(*channel));
    if (!channel)
        return NULL;
    object_init(&channel->object, DOCAD__RECORD__WHAT_CHANNEL, session->node, session);
    channel->side = side;
    copy_text(channel->name, name);
    list_init(&channel->in_service);
    return channel;
}

// The service's part is charged to its service.
doca_error_t channel_enter(struct channel *channel, uint64_t id, struct channel_service *service,
                           const struct limits *limits, struct errtext *err)
{
    struct session *session = channel->object.session;
    const struct charge charges[] = {
        {LIMIT_METADATA, &session->user->metadata, sizeof(*channel)},
        {LIMIT_CHANNELS, &session->n_channels, channel->side == CHANNEL_CLIENT}};

    doca_error_t r = object_enter(&channel->object, id, charges, ARRAY_SIZE(charges), limits, err);
    if (r != DOCA_SUCCESS)
        return r;
    channel->service = service;
    if (service) {
        list_append(&service->channels, &channel->in_service);
        service->n_channels++;
    }
    return DOCA_SUCCESS;
}

static void channel_leave(struct channel *channel)
{
    if (channel->service)
        channel->service->n_channels--;
    list_remove(&channel->in_service);
    object_leave(&channel->object);
}

doca_error_t channel_new(struct channel **out, struct session *session,
                         struct channel_service *service, const char *name, struct errtext *err)
{
    struct node *node = session->node;
    struct channel *channel =
        channel_make(session, service ? CHANNEL_SERVICE : CHANNEL_CLIENT, name);
    if (!channel)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = channel_enter(channel, node_next_id(node), service, node_limits(node), err);
    if (r == DOCA_SUCCESS)
        *out = channel;
    else
        free(channel);
    return r;
}

struct channel *channel_free(struct channel *channel)
{
    if (!channel)
        return NULL;
    struct channel *other = channel->other;
    if (channel->request)
        peer_request_abandon(channel->request);
    if (channel->relay)
        channel->release_relay(channel->relay);
    else if (channel->peer)
        channel_release_remote(channel->peer, channel->shared.id);
    channel_unshare(channel);
    channel_leave(channel);
    user_unref(channel->client);
    free(channel);
    if (other) {
        other->other = NULL;
        channel_free(other);
    }
    return NULL;
}

// ---- parts of a channel --------------------------------------------------------

void channel_ends_close(struct channel_ends *ends)
{
    for (int side = 0; side < 2; side++)
        fd_reaper_close_all(ends->fds[side], CHANNEL_FDS, ends->uid);
}

// Otherwise the kernel would discard out-of-band data unread, together with the descriptors sent
// with it.
static bool set_inline(int fd)
{
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)) == 0;
}

// Requests kernel memory for a queue of messages. A message takes its size, rounded up to the
// kernel's allocation size, plus the kernel's own record.
static void set_room(int fd, uint32_t messages, uint32_t max_message)
{
    uint32_t each = 1024;
    int now;
    socklen_t size = sizeof(now);
    while (each < max_message + 512)
        each *= 2;
    uint64_t wanted = (uint64_t)messages * (each + 512);
    int room = wanted > INT32_MAX / 2 ? INT32_MAX / 2 : (int)wanted;
    if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &now, &size) == 0 && now / 2 < room)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
}

static int make_page(bool ring)
{
    struct channel_page page = {.magic = CHANNEL_PAGE_MAGIC, .version = CHANNEL_PAGE_VERSION};
    cleanup_fd int fd =
        memfd_create_sealed("docad-channel", ring ? CHANNEL_FILE_SIZE : CHANNEL_PAGE_SIZE);
    if (fd >= 0 && pwrite(fd, &page, sizeof(page), 0) != (ssize_t)sizeof(page))
        return -ENOMEM;
    return fd < 0 ? fd : steal_fd(&fd);
}

static int make_pair(struct channel_ends *ends, int index, int type)
{
    int pair[2];
    if (bytes_only_pair(type | SOCK_CLOEXEC | SOCK_NONBLOCK, pair) < 0)
        return -errno;
    ends->fds[CHANNEL_CLIENT][index] = pair[0];
    ends->fds[CHANNEL_SERVICE][index] = pair[1];
    return 0;
}

int channel_ends_make(struct channel_ends *ends, const struct channel_sizes *client,
                      const struct channel_sizes *service, bool ring)
{
    uint32_t largest =
        client->max_message < service->max_message ? client->max_message : service->max_message;
    int page = make_page(ring);
    if (page < 0)
        return page;
    ends->fds[CHANNEL_CLIENT][2] = page;
    ends->fds[CHANNEL_SERVICE][2] = fcntl(page, F_DUPFD_CLOEXEC, 3);
    if (ends->fds[CHANNEL_SERVICE][2] < 0)
        return -errno;
    int r = make_pair(ends, 0, SOCK_SEQPACKET);
    if (r == 0)
        r = make_pair(ends, 1, SOCK_STREAM);
    if (r < 0)
        return r;
    if (!set_inline(ends->fds[CHANNEL_CLIENT][1]) || !set_inline(ends->fds[CHANNEL_SERVICE][1]))
        return -errno;
    set_room(ends->fds[CHANNEL_CLIENT][0], client->send_queue + service->recv_queue, largest);
    set_room(ends->fds[CHANNEL_SERVICE][0], service->send_queue + client->recv_queue, largest);
    return 0;
}

doca_error_t channel_not_made(const struct channel_options *options, int error, struct errtext *err)
{
    return errtext_set(err, channel_no_room(options), "docad cannot make a channel now: %s",
                       strerror(-error));
}

static doca_error_t offer(struct channel_service *service, const struct channel *channel,
                          bool relayed, const struct channel_options *options,
                          const int fds[CHANNEL_FDS], struct errtext *err)
{
    Docad__ChannelOffer offered = DOCAD__CHANNEL_OFFER__INIT;
    uint8_t packed[128];

    offered.channel_id = channel->object.id;
    offered.max_message = options->sizes.max_message;
    offered.recv_queue = options->sizes.recv_queue;
    offered.relayed = relayed;
    if (options->keyed)
        offered.key = record_bytes(options->key, CHANNEL_KEY_SIZE);
    size_t size = docad__channel_offer__pack(&offered, packed);
    service->in_flight.sock = service->accept_fd;
    bool taken = in_flight_take(&service->in_flight, CHANNEL_FDS);
    int r = taken ? packet_send(service->accept_fd, packed, size, fds, CHANNEL_FDS, MSG_DONTWAIT)
                  : -EAGAIN;
    if (taken && r < 0)
        in_flight_give(&service->in_flight, CHANNEL_FDS);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                           "service \"%s\" (pid %d) accepts no more connections: %s", service->name,
                           (int)service->object.session->pid,
                           r == -EAGAIN ? "earlier ones wait for its recvfrom" : strerror(-r));
    return DOCA_SUCCESS;
}

// The users who connect to a service share its places. A limit of its own is that of the card that
// its device imitates, which does not know users.
static doca_error_t check_places(const struct channel_service *service, const struct user *user,
                                 const struct channel_options *options, struct errtext *err)
{
    const struct channel *channel;
    unsigned own = 0;

    if (service->max_clients && service->n_channels >= service->max_clients)
        return errtext_set(err, channel_no_room(options),
                           "service \"%s\" has %u connections, and its device allows %u",
                           service->name, service->n_channels, service->max_clients);
    list_for_each (channel, &service->channels, in_service)
        own += channel->client == user;
    if (own < limit_share(CHANNELS_PER_SERVICE, service->n_channels - own))
        return DOCA_SUCCESS;
    return errtext_set(err, channel_no_room(options),
                       "service \"%s\" has %u connections, %u of them of uid %u; of the %u that it "
                       "may have the rest is for other users",
                       service->name, service->n_channels, own, (unsigned)user->uid,
                       CHANNELS_PER_SERVICE);
}

doca_error_t channel_introduce(struct channel **out, struct channel_service *service,
                               struct user *user, const struct peer *peer,
                               const struct channel_options *options, int fds[CHANNEL_FDS],
                               struct errtext *err)
{
    cleanup(channel_ends_close) struct channel_ends ends = CHANNEL_ENDS_NONE;
    struct channel *channel;

    doca_error_t r = check_places(service, user, options, err);
    if (r != DOCA_SUCCESS)
        return r;
    bool relayed = peer && peer->no_descriptors;
    int e = channel_ends_make(&ends, &options->sizes, channel_sizes_there(service, options),
                              options->takes_ring && service->takes_ring && !relayed);
    // If the link is full, the client's end waits for it in duplicates of the descriptors.
    if (e == 0 && peer && !relayed && !packet_has_room())
        e = -EMFILE;
    if (e < 0)
        return channel_not_made(options, e, err);
    r = channel_new(&channel, service->object.session, service, service->name, err);
    if (r != DOCA_SUCCESS)
        return r;
    channel->options = *options;
    copy_text(channel->on, service->representor);
    channel->client = user_ref(user);
    ends.uid = service->object.session->user->uid;
    r = offer(service, channel, relayed, options, ends.fds[CHANNEL_SERVICE], err);
    if (r != DOCA_SUCCESS) {
        channel_free(channel);
        return r;
    }
    for (int i = 0; i < CHANNEL_FDS; i++)
        fds[i] = steal_fd(&ends.fds[CHANNEL_CLIENT][i]);
    object_use(&channel->object);
    *out = channel;
    return DOCA_SUCCESS;
}

// ---- records --------------------------------------------------------------------------

doca_error_t channel_keep(struct channel *c, struct errtext *err)
{
    Docad__ChannelRecord what = DOCAD__CHANNEL_RECORD__INIT;
    Docad__Record record;
    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.side = c->side;
    what.service = c->service ? c->service->object.id : 0;
    what.other = c->other ? c->other->object.id : 0;
    if (c->peer)
        what.node = record_bytes(c->peer->id_there, NODE_ID_SIZE);
    what.shared_id = c->peer ? c->shared.id : 0;
    what.name = c->name;
    what.peer_node = c->peer_node;
    what.peer_pid = (uint32_t)c->peer_pid;
    what.function = c->on;
    object_record(&c->object, &record);
    record.channel = &what;
    return object_put(&c->object, &record, NULL, 0, err);
}
