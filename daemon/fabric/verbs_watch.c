// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_watch.h"

#include "cleanup.h"
#include "log.h"

#include <errno.h>
#include <event2/event.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

struct verbs_watch {
    verbs_change_fn change;
    void *arg;
    struct event *uevents, *addresses;
};

enum verbs_change verbs_watch_read(int fd)
{
    static const char ours[] = "SUBSYSTEM=infiniband"; // matches infiniband_verbs, too
    enum verbs_change change = VERBS_CHANGE_NONE;
    char text[8192];
    ssize_t n;

    while ((n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT)) > 0 ||
           (n < 0 && errno == ENOBUFS)) {
        if (n < 0) { // the socket overflowed: any event may have been lost
            change = VERBS_CHANGE_REMOVED;
            continue;
        }
        text[n] = '\0';
        if (!memmem(text, (size_t)n, ours, sizeof(ours) - 1))
            continue;
        if (strncmp(text, "remove@", 7) == 0)
            change = VERBS_CHANGE_REMOVED;
        else if (change == VERBS_CHANGE_NONE)
            change = VERBS_CHANGE_CHANGED;
    }
    return change;
}

static void on_uevent(evutil_socket_t fd, short what, void *arg)
{
    const struct verbs_watch *watch = arg;
    (void)what;

    enum verbs_change change = verbs_watch_read(fd);
    if (change != VERBS_CHANGE_NONE)
        watch->change(watch->arg, change);
}

static void on_address(evutil_socket_t fd, short what, void *arg)
{
    const struct verbs_watch *watch = arg;
    char drop[8192];
    (void)what;

    while (recv(fd, drop, sizeof(drop), MSG_DONTWAIT) > 0)
        ;
    watch->change(watch->arg, VERBS_CHANGE_ADDRESS);
}

static struct event *listen_to(struct verbs_watch *watch, struct event_base *base, int protocol,
                               unsigned groups, event_callback_fn callback)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    cleanup_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return NULL;
    struct event *event = event_new(base, fd, EV_READ | EV_PERSIST, callback, watch);
    if (event && event_add(event, NULL) == 0) {
        steal_fd(&fd);
        return event;
    }
    if (event)
        event_free(event);
    return NULL;
}

static void stop_listening(struct event *event)
{
    if (!event)
        return;
    int fd = event_get_fd(event);
    event_free(event);
    close(fd);
}

struct verbs_watch *verbs_watch_new(struct event_base *base, verbs_change_fn change, void *arg)
{
    struct verbs_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return NULL;
    watch->change = change;
    watch->arg = arg;
    watch->uevents = listen_to(watch, base, NETLINK_KOBJECT_UEVENT, 1, on_uevent);
    watch->addresses = listen_to(watch, base, NETLINK_ROUTE,
                                 RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR, on_address);
    if (!watch->uevents || !watch->addresses)
        log_warning("no device events from the kernel (%s): ibverbs devices that come or go are "
                    "only noticed when docad starts or its configuration is reloaded",
                    strerror(errno));
    return watch;
}

struct verbs_watch *verbs_watch_free(struct verbs_watch *watch)
{
    if (!watch)
        return NULL;
    stop_listening(watch->uevents);
    stop_listening(watch->addresses);
    free(watch);
    return NULL;
}
