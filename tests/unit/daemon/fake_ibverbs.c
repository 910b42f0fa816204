// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_ibverbs.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef ibv_get_device_list
#undef ibv_query_port

struct fake_device fake_devices[FAKE_DEVICES];

struct fake_context {
    struct ibv_context context;
    struct ibv_device device;
    struct fake_device *fake;
};

static struct fake_context *of(struct ibv_context *context)
{
    return (struct fake_context *)context;
}

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(FAKE_DEVICES + 1, sizeof(struct ibv_device *));
    ck_assert_ptr_nonnull(list);
    *n = 0;
    for (int i = 0; i < FAKE_DEVICES; i++) {
        if (!fake_devices[i].name)
            continue;
        struct ibv_device *made = list[(*n)++] = calloc(1, sizeof(*made));
        ck_assert_ptr_nonnull(made);
        made->transport_type = fake_devices[i].iwarp ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB;
        snprintf(made->name, sizeof(made->name), "%s", fake_devices[i].name);
        snprintf(made->dev_name, sizeof(made->dev_name), "uverbs-fake%d", i);
    }
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    for (struct ibv_device **device = list; *device; device++)
        free(*device);
    free(list);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    for (int i = 0; i < FAKE_DEVICES; i++) {
        struct fake_device *fake = &fake_devices[i];
        if (!fake->name || strcmp(fake->name, device->name) != 0 || fake->refuses)
            continue;
        struct fake_context *made = calloc(1, sizeof(*made));
        ck_assert_ptr_nonnull(made);
        ck_assert_int_eq(pipe2(fake->events, O_CLOEXEC | O_NONBLOCK), 0);
        made->fake = fake;
        made->device = *device;
        made->context.device = &made->device;
        made->context.async_fd = fake->events[0];
        fake->opened++;
        return &made->context;
    }
    errno = EACCES;
    return NULL;
}

int ibv_close_device(struct ibv_context *context)
{
    struct fake_device *fake = of(context)->fake;
    close(fake->events[0]);
    close(fake->events[1]);
    fake->opened--;
    free(of(context));
    return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    *attr = (struct ibv_device_attr){.phys_port_cnt = (uint8_t)of(context)->fake->ports,
                                     .max_qp_wr = 1024,
                                     .max_cqe = 4096,
                                     .max_sge = 16,
                                     .atomic_cap = IBV_ATOMIC_HCA};
    return 0;
}

static int table_of(const struct fake_port *port)
{
    return port->table ? port->table : FAKE_GIDS;
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *out)
{
    const struct fake_device *fake = of(context)->fake;
    struct ibv_port_attr *attr = (struct ibv_port_attr *)out;
    if (number == 0 || number > fake->ports)
        return EINVAL;
    const struct fake_port *port = &fake->port[number - 1];
    attr->state = port->down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
    attr->active_mtu = IBV_MTU_1024;
    attr->max_msg_sz = 1u << 30;
    attr->link_layer = IBV_LINK_LAYER_ETHERNET;
    attr->gid_tbl_len = table_of(port);
    return 0;
}

// Like the kernel: returns the entries in use of all ports, and nothing if there could be more
// than requested.
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max,
                             uint32_t flags, size_t entry_size)
{
    const struct fake_device *fake = of(context)->fake;
    size_t n = 0;
    ck_assert_uint_eq(entry_size, sizeof(*entries));
    ck_assert_uint_eq(flags, 0);
    for (unsigned number = 1; number <= fake->ports; number++) {
        const struct fake_port *port = &fake->port[number - 1];
        for (unsigned i = 0; i < port->n_gids; i++) {
            unsigned address = (port->first ? port->first : 1) + i;
            if (n == max)
                return -EINVAL;
            entries[n] = (struct ibv_gid_entry){
                .gid_index = i, .port_num = number, .gid_type = IBV_GID_TYPE_ROCE_V2};
            uint8_t raw[16] = {[10] = 0xff, [11] = 0xff, 10, 0};
            raw[14] = (uint8_t)(address >> 8);
            raw[15] = (uint8_t)address;
            memcpy(entries[n++].gid.raw, raw, sizeof(raw));
        }
    }
    return (ssize_t)n;
}

void fake_device_event(struct fake_device *device, enum ibv_event_type type)
{
    device->event = type;
    device->has_event = true;
    ck_assert_int_eq(write(device->events[1], "", 1), 1);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct fake_device *fake = of(context)->fake;
    char drop;
    if (!fake->has_event) {
        errno = EAGAIN;
        return -1;
    }
    ck_assert_int_eq(read(fake->events[0], &drop, 1), 1);
    fake->has_event = false;
    *event = (struct ibv_async_event){.event_type = fake->event};
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
