// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs.h"

#include "clock.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "rc_device.h"
#include "representor.h"
#include "restart.h"
#include "verbs_function.h"
#include "verbs_place.h"
#include "verbs_watch.h"

#include <event2/event.h>
#include <fcntl.h>
#include <string.h>

#define DEVICES_MAX   32
#define SETTLE_MS     100  // gives udev time to set a new device's permissions
#define SETTLE_LATE_S 2    // addresses become GIDs after a while
#define UDEV_WAIT_MS  1000 // for udev; after that, a device that cannot be opened is logged

struct device {
    struct list in_verbs;
    char name[IBV_SYSFS_NAME_MAX];
    struct verbs *verbs;
    struct ibv_context *context;
    struct event *events; // the device's own events
    bool seen;            // seen in the current scan
    bool checked;         // checked against the configuration
};

// A device that cannot be opened.
struct refused {
    struct list in_verbs;
    char name[IBV_SYSFS_NAME_MAX];
    uint64_t since_ms;
    bool logged, seen;
};

struct verbs {
    struct node *node;
    struct list devices, refused;
    struct verbs_watch *watch;
    struct event *soon, *late; // trigger scans
    bool changed;              // functions were added or removed in the current scan
    bool reported_rdma;        // the value that linked nodes have
};

static void scan_later(struct verbs *verbs)
{
    // Many events in succession only delay the last scan.
    if (!event_pending(verbs->soon, EV_TIMEOUT, NULL))
        event_add(verbs->soon, &(struct timeval){.tv_usec = SETTLE_MS * 1000});
    event_add(verbs->late, &(struct timeval){.tv_sec = SETTLE_LATE_S});
}

static void functions_changed(struct verbs *verbs)
{
    if (verbs->changed) {
        representors_update(verbs->node);
        node_functions_changed(verbs->node);
    }
    verbs->changed = false;
}

// ---- devices that cannot be opened ------------------------------------------------------------

static struct refused *find_refused(struct verbs *verbs, const char *name)
{
    struct refused *refused;
    list_for_each (refused, &verbs->refused, in_verbs)
        if (strcmp(refused->name, name) == 0)
            return refused;
    return NULL;
}

static void drop_refused(struct refused *refused)
{
    list_remove(&refused->in_verbs);
    free(refused);
}

// Logged once for each device, and not before udev had time.
static void refuse(struct verbs *verbs, const char *name, const char *why)
{
    struct refused *refused = find_refused(verbs, name);

    if (!refused) {
        refused = calloc(1, sizeof(*refused));
        if (!refused)
            return;
        copy_text(refused->name, name);
        refused->since_ms = clock_ms();
        list_append(&verbs->refused, &refused->in_verbs);
        scan_later(verbs);
    }
    refused->seen = true;
    if (refused->logged || clock_ms() - refused->since_ms < UDEV_WAIT_MS)
        return;
    refused->logged = true;
    log_warning("%s; it is not offered as a function: docad tries again at the next change of a "
                "device, or when its configuration is reloaded",
                why);
}

// ---- devices ----------------------------------------------------------------------------------

static void close_device(struct device *device)
{
    list_remove(&device->in_verbs);
    if (device->events)
        event_free(device->events);
    // The kernel waits for this before it removes the device for good.
    ibv_close_device(device->context);
    free(device);
}

static void remove_device(struct device *device, enum slot_state state)
{
    struct verbs *verbs = device->verbs;

    if (verbs_place_remove(verbs->node, device->name, state))
        verbs->changed = true;
    rc_device_removed(verbs->node, device->name);
    close_device(device);
}

// Everything that was made on it is lost, even if its driver revives it. A revived device can be
// opened again and becomes a function again: the next scan tries that.
static void device_failed(struct device *device)
{
    struct verbs *verbs = device->verbs;

    log_warning("ibverbs device %s: its driver reports that it has failed, and connections over it "
                "end; see the kernel's log",
                device->name);
    remove_device(device, SLOT_DEVICE_GONE);
    functions_changed(verbs);
}

static void on_device_event(evutil_socket_t fd, short what, void *arg)
{
    struct device *device = arg;
    struct verbs *verbs = device->verbs;
    struct ibv_async_event event;
    bool failed = false;
    (void)fd;
    (void)what;

    while (!failed && ibv_get_async_event(device->context, &event) == 0) {
        enum ibv_event_type type = event.event_type;
        ibv_ack_async_event(&event);
        failed = type == IBV_EVENT_DEVICE_FATAL;
        log_debug("ibverbs device %s: %s", device->name, ibv_event_type_str(type));
    }
    if (failed)
        device_failed(device);
    scan_later(verbs);
}

// Queue pairs are connected by modifying them, which iWARP and others do not have.
static doca_error_t check_transport(const struct ibv_device *device, struct errtext *err)
{
    if (device->transport_type == IBV_TRANSPORT_IB ||
        device->transport_type == IBV_TRANSPORT_UNKNOWN)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "ibverbs device %s: its transport is %s, and docad needs InfiniBand or RoCE",
                       ibv_get_device_name((struct ibv_device *)(uintptr_t)device),
                       device->transport_type == IBV_TRANSPORT_IWARP ? "iWARP" : "another one");
}

static struct device *open_device(struct verbs *verbs, struct ibv_device *from)
{
    const char *name = ibv_get_device_name(from);
    struct errtext err;
    struct device *made = calloc(1, sizeof(*made));

