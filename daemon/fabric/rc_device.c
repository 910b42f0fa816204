// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_device.h"

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "tls_transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>

// How long a node is avoided after the first failure; each further failure doubles it.
#define AVOIDED_S         60u
#define AVOIDED_DOUBLINGS 4

// The address of our end of a link; empty if the peer is on this machine.
struct own_end {
    uint8_t address[16];
    size_t size;
};

// Rates how well a port fits: 0 not at all, 1 it has an address, 2 it has the link's address.
// Also gets the number of the device's ports.
static int fit_of_port(struct ibv_device *found, uint8_t port_number, const struct own_end *end,
                       struct rc_device *out, unsigned *n_ports)
{
    struct rc_device made = {.references = 1};
    struct verbs_port port;
    struct errtext why;

    copy_text(made.name, ibv_get_device_name(found));
    if (verbs_device_open(&made.device, made.name, port_number, &why) != DOCA_SUCCESS) {
        log_limited(LOG_LEVEL_WARNING, "%s", why.s);
        return 0;
    }
    *n_ports = made.device.limits.phys_port_cnt;
    const struct verbs_gid *gid = NULL;
    int fit = 0;
    if (verbs_port_query(made.device.context, port_number, &port, &why) == DOCA_SUCCESS &&
        port.attr.state == IBV_PORT_ACTIVE) {
        if (end->size)
            gid = verbs_gid_choose(port.gids, port.n_gids, end->address, end->size);
        fit = gid ? 2 : 0;
        if (!gid)
            gid = verbs_gid_choose(port.gids, port.n_gids, NULL, 0);
        if (!fit && (gid || port.attr.link_layer == IBV_LINK_LAYER_INFINIBAND))
            fit = 1;
    }
    if (fit == 0) {
        verbs_device_close(&made.device);
        return 0;
    }
    made.mtu = (uint8_t)port.attr.active_mtu;
    made.has_gid = gid != NULL;
    if (gid)
        made.gid = *gid;
    *out = made;
    return fit;
}

static void check_ports(struct ibv_device *found, const struct own_end *end, struct rc_device *best,
                        int *best_fit)
{
    struct rc_device candidate;
    unsigned n_ports = 1;
    for (unsigned port = 1; port <= n_ports && *best_fit < 2; port++) {
        int fit = fit_of_port(found, (uint8_t)port, end, &candidate, &n_ports);
        if (fit > *best_fit) {
            if (*best_fit)
                verbs_device_close(&best->device);
            *best = candidate;
            *best_fit = fit;
        } else if (fit) {
            verbs_device_close(&candidate.device);
        }
    }
}

static void end_users(const struct list *users)
{
    struct rc_device_user *user, *next;
    list_for_each_safe (user, next, users, in_device)
        user->gone(user);
}

void rc_device_end(struct rc_device *device)
{
    device->references++;          // the last user returns its own reference
    list_remove(&device->in_node); // it must not be found again: a device with its name would be
                                   // another one
    end_users(&device->queues);    // first, so that no more bytes move
    end_users(&device->tables);
    rc_device_put(device);
}

static void on_event(evutil_socket_t fd, short what, void *arg)
{
    struct rc_device *device = arg;
    struct ibv_async_event event;
    (void)fd;
    (void)what;

    if (ibv_get_async_event(device->device.context, &event) != 0)
        return;
    bool gone = event.event_type == IBV_EVENT_DEVICE_FATAL;
    ibv_ack_async_event(&event);
    if (gone)
        rc_device_end(device);
}

// Another reader may have taken an event that was announced, so never wait for the next one.
static bool make_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static struct rc_device *find_open(const struct peer *peer, const struct rc_device *like)
{
    struct rc_device *device;
    list_for_each (device, &peer->node->rc_devices, in_node) {
        if (memcmp(device->node_there, peer->id_there, NODE_ID_SIZE) == 0 &&
            strcmp(device->name, like->name) == 0 && device->device.port == like->device.port &&
            device->has_gid == like->has_gid &&
            memcmp(&device->gid, &like->gid, sizeof(device->gid)) == 0)
            return device;
    }
    return NULL;
}

