// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The calls for services only: taking connections, and reporting their clients.

#include "comm_channel.h"

#include "core/connection.h"
#include "core/refused.h"
#include "unpack.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static void free_offer(Docad__ChannelOffer **offer)
{
    docad__channel_offer__free_unpacked(*offer, NULL);
}

static doca_error_t take_offer(struct doca_comm_channel_ep_t *ep, const uint8_t *packed,
                               size_t size, struct fd_list *fds, struct errtext *err)
{
    struct doca_comm_channel_addr_t *a;
    struct unpack_memory memory;
    unpack_memory_init(&memory);
    cleanup(free_offer) Docad__ChannelOffer *offer =
        docad__channel_offer__unpack(&memory.allocator, size, packed);
    if (!offer && memory.ran_out)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "out of memory for a connection, which is lost");
    if (!offer)
        return errtext_set(err, DOCA_ERROR_DRIVER, "docad's offer of a connection is not valid");
    struct cc_introduction introduction = {
        .id = offer->channel_id,
        .max_message = offer->max_message,
        .recv_queue = offer->recv_queue,
        .relayed = offer->relayed,
        .key = offer->key,
    };
    return cc_address_new(&a, ep, &ep->pending, &introduction, fds, err);
}

doca_error_t cc_service_next(struct doca_comm_channel_ep_t *ep, struct errtext *err)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    uint8_t packed[128];

    if (ep->accept_sock < 0)
        return DOCA_ERROR_CONNECTION_RESET;
    ssize_t n = packet_recv(ep->accept_sock, packed, sizeof(packed), &fds, MSG_DONTWAIT);
    if (n > 0)
        return take_offer(ep, packed, (size_t)n, &fds, err);
    if (n == -EAGAIN || n == -EINTR)
        return DOCA_ERROR_NOT_FOUND;
    if (n == 0 || n == -ECONNRESET) {
        close_fdp(&ep->accept_sock);
        return errtext_set(err, DOCA_ERROR_CONNECTION_RESET,
                           "docad has ended: no client can connect to the service any more");
    }
    return errtext_set(err, DOCA_ERROR_DRIVER, "a connection was lost: %s",
                       n == -EBADMSG ? NO_DESCRIPTOR_LEFT : strerror((int)-n));
}

void cc_service_accept(struct doca_comm_channel_addr_t *a)
{
    struct doca_comm_channel_ep_t *ep = a->ep;
    list_remove(&a->link);
    list_append(&ep->peers, &a->link);
    a->open = true;
    atomic_store(&a->mine->state, CHANNEL_OPEN);
    cc_wake(a);
}

// ---- snapshots ------------------------------------------------------------------------

static doca_error_t not_a_service(const char *function)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "the endpoint is not a service's"),
                  &err);
}

static doca_error_t fill_list(struct doca_comm_channel_ep_t *ep, struct errtext *err)
{
    struct doca_comm_channel_addr_t *a;
    uint32_t n = 0;

    list_for_each (a, &ep->peers, link)
        n++;
    struct doca_comm_channel_addr_t **list =
        calloc(n + 1, sizeof(struct doca_comm_channel_addr_t *));
    if (!list)
        return errtext_set(err, DOCA_ERROR_DRIVER, "out of memory");
    free(ep->list);
    ep->list = list;
    ep->n_list = 0;
    list_for_each (a, &ep->peers, link)
        if (!cc_address_hung_up(a))
            list[ep->n_list++] = a;
    ep->n_pending = 0;
    list_for_each (a, &ep->pending, link)
        ep->n_pending += !cc_address_hung_up(a);
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep)
{
    struct epoll_event event;
    struct errtext err;
    doca_error_t e;

    if (!local_ep)
        return REFUSED_NULL(local_ep);
    if (local_ep->role != CC_SERVICE)
        return not_a_service(__func__);
    // Edge-triggered: old events were reported once, and new events will be reported
    // again.
    while (epoll_wait(local_ep->service_epoll, &event, 1, 0) == 1)
        ;
    do {
        e = cc_service_next(local_ep, &err);
        if (e != DOCA_SUCCESS && e != DOCA_ERROR_NOT_FOUND && e != DOCA_ERROR_CONNECTION_RESET)
            report(__func__, e, &err);
    } while (e != DOCA_ERROR_NOT_FOUND && e != DOCA_ERROR_CONNECTION_RESET);
    if (e == DOCA_ERROR_CONNECTION_RESET)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_CONNECTION_RESET,
                                  "docad has ended, and the service with it"),
                      &err);
    return report(__func__, fill_list(local_ep, &err), &err);
}

doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
                                        struct doca_comm_channel_addr_t ***peer_addr_array,
                                        uint32_t *peer_addr_array_len)
{
    if (!local_ep || !peer_addr_array || !peer_addr_array_len)
        return REFUSED_NULL(local_ep, peer_addr_array, peer_addr_array_len);
    if (local_ep->role != CC_SERVICE)
        return not_a_service(__func__);
    *peer_addr_array = local_ep->list;
    *peer_addr_array_len = local_ep->n_list;
    return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
                                             uint32_t *pending_connections)
{
    if (!local_ep || !pending_connections)
        return REFUSED_NULL(local_ep, pending_connections);
    if (local_ep->role != CC_SERVICE)
        return not_a_service(__func__);
    *pending_connections = local_ep->n_pending;
    return DOCA_SUCCESS;
}
