// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_setup.h"

#include "example.h"

#include <poll.h>
#include <time.h>

static struct doca_dev_rep *open_representor(struct doca_dev *dev, const char *of)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;
    uint8_t equal;

    must(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n),
         "cannot list the representors");
    for (uint32_t i = 0; i < n && !rep; i++) {
        must(doca_devinfo_rep_get_is_pci_addr_equal(list[i], of, &equal), "%s is not a PCI address",
             of);
        if (equal)
            must(doca_dev_rep_open(list[i], &rep), "cannot open the representor of %s", of);
    }
    doca_devinfo_rep_list_destroy(list);
    if (!rep)
        fail("there is no representor of %s; is the host's docad linked?", of);
    return rep;
}

static void endpoint(struct channel *channel, const char *device)
{
    *channel = (struct channel){.dev = open_device(device)};
    must(doca_comm_channel_ep_create(&channel->ep), "cannot make an endpoint");
    must(doca_comm_channel_ep_set_device(channel->ep, channel->dev), "cannot set the device");
    must(doca_comm_channel_ep_set_max_msg_size(channel->ep, 4080),
         "cannot set the largest message");
    must(doca_comm_channel_ep_set_send_queue_size(channel->ep, 8), "cannot set the send queue");
    must(doca_comm_channel_ep_set_recv_queue_size(channel->ep, 8), "cannot set the receive queue");
}

void channel_listen(struct channel *channel, const char *device, const char *of, const char *name)
{
    endpoint(channel, device);
    channel->rep = open_representor(channel->dev, of);
    must(doca_comm_channel_ep_set_device_rep(channel->ep, channel->rep),
         "cannot set the representor");
    must(doca_comm_channel_ep_listen(channel->ep, name), "cannot listen on \"%s\"", name);
}

static void pause_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

void channel_connect(struct channel *channel, const char *device, const char *name,
                     const char *program)
{
    doca_error_t result;

    endpoint(channel, device);
    must(doca_comm_channel_ep_connect(channel->ep, name, &channel->peer),
         "cannot connect to \"%s\" (start %s on the DPU first)", name, program);
    // The service accepts the connection when it calls receive.
    while ((result = doca_comm_channel_peer_addr_update_info(channel->peer)) ==
           DOCA_ERROR_CONNECTION_INPROGRESS)
        pause_a_moment();
    must(result, "the service has not accepted the connection");
}

// Sleeps until the endpoint may have something new to say.
static void sleep_on(doca_event_channel_t handle)
{
    poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, -1);
}

void channel_send(struct channel *channel, const void *message, size_t size)
{
    doca_event_channel_t can_send;
    doca_error_t result;

    must(doca_comm_channel_ep_get_event_channel(channel->ep, &can_send, NULL),
         "cannot get the event channel");
    while ((result = doca_comm_channel_ep_sendto(channel->ep, message, size, DOCA_CC_MSG_FLAG_NONE,
                                                 channel->peer)) == DOCA_ERROR_AGAIN) {
        must(doca_comm_channel_ep_event_handle_arm_send(channel->ep), "cannot arm");
        sleep_on(can_send);
    }
    must(result, "cannot send");
}

size_t channel_receive(struct channel *channel, void *message, size_t room)
{
    doca_event_channel_t can_receive;
    doca_error_t result;
    size_t size = room;

    must(doca_comm_channel_ep_get_event_channel(channel->ep, NULL, &can_receive),
         "cannot get the event channel");
    while ((result = doca_comm_channel_ep_recvfrom(channel->ep, message, &size,
                                                   DOCA_CC_MSG_FLAG_NONE, &channel->peer)) ==
           DOCA_ERROR_AGAIN) {
        must(doca_comm_channel_ep_event_handle_arm_recv(channel->ep), "cannot arm");
        sleep_on(can_receive);
    }
    must(result, "cannot receive");
    return size;
}

void channel_close(struct channel *channel)
{
    if (channel->peer)
        must(doca_comm_channel_ep_disconnect(channel->ep, channel->peer), "cannot disconnect");
    must(doca_comm_channel_ep_destroy(channel->ep), "cannot destroy the endpoint");
    if (channel->rep)
        must(doca_dev_rep_close(channel->rep), "cannot close the representor");
    must(doca_dev_close(channel->dev), "cannot close the device");
}
