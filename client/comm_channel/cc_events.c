// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The descriptors that an application waits for.

#include "comm_channel.h"

#include "bytes_only.h"
#include "core/refused.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static int add(int epoll, int fd, uint32_t events, void *of)
{
    struct epoll_event event = {.events = events, .data.ptr = of};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

doca_error_t cc_events_open(struct doca_comm_channel_ep_t *ep, struct errtext *err)
{
    ep->recv_epoll = epoll_create1(EPOLL_CLOEXEC);
    ep->send_epoll = epoll_create1(EPOLL_CLOEXEC);
    ep->service_epoll = epoll_create1(EPOLL_CLOEXEC);
    ep->recv_now = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ep->send_now = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ep->recv_epoll >= 0 && ep->send_epoll >= 0 && ep->service_epoll >= 0 && ep->recv_now >= 0 &&
        ep->send_now >= 0 && add(ep->recv_epoll, ep->recv_now, EPOLLIN, NULL) == 0 &&
        add(ep->send_epoll, ep->send_now, EPOLLIN, NULL) == 0) {
        ep->severed = (struct severed){.fds = {&ep->recv_epoll, &ep->send_epoll, &ep->service_epoll,
                                               &ep->recv_now, &ep->send_now, &ep->accept_sock}};
        severed_add(&ep->severed);
        return DOCA_SUCCESS;
    }
    doca_error_t e = errtext_set(err, DOCA_ERROR_INITIALIZATION,
                                 "cannot make the event descriptors: %s", strerror(errno));
    cc_events_close(ep);
    return e;
}

void cc_events_close(struct doca_comm_channel_ep_t *ep)
{
    severed_remove(&ep->severed);
    close_fdp(&ep->recv_epoll);
    close_fdp(&ep->send_epoll);
    close_fdp(&ep->service_epoll);
    close_fdp(&ep->recv_now);
    close_fdp(&ep->send_now);
}

int cc_events_add(struct doca_comm_channel_addr_t *a)
{
    struct doca_comm_channel_ep_t *ep = a->ep;
    if ((ep->role == CC_SERVICE || ep->watched) && add(ep->recv_epoll, a->sock, EPOLLIN, a) < 0)
        return -1;
    if (add(ep->send_epoll, a->wake, EPOLLIN, a) < 0)
        return -1;
    return ep->role == CC_SERVICE ? add(ep->service_epoll, a->wake, EPOLLRDHUP | EPOLLET, a) : 0;
}

void cc_events_remove(const struct doca_comm_channel_addr_t *a)
{
    const struct doca_comm_channel_ep_t *ep = a->ep;
    // Closing is not enough: a child of fork() may hold them open, too.
    epoll_ctl(ep->recv_epoll, EPOLL_CTL_DEL, a->sock, NULL);
    epoll_ctl(ep->send_epoll, EPOLL_CTL_DEL, a->wake, NULL);
    epoll_ctl(ep->service_epoll, EPOLL_CTL_DEL, a->wake, NULL);
}

int cc_events_add_service(struct doca_comm_channel_ep_t *ep)
{
    if (add(ep->recv_epoll, ep->accept_sock, EPOLLIN, ep) < 0)
        return -1;
    return add(ep->service_epoll, ep->accept_sock, EPOLLIN | EPOLLET, ep);
}

void cc_events_apart(struct doca_comm_channel_addr_t *a)
{
    struct doca_comm_channel_ep_t *ep = a->ep;
    if (!ep->watched && !ep->apart && epoll_ctl(ep->recv_epoll, EPOLL_CTL_DEL, a->sock, NULL) == 0)
        ep->apart = a;
}

bool cc_events_join(struct doca_comm_channel_ep_t *ep)
{
    if (ep->apart && add(ep->recv_epoll, ep->apart->sock, EPOLLIN, ep->apart) < 0)
        return false;
    ep->apart = NULL;
    return true;
}