static doca_error_t keep(struct rc_device **out, const struct peer *peer,
                         const struct rc_device *best, struct errtext *err)
{
    char gid[VERBS_GID_TEXT_SIZE] = "no GID";
    struct rc_device *device = malloc(sizeof(*device));
    if (!device)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    *device = *best;
    memcpy(device->node_there, peer->id_there, NODE_ID_SIZE);
    list_init(&device->in_node);
    list_init(&device->queues);
    list_init(&device->tables);
    device->chores = peer->node->chores;
    device->connecting = peer->node->connecting;
    device->events = event_new(peer->node->base, device->device.context->async_fd,
                               EV_READ | EV_PERSIST, on_event, device);
    if (!device->events || !make_nonblocking(device->device.context->async_fd) ||
        event_add(device->events, NULL) < 0) {
        if (device->events)
            event_free(device->events);
        free(device);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    list_append(&peer->node->rc_devices, &device->in_node);
    if (device->has_gid)
        verbs_gid_format(&device->gid, gid);
    snprintf(device->way, sizeof(device->way), "%s port %u, %s", device->name, device->device.port,
             gid);
    *out = device;
    return DOCA_SUCCESS;
}

// Returns whether the device is offered as a function, or by a function section. See the verbs
// section of the configuration.
static bool is_offered(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        const struct function *f = &config->functions[i].function;
        if (f->backing == DOCAD__BACKING__VERBS && strcmp(f->ibdev, name) == 0)
            return true;
    }
    return verbs_settings_offer(&config->verbs, name);
}

doca_error_t rc_device_get(struct rc_device **out, const struct peer *peer, struct errtext *err)
{
    struct rc_device best;
    struct own_end end = {.size = 0};
    int best_fit = 0, n = 0;

    doca_error_t reach = rc_device_check_reach(peer, err);
    if (reach != DOCA_SUCCESS)
        return reach;
    if (peer_is_remote(peer))
        end.size = tls_transport_own_address(connection_remote(peer->connection), end.address);
    struct ibv_device **list = ibv_get_device_list(&n);
    for (int i = 0; list && i < n && best_fit < 2; i++)
        if (is_offered(peer->node->config, ibv_get_device_name(list[i])))
            check_ports(list[i], &end, &best, &best_fit);
    if (list)
        ibv_free_device_list(list);
    if (best_fit == 0)
        return errtext_set(
            err, DOCA_ERROR_NOT_SUPPORTED,
            "node %s has no RDMA device with an address and an active port (rdma link show), or "
            "its configuration does not offer it; docad-machines(7) makes one of a network card",
            peer->node->config->name);
    struct rc_device *open = find_open(peer, &best);
    if (!open) {
        doca_error_t r = keep(out, peer, &best, err);
        if (r != DOCA_SUCCESS)
            verbs_device_close(&best.device);
        return r;
    }
    verbs_device_close(&best.device);
    open->references++;
    *out = open;
    return DOCA_SUCCESS;
}

struct rc_device *rc_device_put(struct rc_device *device)
{
    if (!device || --device->references > 0)
        return NULL;
    list_remove(&device->in_node);
    event_free(device->events);
    verbs_device_close(&device->device);
    free(device);
    return NULL;
}

void rc_device_removed(struct node *node, const char *name)
{
    struct rc_device *device, *next;
    list_for_each_safe (device, next, &node->rc_devices, in_node)
        if (strcmp(device->name, name) == 0)
            rc_device_end(device);
}

// ---- nodes that it does not reach -----------------------------------------------------------

void rc_device_avoid(const struct rc_device *device, struct peer *peer,
                     const uint8_t gid_there[VERBS_GID_SIZE], const char *why)
{
    unsigned seconds = AVOIDED_S << peer->no_rdma_tries;
    char there[INET6_ADDRSTRLEN] = "";

    if (clock_ms() < peer->no_rdma_until)
        return; // another queue pair found the same before
    inet_ntop(AF_INET6, gid_there, there, sizeof(there));
    peer->no_rdma_until = clock_ms() + seconds * 1000;
    if (peer->no_rdma_tries < AVOIDED_DOUBLINGS)
        peer->no_rdma_tries++;
    errtext_write(&peer->no_rdma,
                  "%s does not reach GID %s of node %s; check the route, and that no firewall "
                  "drops UDP port 4791, or exclude the device (verbs in docad.conf); docad tries "
                  "again after %u s, or when it is reloaded: %s",
                  device->way, there, peer->name, seconds, why);
}

void rc_device_reset_reach(struct peer *peer)
{
    peer->no_rdma_until = 0;
    peer->no_rdma_tries = 0;
}

doca_error_t rc_device_check_reach(const struct peer *peer, struct errtext *err)
{
    if (clock_ms() >= peer->no_rdma_until)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "%s", peer->no_rdma.s);
}
