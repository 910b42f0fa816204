// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Services: which session listens by which name on which function.

#include "channel.h"

#include "bytes_only.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "node.h"
#include "representor.h"
#include "session.h"
#include "session_representors.h"
#include "user.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

// ---- by place -------------------------------------------------------------------------

// The target of a service: a function of a node, and a name on it.
struct place {
    const uint8_t *node_id;
    const char *vuid, *name;
};

#define SERVICES_NAMED 3

static struct channel_service *of_place(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, struct channel_service, by_place);
}

static int compare_place(const struct tree_node *node, const void *key)
{
    const struct channel_service *service = of_place(node);
    const struct place *place = key;
    int order = memcmp(service->node_id, place->node_id, NODE_ID_SIZE);
    if (order == 0)
        order = strcmp(service->vuid, place->vuid);
    return order ? order : strcmp(service->name, place->name);
}

static int compare_services(const struct tree_node *a, const struct tree_node *b)
{
    const struct channel_service *service = of_place(b);
    const struct place place = {service->node_id, service->vuid, service->name};
    return compare_place(a, &place);
}

struct channel_service *channel_service_find(const struct node *node,
                                             const uint8_t node_id[NODE_ID_SIZE], const char *vuid,
                                             const char *name)
{
    const struct place place = {node_id, vuid, name};
    struct tree_node *found = tree_seek(&node->services_by_place, &place, compare_place);
    return found && compare_place(found, &place) == 0 ? of_place(found) : NULL;
}

void channel_services_name(const struct node *node, const uint8_t node_id[NODE_ID_SIZE],
                           const char *vuid, char *text, size_t size)
{
    const struct place first = {node_id, vuid, ""};
    const struct tree_node *at = tree_seek(&node->services_by_place, &first, compare_place);
    size_t used = 0;

    text[0] = '\0';
    for (unsigned n = 0; at; n++) {
        const struct channel_service *service = of_place(at);
        if (memcmp(service->node_id, node_id, NODE_ID_SIZE) != 0 ||
            strcmp(service->vuid, vuid) != 0)
            return;
        if (n == SERVICES_NAMED) {
            snprintf(text + used, size - used, ", and others");
            return;
        }
        used +=
            (size_t)snprintf(text + used, size - used, "%s\"%s\"", n ? ", " : "", service->name);
        if (used >= size)
            return;
        at = tree_next(&node->services_by_place, at, compare_services);
    }
}

// ---- beginning and end ----------------------------------------------------------------

struct channel_service *channel_service_make(struct session *session)
{
    struct channel_service *service = calloc(1, sizeof(*service));
    if (!service)
        return NULL;
    object_init(&service->object, DOCAD__RECORD__WHAT_SERVICE, session->node, session);
    service->accept_fd = -1;
    if (in_flight_init(&service->in_flight, -1, session->user->uid) < 0) {
        free(service);
        return NULL;
    }
    list_init(&service->channels);
    return service;
}

doca_error_t channel_service_enter(struct channel_service *service, uint64_t id,
                                   const struct limits *limits, struct errtext *err)
{
    struct session *session = service->object.session;
    const struct charge charges[] = {{LIMIT_CHANNELS, &session->n_channels, 1},
                                     {LIMIT_DESCRIPTORS, &session->user->descriptors, 1},
                                     {LIMIT_METADATA, &session->user->metadata, sizeof(*service)}};
    doca_error_t r = object_enter(&service->object, id, charges, ARRAY_SIZE(charges), limits, err);
    if (r == DOCA_SUCCESS)
        tree_add(&session->node->services_by_place, &service->by_place, compare_services);
    return r;
}

static void service_dispose(struct channel_service *service)
{
    in_flight_fini(&service->in_flight);
    free(service);
}

// It is not found any more. A client that waits in the queue of the accept socket finds its channel
// closed.
static void stop(struct channel_service *service)
{
    if (service->stopped)
        return;
    service->stopped = true;
    fdstore_drop(&service->object.stored);
    fd_reaper_close_socket(steal_fd(&service->accept_fd), service->object.session->user->uid);
    tree_remove(&service->object.node->services_by_place, &service->by_place, compare_services);
}

void channel_service_end_one(struct channel_service *service)
{
    stop(service);
    if (list_empty(&service->channels))
        channel_service_free(service);
    else
        channel_free(list_entry(service->channels.next, struct channel, in_service));
}

