// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The flood "relays": programs on both nodes talk over Comm Channels, whose messages docad carries
// over the link. They use the library, because a channel is theirs alone: other users are only
// affected by the number of messages.

#include "device.h"
#include "floods.h"

#include <doca_comm_channel.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVICE       "flood"
#define CHANNELS      16
#define FUNCTIONS_MAX 16
#define LENGTH        1024
#define RETRY_US      20000

static struct doca_comm_channel_ep_t *open_endpoint(struct doca_dev *dev)
{
    struct doca_comm_channel_ep_t *ep;
    if (doca_comm_channel_ep_create(&ep) != DOCA_SUCCESS)
        return NULL;
    if (doca_comm_channel_ep_set_device(ep, dev) == DOCA_SUCCESS)
        return ep;
    doca_comm_channel_ep_destroy(ep);
    return NULL;
}

// Listens for one function of the host. Returns NULL if that is not possible.
static struct doca_comm_channel_ep_t *listen_for(struct doca_dev *dev,
                                                 struct doca_devinfo_rep *function)
{
    struct doca_dev_rep *rep;
    struct doca_comm_channel_ep_t *ep = open_endpoint(dev);
    if (ep && doca_dev_rep_open(function, &rep) == DOCA_SUCCESS &&
        doca_comm_channel_ep_set_device_rep(ep, rep) == DOCA_SUCCESS &&
        doca_comm_channel_ep_listen(ep, SERVICE) == DOCA_SUCCESS)
        return ep;
    return NULL;
}

// Receives messages for any function.
static void serve(const char *socket)
{
    struct doca_comm_channel_ep_t *eps[FUNCTIONS_MAX];
    struct doca_comm_channel_addr_t *from;
    struct doca_devinfo_rep **list;
    char message[LENGTH];
    struct problem problem;
    struct doca_dev *dev;
    uint32_t n, count = 0;

    setenv("DOCAD_SOCKET", socket, 1);
    if (!device_open(&dev, DEVICE_IMPORTS, &problem) ||
        doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n) != DOCA_SUCCESS)
        return;
    for (uint32_t i = 0; i < n && count < FUNCTIONS_MAX; i++)
        count += (eps[count] = listen_for(dev, list[i])) != NULL;
    doca_devinfo_rep_list_destroy(list);
    for (;;) {
        unsigned came = 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t length = sizeof(message);
            came +=
                doca_comm_channel_ep_recvfrom(eps[i], message, &length, 0, &from) == DOCA_SUCCESS;
        }
        if (came == 0)
            usleep(100);
    }
}

// Connects when the service exists.
static struct doca_comm_channel_addr_t *connect_to(struct doca_comm_channel_ep_t *ep)
{
    struct doca_comm_channel_addr_t *peer;
    while (doca_comm_channel_ep_connect(ep, SERVICE, &peer) != DOCA_SUCCESS)
        usleep(RETRY_US);
    while (doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_CONNECTION_INPROGRESS)
        usleep(RETRY_US);
    return peer;
}

static void talk(const char *socket)
{
    struct doca_comm_channel_ep_t *eps[CHANNELS];
    struct doca_comm_channel_addr_t *peers[CHANNELS];
    static const char message[LENGTH];
    struct problem problem;
    struct doca_dev *dev;

    setenv("DOCAD_SOCKET", socket, 1);
    if (!device_open(&dev, DEVICE_EXPORTS, &problem))
        return;
    for (int i = 0; i < CHANNELS; i++) {
        if (!(eps[i] = open_endpoint(dev)))
            return;
        peers[i] = connect_to(eps[i]);
    }
    for (;;) {
        unsigned sent = 0;
        for (int i = 0; i < CHANNELS; i++)
            sent += doca_comm_channel_ep_sendto(eps[i], message, sizeof(message), 0, peers[i]) ==
                    DOCA_SUCCESS;
        if (sent == 0)
            usleep(20);
    }
}

void floods_run_relays(const struct flood_targets *at)
{
    talk(at->host);
}

void floods_serve_relays(const struct flood_targets *at)
{
    serve(at->dpu);
}
