// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Endpoints of the Comm Channel as the 1.3 interface has them: properties are given at the start,
// the device is chosen automatically, and calls wait.

#include "comm_channel/comm_channel.h"
#include "compat13/compat13.h"
#include "core/device_object.h"
#include "core/report.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <poll.h>
#include <string.h>

// The same definitions as in include/doca-1.3/doca_comm_channel.h.
#define INIT_NONBLOCK 1u
#define MSG_NO_WAIT   1
struct doca_comm_channel_init_attr {
    uint32_t cookie, flags, maxmsgs, msgsize;
};

// ---- making one ------------------------------------------------------------------------

static doca_error_t check_attributes(const struct doca_comm_channel_init_attr *attr,
                                     struct errtext *err)
{
    if (attr->flags & ~INIT_NONBLOCK)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "unknown flags are set: 0x%x",
                           attr->flags);
    if (attr->msgsize > CHANNEL_MESSAGE_MAX)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "messages of %u bytes are asked for, but at most %u are possible",
                           attr->msgsize, CHANNEL_MESSAGE_MAX);
    if (attr->maxmsgs > CHANNEL_QUEUE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "queues of %u messages are asked for, but at most %u are possible",
                           attr->maxmsgs, CHANNEL_QUEUE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_1_3_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
                                             struct doca_comm_channel_ep_t **ep)
{
    static const char function[] = "doca_comm_channel_ep_create";
    struct doca_comm_channel_ep_t *made;
    struct errtext err = {""};

    if (!attr || !ep)
        return REFUSED_NULL_OF(function, attr, ep);
    doca_error_t r = check_attributes(attr, &err);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    r = doca_comm_channel_ep_create(&made);
    if (r != DOCA_SUCCESS)
        return r;
    if (attr->msgsize)
        doca_comm_channel_ep_set_max_msg_size(made, (uint16_t)attr->msgsize);
    if (attr->maxmsgs) {
        doca_comm_channel_ep_set_send_queue_size(made, (uint16_t)attr->maxmsgs);
        doca_comm_channel_ep_set_recv_queue_size(made, (uint16_t)attr->maxmsgs);
    }
    made->waits = !(attr->flags & INIT_NONBLOCK);
    *ep = made;
    return DOCA_SUCCESS;
}

// ---- a device ----------------------------------------------------------------------------

// Returns whether it is a function of another node, where clients can be.
static bool is_elsewhere(const struct doca_dev_rep *rep)
{
    return memcmp(dev_rep_representor(rep)->node.data, session_node(dev_rep_session(rep)),
                  NODE_ID_SIZE) != 0;
}

// Sets the first remote device of a host, if there is one.
static doca_error_t take_first_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev *dev)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    uint32_t n;

    doca_error_t r = doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n);
    if (r != DOCA_SUCCESS)
        return r;
    r = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < n && r != DOCA_SUCCESS; i++) {
        if (doca_dev_rep_open(list[i], &rep) != DOCA_SUCCESS)
            continue;
        if (is_elsewhere(rep))
            r = doca_comm_channel_ep_set_device_rep(ep, rep);
        doca_dev_rep_close(rep); // the endpoint has a reference
    }
    doca_devinfo_rep_list_destroy(list);
    return r;
}

// Sets this device. A service takes it only if it has remote devices.
static doca_error_t take_device(struct doca_comm_channel_ep_t *ep, struct doca_devinfo *info,
                                bool service)
{
    struct doca_dev *dev;

    if (service && !devinfo_function(info)->can_list_reps)
        return DOCA_ERROR_NOT_FOUND;
    doca_error_t r = doca_dev_open(info, &dev);
    if (r != DOCA_SUCCESS)
        return r;
    if (service && !ep->rep)
        r = take_first_rep(ep, dev);
    if (r == DOCA_SUCCESS)
        r = doca_comm_channel_ep_set_device(ep, dev);
    doca_dev_close(dev); // the endpoint has a reference
    return r;
}