struct channel_service *channel_service_free(struct channel_service *service)
{
    if (!service)
        return NULL;
    stop(service);
    while (!list_empty(&service->channels))
        channel_free(list_entry(service->channels.next, struct channel, in_service));
    object_leave(&service->object);
    service_dispose(service);
    return NULL;
}

static doca_error_t service_new(struct channel_service **out, struct session *session,
                                const struct representor *of, const char *name,
                                const struct channel_sizes *sizes, struct errtext *err)
{
    struct node *node = session->node;
    struct channel_service *service = channel_service_make(session);
    if (!service)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    memcpy(service->node_id, of->node_id, NODE_ID_SIZE);
    copy_text(service->vuid, of->vuid);
    copy_text(service->pci, of->pci);
    copy_text(service->representor, of->name);
    copy_text(service->name, name);
    service->sizes = *sizes;
    doca_error_t r = channel_service_enter(service, node_next_id(node), node_limits(node), err);
    if (r == DOCA_SUCCESS)
        *out = service;
    else
        service_dispose(service);
    return r;
}

// ---- requests and records -------------------------------------------------------------

static doca_error_t find_representor(struct session *session, const Docad__ChannelListen *m,
                                     const struct representor **out, struct errtext *err)
{
    const struct function *function;
    doca_error_t r = session_open_function(session, m->function_id, &function, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!function->can_list_reps)
        return errtext_set(
            err, DOCA_ERROR_NOT_SUPPORTED,
            "function %s has no representors, which services need; PFs of a DPU have them",
            function->name);
    const struct representor *of = representor_find(session->node, m->representor_id);
    if (!of || !session_has_representor(session, m->representor_id))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "representor %u: not open in this session, or its host is gone",
                           m->representor_id);
    if (of->parent != function)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "representor %s belongs to function %s, not to %s; take one of that "
                           "function's, or open the other device",
                           of->name, of->parent->name, function->name);
    *out = of;
    return DOCA_SUCCESS;
}

doca_error_t on_channel_listen(struct request *request)
{
    struct session *session = request->session;
    const Docad__ChannelListen *m = request->message->channel_listen;
    struct channel_sizes sizes = {m->max_message, m->send_queue, m->recv_queue};
    Docad__ChannelListenReply reply = DOCAD__CHANNEL_LISTEN_REPLY__INIT;
    const struct representor *of;
    struct channel_service *service;
    int pair[2];

    doca_error_t r = channel_check_name(m->name, request->err);
    if (r == DOCA_SUCCESS)
        r = channel_check_sizes(&sizes, request->err);
    if (r == DOCA_SUCCESS)
        r = find_representor(session, m, &of, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (channel_service_find(session->node, of->node_id, of->vuid, m->name))
        return errtext_set(
            request->err, DOCA_ERROR_NOT_PERMITTED,
            "representor %s has a service of this name already; 'docactl channels services' "
            "shows whose",
            of->name);
    r = service_new(&service, session, of, m->name, &sizes, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        r = errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "socket for connections: %s",
                        strerror(errno));
        channel_service_free(service);
        return r;
    }
    bytes_only_set(pair[0]);
    service->accept_fd = pair[0];
    service->takes_packets = m->takes_packets;
    service->takes_ring = m->takes_ring;
    service->max_clients = m->max_clients;
    service->object.stored.serial = request->message->serial;
    r = channel_service_keep(service, request->err);
    if (r != DOCA_SUCCESS) {
        close_fdp(&pair[1]);
        channel_service_free(service);
        return r;
    }
    reply.service_id = service->object.id;
    session_reply(session, request->message->serial,
                  message_of(CHANNEL_LISTEN_REPLY, channel_listen_reply, &reply), &pair[1], 1);
    fd_reaper_close(pair[1], session->user->uid);
    return DOCA_SUCCESS;
}

doca_error_t channel_service_keep(struct channel_service *s, struct errtext *err)
{
    Docad__ServiceRecord what = DOCAD__SERVICE_RECORD__INIT;
    Docad__Record record;
    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.node = record_bytes(s->node_id, NODE_ID_SIZE);
    what.vuid = s->vuid;
    what.pci_address = s->pci;
    what.representor = s->representor;
    what.name = s->name;
    what.max_message = s->sizes.max_message;
    what.send_queue = s->sizes.send_queue;
    what.recv_queue = s->sizes.recv_queue;
    what.takes_packets = s->takes_packets;
    what.takes_ring = s->takes_ring;
    what.max_clients = s->max_clients;
    object_record(&s->object, &record);
    record.service = &what;
    return object_put(&s->object, &record, &s->accept_fd, 1, err);
}