    if (!made)
        return NULL;
    if (check_transport(from, &err) != DOCA_SUCCESS ||
        verbs_context_open(&made->context, from, &err) != DOCA_SUCCESS) {
        refuse(verbs, name, err.s);
        free(made);
        return NULL;
    }
    copy_text(made->name, name);
    made->verbs = verbs;
    list_append(&verbs->devices, &made->in_verbs);
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
    list_for_each (device, &verbs->devices, in_verbs)
        if (strcmp(device->name, name) == 0)
            return device;
    return NULL;
}

// ---- looking ----------------------------------------------------------------------------------

static void scan_device(struct verbs *verbs, struct ibv_device *from)
{
    struct node *node = verbs->node;
    const char *name = ibv_get_device_name(from);
    struct device *device = find_device(verbs, name);
    struct ibv_device_attr attr;

    if (!device && verbs_device_offered(node->config, name))
        device = open_device(verbs, from);
    if (!device)
        return;
    device->seen = true;
    if (ibv_query_device(device->context, &attr) != 0)
        return;
    bool first = !device->checked;
    device->checked = true;
    if (first)
        verbs_warn_of_ports(node->config, name, attr.phys_port_cnt);
    for (uint8_t port = 1; port <= attr.phys_port_cnt && port < UINT8_MAX; port++)
        if (verbs_place_port(node, device->context, port, first))
            verbs->changed = true;
}

static void drop_unseen(struct verbs *verbs)
{
    struct device *device, *next;
    struct refused *refused, *next_refused;

    list_for_each_safe (device, next, &verbs->devices, in_verbs)
        if (!device->seen)
            remove_device(device, SLOT_DEVICE_GONE);
    list_for_each_safe (refused, next_refused, &verbs->refused, in_verbs)
        if (!refused->seen)
            drop_refused(refused);
}

static void notify_peers(struct verbs *verbs)
{
    bool rdma = node_has_rdma(verbs->node);
    if (rdma == verbs->reported_rdma)
        return;
    verbs->reported_rdma = rdma;
    peers_announce_functions(verbs->node);
}

static void scan(struct verbs *verbs)
{
    struct device *device;
    struct refused *refused;
    int n = 0;

    // There are no devices, or no RDMA in this kernel: both mean the same.
    struct ibv_device **list = ibv_get_device_list(&n);
    list_for_each (device, &verbs->devices, in_verbs)
        device->seen = false;
    list_for_each (refused, &verbs->refused, in_verbs)
        refused->seen = false;
    for (int i = 0; list && i < n && i < DEVICES_MAX; i++)
        scan_device(verbs, list[i]);
    if (list)
        ibv_free_device_list(list);
    drop_unseen(verbs);
    functions_changed(verbs);
    notify_peers(verbs);
    verbs_place_log_left_out(verbs->node);
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    scan(arg);
}

static void on_change(void *arg, enum verbs_change change)
{
    struct verbs *verbs = arg;

    if (change == VERBS_CHANGE_ADDRESS && list_empty(&verbs->devices))
        return;
    // Release a removed device without delay: the kernel waits for us, and sessions wait for the
    // event.
    if (change == VERBS_CHANGE_REMOVED)
        scan(verbs);
    scan_later(verbs);
}

void verbs_scan(struct verbs *verbs)
{
    scan(verbs);
}

bool verbs_is_there(const char *device)
{
    bool found = false;
    int n = 0;

    struct ibv_device **list = ibv_get_device_list(&n);
    for (int i = 0; list && i < n; i++)
        found = found || strcmp(ibv_get_device_name(list[i]), device) == 0;
    if (list)
        ibv_free_device_list(list);
    return found;
}

void verbs_reload(struct verbs *verbs)
{
    struct device *device, *next;

    list_for_each_safe (device, next, &verbs->devices, in_verbs) {
        device->checked = false;
        if (!verbs_device_offered(verbs->node->config, device->name))
            remove_device(device, SLOT_REVOKED);
    }
    scan(verbs);
}

// ---- lifetime ---------------------------------------------------------------------------------

doca_error_t verbs_new(struct verbs **out, struct node *node, struct errtext *err)
{
    struct verbs *verbs = calloc(1, sizeof(*verbs));

    if (verbs) {
        verbs->node = node;
        list_init(&verbs->devices);
        list_init(&verbs->refused);
        verbs->soon = event_new(node->base, -1, 0, on_time, verbs);
        verbs->late = event_new(node->base, -1, 0, on_time, verbs);
        verbs->watch = verbs_watch_new(node->base, on_change, verbs);
    }
    if (!verbs || !verbs->soon || !verbs->late || !verbs->watch) {
        verbs_free(verbs);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    *out = verbs;
    return DOCA_SUCCESS;
}

struct verbs *verbs_free(struct verbs *verbs)
{
    struct device *device, *next;
    struct refused *refused, *next_refused;

    if (!verbs)
        return NULL;
    list_for_each_safe (device, next, &verbs->devices, in_verbs)
        close_device(device);
    list_for_each_safe (refused, next_refused, &verbs->refused, in_verbs)
        drop_refused(refused);
    verbs_watch_free(verbs->watch);
    if (verbs->soon)
        event_free(verbs->soon);
    if (verbs->late)
        event_free(verbs->late);
    free(verbs);
    return NULL;
}
