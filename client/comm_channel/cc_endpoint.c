// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Endpoints: making one, its properties, and its end.

#include "comm_channel.h"

#include "core/device_card.h"
#include "core/refused.h"

#include <doca_comm_channel.h>
#include <stdlib.h>

doca_error_t cc_endpoint_new(struct doca_comm_channel_ep_t **ep, struct errtext *err)
{
    cleanup_free struct doca_comm_channel_ep_t *made = calloc(1, sizeof(*made));
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    made->max_message = CHANNEL_MESSAGE_MAX;
    made->send_queue = made->recv_queue = CC_QUEUE_DEFAULT;
    made->accept_sock = -1;
    list_init(&made->peers);
    list_init(&made->pending);
    doca_error_t r = cc_events_open(made, err);
    if (r != DOCA_SUCCESS)
        return r;
    alive_begin(&made->alive);
    *ep = steal_ptr(made);
    return DOCA_SUCCESS;
}

struct doca_comm_channel_ep_t *cc_endpoint_free(struct doca_comm_channel_ep_t *ep)
{
    if (!ep)
        return NULL;
    while (!list_empty(&ep->pending))
        cc_address_free(list_entry(ep->pending.next, struct doca_comm_channel_addr_t, link));
    while (!list_empty(&ep->peers)) {
        struct doca_comm_channel_addr_t *a =
            list_entry(ep->peers.next, struct doca_comm_channel_addr_t, link);
        if (ep->role == CC_CLIENT)
            cc_address_disconnect(a);
        else
            cc_address_free(a);
    }
    close_fdp(&ep->accept_sock);
    if (ep->role == CC_SERVICE)
        cc_notify_closed(ep->session, ep->service_id); // with its channels
    if (ep->waiting)
        cc_notify_closed(dev_session(ep->dev), ep->waiting);
    session_unref(ep->session);
    dev_rep_unref(ep->rep);
    dev_unref(ep->dev);
    cc_events_close(ep);
    free(ep->list);
    alive_end(&ep->alive);
    free(ep);
    return NULL;
}

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
{
    struct errtext err;

    if (!ep)
        return REFUSED_NULL(ep);
    return report(__func__, cc_endpoint_new(ep, &err), &err);
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
    struct errtext err;

    if (!local_ep)
        return report(__func__, errtext_set(&err, DOCA_ERROR_NOT_CONNECTED, "local_ep is NULL"),
                      &err);
    if (!alive_now(&local_ep->alive))
        return report_why(__func__, DOCA_ERROR_NOT_CONNECTED, ENDED_ALREADY);
    cc_endpoint_free(local_ep);
    return DOCA_SUCCESS;
}

// ---- properties -----------------------------------------------------------------------

static doca_error_t active(const char *function)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_BAD_STATE,
                              "the endpoint listens or was connected already: set properties "
                              "before"),
                  &err);
}

doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev *device)
{
    if (!ep || !device)
        return REFUSED_NULL(ep, device);
    if (ep->role != CC_NONE)
        return active(__func__);
    struct errtext err;
    doca_error_t known = dev_known(device, &err);
    if (known != DOCA_SUCCESS)
        return report(__func__, known, &err);
    dev_ref(device);
    dev_unref(ep->dev);
    ep->dev = device;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep *device_rep)
{
    if (!ep || !device_rep)
        return REFUSED_NULL(ep, device_rep);
    if (ep->role != CC_NONE)
        return active(__func__);
    dev_rep_ref(device_rep);
    dev_rep_unref(ep->rep);
    ep->rep = device_rep;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev **device)
{
    if (!ep || !device)
        return REFUSED_NULL(ep, device);
    if (!ep->dev)
        return refused(__func__, "the endpoint has no device yet");
    *device = ep->dev;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep **device_rep)
{
    if (!ep || !device_rep)
        return REFUSED_NULL(ep, device_rep);
    if (!ep->rep)
        return refused(__func__, "the endpoint has no representor");
    *device_rep = ep->rep;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t max_msg_size)
{
    if (!ep)
        return REFUSED_NULL(ep);
    if (ep->role != CC_NONE)
        return active(__func__);
    if (max_msg_size == 0 ||
        max_msg_size > dev_most(ep->dev, CARD_COMCH_MESSAGE, CHANNEL_MESSAGE_MAX))
        return refused(__func__, "messages can have 1 to 4080 bytes, or what the card allows");
    ep->max_message = max_msg_size;
    return DOCA_SUCCESS;
}

static doca_error_t set_queue(const char *function, struct doca_comm_channel_ep_t *ep,
                              uint16_t *queue, uint16_t size)
{
    uint32_t rounded = 1;
    if (ep->role != CC_NONE)
        return active(function);
    if (size == 0 || size > dev_most(ep->dev, CARD_COMCH_RECV_QUEUE, CHANNEL_QUEUE_MAX))
        return refused(function, "a queue can have 1 to 8192 messages, or what the card allows");
    while (rounded < size)
        rounded *= 2;
    *queue = (uint16_t)rounded;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t send_queue_size)
{
    if (!ep)
        return REFUSED_NULL(ep);
    return set_queue(__func__, ep, &ep->send_queue, send_queue_size);
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t recv_queue_size)
{
    if (!ep)
        return REFUSED_NULL(ep);
    return set_queue(__func__, ep, &ep->recv_queue, recv_queue_size);
}

#define GETTER(name, field)                                                                        \
    doca_error_t doca_comm_channel_ep_get_##name(struct doca_comm_channel_ep_t *ep,                \
                                                 uint16_t *name)                                   \
    {                                                                                              \
        if (!ep || !name)                                                                          \
            return REFUSED_NULL(ep, name);                                                         \
        *name = ep->field;                                                                         \
        return DOCA_SUCCESS;                                                                       \
    }

GETTER(max_msg_size, max_message)
GETTER(send_queue_size, send_queue)
GETTER(recv_queue_size, recv_queue)
