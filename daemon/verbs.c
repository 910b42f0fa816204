// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs.h"

#include "cleanup.h"
#include "log.h"
#include "node.h"
#include "rc_device.h"
#include "rdma_endpoint.h"
#include "verbs_function.h"

#include <event2/event.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define DEVICES_MAX   32
#define SETTLE_MS     100 // udev gives a new device its permissions meanwhile
#define SETTLE_LATE_S 2   // addresses become GIDs by and by

struct device {
    struct list link;
    char name[IBV_SYSFS_NAME_MAX];
    struct verbs *verbs;
    struct ibv_context *context;
    struct event *events; // its own
    bool seen;            // in the scan that is under way
};

struct verbs {
    struct node *node;
    struct list devices;
    struct event *uevents, *addresses; // of the kernel
    struct event *soon, *late;         // scans
    char refused[IBV_SYSFS_NAME_MAX];  // told of already
};

// ---- functions of devices -----------------------------------------------------------------

static const struct function_setting *configured(const struct config *config, const char *device,
                                                 uint8_t port)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        const struct function *f = &config->functions[i].function;
        if (f->backing == DOCAD__BACKING__VERBS && strcmp(f->ibdev, device) == 0 &&
            (f->verbs.port ? f->verbs.port : 1) == port)
            return &config->functions[i];
    }
    return NULL;
}

static struct function *find_function(struct node *node, const char *device, uint8_t port)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (f->backing == DOCAD__BACKING__VERBS && !f->gone && f->verbs.port == port &&
            strcmp(f->ibdev, device) == 0)
            return f;
    }
    return NULL;
}

// A free place: one whose device has gone, and that no session still has open.
static struct function *take_place(struct node *node)
{
    for (size_t i = 0; i < node->n_functions; i++)
        if (node->functions[i].gone && !node_function_is_open(node, &node->functions[i]))
            return &node->functions[i];
    return node->n_functions < FUNCTIONS_MAX ? &node->functions[node->n_functions++] : NULL;
}

static void warn_of_twins(const struct node *node, const struct function *f)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *other = &node->functions[i];
        if (other != f && !other->gone && other->backing != f->backing &&
            strcmp(other->pci, f->pci) == 0)
            log_warning("function %s: its PCI address %s is that of the software function %s, "
                        "which programs find first; give one of them another in the configuration",
                        f->name, f->pci, other->name);
    }
}

static void describe_port(struct verbs *verbs, struct device *device, uint8_t port)
{
    struct node *node = verbs->node;
    struct function *f = find_function(node, device->name, port);
    bool known = f != NULL;
    char text[VERBS_GID_TEXT_SIZE];
    struct errtext err;

    if (!known) {
        f = take_place(node);
        if (!f) {
            log_warning("ibverbs device %s: the node has %d functions already, it is left out",
                        device->name, FUNCTIONS_MAX);
            return;
        }
        static const struct function_setting nothing;
        const struct function_setting *setting = configured(node->config, device->name, port);
        *f = topology_verbs(setting ? setting : &nothing);
        f->id = (uint32_t)(f - node->functions) + 1;
    }
    bool was_active = known && f->verbs.active;
    size_t n_gids = known ? f->verbs.n_gids : 0;
    if (verbs_describe(f, device->context, port, f->id - 1, node->config, &err) != DOCA_SUCCESS) {
        log_warning("%s", err.s);
        return;
    }
    if (known && was_active == f->verbs.active && n_gids == f->verbs.n_gids)
        return;
    const struct verbs_gid *gid =
        verbs_gid_choose(f->verbs.gids, f->verbs.n_gids, f->verbs.address, f->verbs.address_size);
    log_info("function %s: ibverbs device %s port %u (%s, %s), %s", f->name, f->ibdev, port, f->pci,
             f->verbs.active ? "active" : "down", gid ? verbs_gid_format(gid, text) : "no GID");
    if (!known)
        warn_of_twins(node, f);
}

