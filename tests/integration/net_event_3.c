// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "net_event_3.h"

#include <string.h>

// ---- the owner

void make_event(struct child *self, struct owner *o, bool own_memory)
{
    const uint8_t *data;
    size_t size;

    OK(doca_sync_event_cap_is_export_to_remote_net_supported(doca_dev_as_devinfo(o->side.dev)));
    OK(doca_sync_event_create(&o->event));
    OK(doca_sync_event_add_publisher_location_remote_net(o->event));
    OK(doca_sync_event_add_subscriber_location_cpu(o->event, o->side.dev));
    if (own_memory)
        OK(doca_sync_event_set_addr(o->event, (uint64_t *)(void *)(o->side.memory + 24)));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(o->event, &data, &size));
    OK(doca_sync_event_start(o->event));
    OK(doca_sync_event_export_to_remote_net(o->event, &data, &size));
    child_send(self, data, size);
}

// ---- the user

#define ENDS(name)                                                                                 \
    static void name##_done(struct doca_rdma_task_remote_net_sync_event_##name *task,              \
                            union doca_data task_data, union doca_data ctx_data)                   \
    {                                                                                              \
        struct side *side = ctx_data.ptr;                                                          \
        (void)task_data;                                                                           \
        side->done++;                                                                              \
        doca_task_free(doca_rdma_task_remote_net_sync_event_##name##_as_task(task));               \
    }                                                                                              \
    static void name##_failed(struct doca_rdma_task_remote_net_sync_event_##name *task,            \
                              union doca_data task_data, union doca_data ctx_data)                 \
    {                                                                                              \
        struct side *side = ctx_data.ptr;                                                          \
        struct doca_task *t = doca_rdma_task_remote_net_sync_event_##name##_as_task(task);         \
        (void)task_data;                                                                           \
        side->failed++;                                                                            \
        side->last = doca_task_get_status(t);                                                      \
        doca_task_free(t);                                                                         \
    }

ENDS(get)
ENDS(notify_set)
ENDS(notify_add)

void open_user(struct child *self, struct user *u, const char *pci)
{
    uint8_t data[1024];
    struct side *s = &u->side;

    side_open_on(s, pci, NULL, 1);
    s->self = self;
    OK(doca_rdma_task_remote_net_sync_event_get_set_conf(s->rdma, get_done, get_failed, 1));
    OK(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(s->rdma, notify_set_done,
                                                                notify_set_failed, 1));
    OK(doca_rdma_task_remote_net_sync_event_notify_add_set_conf(s->rdma, notify_add_done,
                                                                notify_add_failed, 1));
    side_start(s);
    u->connection = side_offer(s);
    side_take(s, u->connection);
    size_t size = child_receive(self, data, sizeof(data));
    OK(doca_sync_event_cap_remote_net_is_create_from_export_supported(doca_dev_as_devinfo(s->dev)));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_sync_event_remote_net_create_from_export(s->dev, data, size - 1, &u->event));
    struct doca_sync_event *wrong;
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_sync_event_create_from_export(s->dev, data, size, &wrong));
    OK(doca_sync_event_remote_net_create_from_export(s->dev, data, size, &u->event));
    u->from = data_at(s, 0, 8);
    u->to = room_at(s, 64, 8);
}

void close_user(struct user *u)
{
    drop_buf(u->from), drop_buf(u->to);
    OK(doca_sync_event_remote_net_destroy(u->event));
    side_close(&u->side);
}

void set_event(struct user *u, uint64_t value)
{
    struct doca_rdma_task_remote_net_sync_event_notify_set *task;

    memcpy(u->side.memory, &value, 8);
    OK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        u->side.rdma, u->connection, u->event, u->from, (union doca_data){0}, &task));
    ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(task),
                     u->event);
    submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(task));
}

void add_to_event(struct user *u, uint64_t value)
{
    struct doca_rdma_task_remote_net_sync_event_notify_add *task;

    OK(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
        u->side.rdma, u->connection, u->event, u->to, value, (union doca_data){0}, &task));
    submit(doca_rdma_task_remote_net_sync_event_notify_add_as_task(task));
}

void get_event(struct user *u, struct doca_buf *to)
{
    struct doca_rdma_task_remote_net_sync_event_get *task;

    OK(doca_rdma_task_remote_net_sync_event_get_allocate_init(u->side.rdma, u->connection, u->event,
                                                              to, (union doca_data){0}, &task));
    submit(doca_rdma_task_remote_net_sync_event_get_as_task(task));
}

void assert_value(const struct user *u, uint64_t expected)
{
    uint64_t value;
    size_t length;

    memcpy(&value, u->side.memory + 64, 8);
    ck_assert_uint_eq(value, expected);
    OK(doca_buf_get_data_len(u->to, &length));
    ck_assert_uint_eq(length, 8);
}