bool cc_events_watch(struct doca_comm_channel_ep_t *ep)
{
    struct doca_comm_channel_addr_t *a;

    if (ep->watched)
        return true;
    if (!cc_events_join(ep))
        return false;
    if (ep->role == CC_CLIENT)
        list_for_each (a, &ep->peers, link) // at most one
            if (!a->gone && add(ep->recv_epoll, a->sock, EPOLLIN, a) < 0)
                return false;
    ep->watched = true;
    cc_ring_poll_none(ep);
    return true;
}

// ---- the public interface -------------------------------------------------------------

static doca_error_t inactive(const char *function)
{
    struct errtext err;
    return report(
        function,
        errtext_set(&err, DOCA_ERROR_BAD_STATE, "the endpoint neither listens nor was connected"),
        &err);
}

static doca_error_t no_memory(const char *function)
{
    struct errtext err;
    return report(
        function,
        errtext_set(&err, DOCA_ERROR_NOT_FOUND, "cannot wait for messages: %s", strerror(errno)),
        &err);
}

doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                                    doca_event_channel_t *send_event_channel,
                                                    doca_event_channel_t *recv_event_channel)
{
    if (!local_ep || (!send_event_channel && !recv_event_channel))
        return REFUSED_NULL(local_ep, send_event_channel);
    if (local_ep->role == CC_NONE)
        return inactive(__func__);
    if (recv_event_channel && !cc_events_watch(local_ep))
        return no_memory(__func__);
    if (send_event_channel)
        *send_event_channel = local_ep->send_epoll;
    if (recv_event_channel)
        *recv_event_channel = local_ep->recv_epoll;
    return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                               doca_event_channel_t *service_event_channel)
{
    struct errtext err;

    if (!local_ep || !service_event_channel)
        return REFUSED_NULL(local_ep, service_event_channel);
    if (local_ep->role == CC_NONE)
        return inactive(__func__);
    if (local_ep->role != CC_SERVICE)
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "a client has no service event channel"),
            &err);
    *service_event_channel = local_ep->service_epoll;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep)
{
    if (!local_ep)
        return REFUSED_NULL(local_ep);
    if (local_ep->role == CC_NONE)
        return refused(__func__, "the endpoint neither listens nor was connected");
    // The sockets are readable by themselves, except for messages that were already taken from
    // them.
    if (!list_empty(&local_ep->pending))
        cc_event_set(local_ep->recv_now);
    return DOCA_SUCCESS;
}

void cc_events_quiet(struct doca_comm_channel_ep_t *ep)
{
    struct doca_comm_channel_addr_t *a;

    cc_event_reset(ep->send_now);
    list_for_each (a, &ep->peers, link) {
        if (a->gone || bytes_drain(a->wake))
            continue;
        // Messages may still be in the socket if the peer has disconnected, but not if it sends
        // descriptors.
        if (errno == EBADMSG)
            cc_address_gone(a);
    }
}

// Arms a wake-up for a peer that has no room. Returns false: there may be room now.
static bool wait_for_room(struct doca_comm_channel_addr_t *a)
{
    if (a->gone)
        return false;
    if (!cc_address_open(a))
        return true; // accepting wakes
    // Our request is visible before we read the count once more (see struct channel_side).
    atomic_store(&a->mine->wants_room, 1);
    return atomic_load(&a->theirs->received) == a->taken;
}

bool cc_events_want_room(struct doca_comm_channel_ep_t *ep, bool *blocked)
{
    struct doca_comm_channel_addr_t *a;
    bool room = false;

    list_for_each (a, &ep->peers, link) {
        if (!a->blocked)
            continue;
        *blocked = true;
        room = !wait_for_room(a) || room;
    }
    return room;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep)
{
    bool blocked = false;

    if (!local_ep)
        return REFUSED_NULL(local_ep);
    if (local_ep->role == CC_NONE)
        return refused(__func__, "the endpoint neither listens nor was connected");
    cc_events_quiet(local_ep);
    bool room = cc_events_want_room(local_ep, &blocked);
    if (!blocked || room)
        cc_event_set(local_ep->send_now);
    return DOCA_SUCCESS;
}