static void remove_functions(struct verbs *verbs, const char *device)
{
    struct node *node = verbs->node;

    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (f->backing != DOCAD__BACKING__VERBS || f->gone || strcmp(f->ibdev, device) != 0)
            continue;
        f->gone = true;
        log_info("function %s: ibverbs device %s was removed", f->name, device);
        rdma_function_gone(node, f, SLOT_DEVICE_GONE);
    }
    rc_device_removed(node, device);
}

// ---- devices ----------------------------------------------------------------------------------

static void on_device_event(evutil_socket_t fd, short what, void *arg);

static void close_device(struct device *device)
{
    list_remove(&device->link);
    if (device->events)
        event_free(device->events);
    // The kernel waits for this before the device is gone for good.
    ibv_close_device(device->context);
    free(device);
}

static struct device *open_device(struct verbs *verbs, struct ibv_device *device)
{
    struct device *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    snprintf(made->name, sizeof(made->name), "%s", ibv_get_device_name(device));
    made->verbs = verbs;
    made->context = ibv_open_device(device);
    if (!made->context) {
        // Once: scans come often, and udev may still be about to give the right.
        if (strcmp(verbs->refused, made->name) == 0)
            log_warning("ibverbs device %s cannot be opened: %s; docad needs read and write "
                        "access to /dev/infiniband/%s",
                        made->name, strerror(errno), device->dev_name);
        strcpy(verbs->refused, made->name);
        free(made);
        return NULL;
    }
    list_append(&verbs->devices, &made->link);
    int fd = made->context->async_fd, flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0)
        made->events =
            event_new(verbs->node->base, fd, EV_READ | EV_PERSIST, on_device_event, made);
    if (made->events)
        event_add(made->events, NULL);
    return made;
}

static struct device *find_device(struct verbs *verbs, const char *name)
{
    struct device *device;
    list_for_each (device, &verbs->devices, link)
        if (strcmp(device->name, name) == 0)
            return device;
    return NULL;
}

static bool offered(const struct verbs *verbs, const char *name)
{
    const struct config *config = verbs->node->config;
    return configured(config, name, 1) || verbs_settings_offer(&config->verbs, name);
}

static void scan_device(struct verbs *verbs, struct ibv_device *from)
{
    const char *name = ibv_get_device_name(from);
    struct device *device = find_device(verbs, name);
    struct ibv_device_attr attr;

    if (!device && offered(verbs, name))
        device = open_device(verbs, from);
    if (!device)
        return;
    device->seen = true;
    if (ibv_query_device(device->context, &attr) != 0)
        return;
    for (uint8_t port = 1; port <= attr.phys_port_cnt && port < UINT8_MAX; port++)
        describe_port(verbs, device, port);
}

static void scan(struct verbs *verbs)
{
    struct device *device, *next;
    int n = 0;

    // None, or no RDMA in this kernel: the same.
    struct ibv_device **list = ibv_get_device_list(&n);
    list_for_each (device, &verbs->devices, link)
        device->seen = false;
    for (int i = 0; list && i < n && i < DEVICES_MAX; i++)
        scan_device(verbs, list[i]);
    if (list)
        ibv_free_device_list(list);
    list_for_each_safe (device, next, &verbs->devices, link) {
        if (device->seen)
            continue;
        remove_functions(verbs, device->name);
        close_device(device);
    }
}

// ---- what makes us look ------------------------------------------------------------------------

static void scan_later(struct verbs *verbs)
{
    event_add(verbs->soon, &(struct timeval){.tv_usec = SETTLE_MS * 1000});
    event_add(verbs->late, &(struct timeval){.tv_sec = SETTLE_LATE_S});
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    scan(arg);
}

static void on_device_event(evutil_socket_t fd, short what, void *arg)
{
    struct device *device = arg;
    struct ibv_async_event event;
    (void)fd;
    (void)what;

    while (ibv_get_async_event(device->context, &event) == 0) {
        enum ibv_event_type type = event.event_type;
        ibv_ack_async_event(&event);
        log_debug("ibverbs device %s: %s", device->name, ibv_event_type_str(type));
    }
    scan_later(device->verbs);
}