static doca_error_t choose_device(const char *function, struct doca_comm_channel_ep_t *ep,
                                  bool service)
{
    struct doca_devinfo **list;
    struct errtext err;
    uint32_t n;

    if (ep->dev || ep->role != CC_NONE)
        return DOCA_SUCCESS;
    doca_error_t r = doca_devinfo_list_create(&list, &n);
    if (r != DOCA_SUCCESS)
        return CODE_AMONG(r, DOCA_ERROR_DRIVER, DOCA_ERROR_NO_MEMORY);
    for (uint32_t i = 0; i < n && !ep->dev; i++)
        take_device(ep, list[i], service);
    doca_devinfo_list_destroy(list);
    if (ep->dev)
        return DOCA_SUCCESS;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "no device of this node %s",
                              service ? "has a remote device to listen on" : "can be opened"),
                  &err);
}

doca_error_t doca_1_3_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep,
                                             const char *name)
{
    if (!local_ep || !name)
        return REFUSED_NULL_OF("doca_comm_channel_ep_listen", local_ep, name);
    doca_error_t r = choose_device("doca_comm_channel_ep_listen", local_ep, true);
    return r == DOCA_SUCCESS ? doca_comm_channel_ep_listen(local_ep, name) : r;
}

doca_error_t doca_1_3_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep,
                                              const char *name,
                                              struct doca_comm_channel_addr_t **peer_addr)
{
    if (!local_ep || !name || !peer_addr)
        return REFUSED_NULL_OF("doca_comm_channel_ep_connect", local_ep, name, peer_addr);
    doca_error_t r = choose_device("doca_comm_channel_ep_connect", local_ep, false);
    return r == DOCA_SUCCESS ? doca_comm_channel_ep_connect(local_ep, name, peer_addr) : r;
}

// ---- waiting -------------------------------------------------------------------------------

static bool is_to_wait(const struct doca_comm_channel_ep_t *ep, int flags)
{
    return ep && ep->waits && !(flags & MSG_NO_WAIT);
}

static doca_error_t wait_readable(const char *function, int fd)
{
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    struct errtext err;

    while (poll(&pollfd, 1, -1) < 0)
        if (errno != EINTR)
            return report(function,
                          errtext_set(&err, DOCA_ERROR_UNKNOWN, "poll: %s", strerror(errno)), &err);
    return DOCA_SUCCESS;
}

static doca_error_t wait_for_message(struct doca_comm_channel_ep_t *ep)
{
    static const char function[] = "doca_comm_channel_ep_recvfrom";
    struct errtext err;

    if (cc_events_watch(ep))
        return wait_readable(function, ep->recv_epoll);
    return report(
        function,
        errtext_set(&err, DOCA_ERROR_UNKNOWN, "cannot wait for messages: %s", strerror(errno)),
        &err);
}

doca_error_t doca_1_3_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep,
                                             const void *msg, size_t len, int flags,
                                             struct doca_comm_channel_addr_t *peer_addr)
{
    for (;;) {
        doca_error_t r =
            doca_comm_channel_ep_sendto(local_ep, msg, len, flags & ~MSG_NO_WAIT, peer_addr);
        if (r != DOCA_ERROR_AGAIN || !is_to_wait(local_ep, flags))
            return r;
        r = doca_comm_channel_ep_event_handle_arm_send(local_ep);
        if (r == DOCA_SUCCESS)
            r = wait_readable("doca_comm_channel_ep_sendto", local_ep->send_epoll);
        if (r != DOCA_SUCCESS)
            return r;
    }
}

doca_error_t doca_1_3_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                               size_t *len, int flags,
                                               struct doca_comm_channel_addr_t **peer_addr)
{
    for (;;) {
        doca_error_t r =
            doca_comm_channel_ep_recvfrom(local_ep, msg, len, flags & ~MSG_NO_WAIT, peer_addr);
        if (r != DOCA_ERROR_AGAIN || !is_to_wait(local_ep, flags))
            return r;
        r = doca_comm_channel_ep_event_handle_arm_recv(local_ep);
        if (r == DOCA_SUCCESS)
            r = wait_for_message(local_ep);
        if (r != DOCA_SUCCESS)
            return r;
    }
}