// Datagrams of the kernel; what is in them only says whether to look.
static void on_uevent(evutil_socket_t fd, short what, void *arg)
{
    struct verbs *verbs = arg;
    char text[8192];
    bool ours = false, removed = false;
    ssize_t n;
    (void)what;

    while ((n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT)) > 0) {
        text[n] = '\0';
        if (!memmem(text, (size_t)n, "SUBSYSTEM=infiniband", 20))
            continue;
        ours = true;
        removed = removed || strncmp(text, "remove@", 7) == 0;
    }
    // One that goes is let go of at once: the kernel waits for us, and sessions for news.
    if (removed)
        scan(verbs);
    if (ours)
        scan_later(verbs);
}

static void on_address(evutil_socket_t fd, short what, void *arg)
{
    struct verbs *verbs = arg;
    char drop[8192];
    (void)what;

    while (recv(fd, drop, sizeof(drop), MSG_DONTWAIT) > 0)
        ;
    if (!list_empty(&verbs->devices))
        scan_later(verbs);
}

static struct event *listen_to(struct verbs *verbs, int protocol, unsigned groups,
                               event_callback_fn callback)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    cleanup_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return NULL;
    struct event *event = event_new(verbs->node->base, fd, EV_READ | EV_PERSIST, callback, verbs);
    if (event && event_add(event, NULL) == 0) {
        steal_fd(&fd);
        return event;
    }
    if (event)
        event_free(event);
    return NULL;
}

static struct event *stop_listening(struct event *event)
{
    if (event) {
        int fd = event_get_fd(event);
        event_free(event);
        close(fd);
    }
    return NULL;
}

// ---- life
// -----------------------------------------------------------------------------------------

static bool as_configured(const struct verbs *verbs, const struct device *device)
{
    struct node *node = verbs->node;
    const struct function_setting *setting = configured(node->config, device->name, 1);
    const struct function *f = find_function(node, device->name, 1);

    return offered(verbs, device->name) &&
           (!setting || !f || strcmp(setting->function.name, f->name) == 0);
}

void verbs_reload(struct verbs *verbs)
{
    struct device *device, *next;

    list_for_each_safe (device, next, &verbs->devices, link) {
        if (as_configured(verbs, device))
            continue;
        remove_functions(verbs, device->name);
        close_device(device);
    }
    scan(verbs);
}

doca_error_t verbs_new(struct verbs **out, struct node *node, struct errtext *err)
{
    struct verbs *verbs = calloc(1, sizeof(*verbs));

    if (verbs) {
        verbs->node = node;
        list_init(&verbs->devices);
        verbs->soon = event_new(node->base, -1, 0, on_time, verbs);
        verbs->late = event_new(node->base, -1, 0, on_time, verbs);
    }
    if (!verbs || !verbs->soon || !verbs->late) {
        verbs_free(verbs);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    // Before the first look, so that nothing is missed.
    verbs->uevents = listen_to(verbs, NETLINK_KOBJECT_UEVENT, 1, on_uevent);
    verbs->addresses = listen_to(verbs, NETLINK_ROUTE,
                                 RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR, on_address);
    if (!verbs->uevents || !verbs->addresses)
        log_warning("no news of devices from the kernel (%s): ibverbs devices that come or go are "
                    "seen when docad starts",
                    strerror(errno));
    scan(verbs);
    *out = verbs;
    return DOCA_SUCCESS;
}

struct verbs *verbs_free(struct verbs *verbs)
{
    struct device *device, *next;

    if (!verbs)
        return NULL;
    list_for_each_safe (device, next, &verbs->devices, link)
        close_device(device);
    stop_listening(verbs->uevents);
    stop_listening(verbs->addresses);
    if (verbs->soon)
        event_free(verbs->soon);
    if (verbs->late)
        event_free(verbs->late);
    free(verbs);
    return NULL;
}
