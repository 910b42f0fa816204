// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels of DOCA 2.5.

#include "compat25.h"

#include "core/refused.h"

// A value of 32 bits that 2.5 has in a size_t.
#define WIDE(name, of, object_type, object)                                                        \
    doca_error_t doca_2_5_cc_##name(const struct object_type *object, size_t *value)               \
    {                                                                                              \
        uint32_t narrow;                                                                           \
        doca_error_t r = doca_comch_##of(object, value ? &narrow : NULL);                          \
        if (r == DOCA_SUCCESS)                                                                     \
            *value = narrow;                                                                       \
        return r;                                                                                  \
    }

// A size that does not fit is as wrong as the greatest that fits.
#define NARROW(name, object_type, object)                                                          \
    doca_error_t doca_2_5_cc_##name(struct object_type *object, size_t size)                       \
    {                                                                                              \
        return doca_comch_##name(object, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);         \
    }

WIDE(cap_get_max_clients, cap_get_max_clients, doca_devinfo, devinfo)
WIDE(cap_get_max_msg_size, cap_get_max_msg_size, doca_devinfo, devinfo)
WIDE(cap_get_max_recv_queue_size, cap_get_max_recv_queue_size, doca_devinfo, devinfo)
WIDE(cap_get_max_send_tasks, cap_get_max_send_tasks, doca_devinfo, devinfo)
WIDE(consumer_cap_get_max_buf_size, consumer_cap_get_max_buf_size, doca_devinfo, devinfo)
WIDE(producer_cap_get_max_buf_size, producer_cap_get_max_buf_size, doca_devinfo, devinfo)
WIDE(server_get_max_msg_size, server_get_max_msg_size, doca_comch_server, server)
WIDE(server_get_recv_queue_size, server_get_recv_queue_size, doca_comch_server, server)
WIDE(client_get_max_msg_size, client_get_max_msg_size, doca_comch_client, client)
WIDE(client_get_recv_queue_size, client_get_recv_queue_size, doca_comch_client, client)
NARROW(server_set_max_msg_size, doca_comch_server, server)
NARROW(server_set_recv_queue_size, doca_comch_server, server)
NARROW(client_set_max_msg_size, doca_comch_client, client)
NARROW(client_set_recv_queue_size, doca_comch_client, client)

// ---- numbers of tasks ------------------------------------------------------------------------

// 2 to the power of `log`; what does not fit is too many, too.
static uint32_t number_of(size_t log)
{
    return log < 32 ? (uint32_t)1 << log : UINT32_MAX;
}

static doca_error_t logarithm(doca_error_t r, uint32_t number, size_t *log)
{
    if (r == DOCA_SUCCESS)
        *log = number ? 31 - (size_t)__builtin_clz(number) : 0;
    return r;
}

doca_error_t doca_2_5_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                            size_t *log)
{
    uint32_t number = 0;

    doca_error_t r = doca_comch_consumer_cap_get_max_num_tasks(devinfo, log ? &number : NULL);
    return logarithm(r, number, log);
}

doca_error_t doca_2_5_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                            size_t *log)
{
    uint32_t number = 0;

    doca_error_t r = doca_comch_producer_cap_get_max_num_tasks(devinfo, log ? &number : NULL);
    return logarithm(r, number, log);
}

doca_error_t doca_2_5_cc_server_send_task_set_conf(struct doca_comch_server *server,
                                                   doca_comch_task_send_completion_cb_t done,
                                                   doca_comch_task_send_completion_cb_t failed,
                                                   uint8_t log_num_tasks)
{
    return doca_comch_server_task_send_set_conf(server, done, failed, number_of(log_num_tasks));
}

doca_error_t doca_2_5_cc_client_send_task_set_conf(struct doca_comch_client *client,
                                                   doca_comch_task_send_completion_cb_t done,
                                                   doca_comch_task_send_completion_cb_t failed,
                                                   uint8_t log_num_tasks)
{
    return doca_comch_client_task_send_set_conf(client, done, failed, number_of(log_num_tasks));
}

doca_error_t doca_2_5_cc_consumer_post_recv_task_set_conf(
    struct doca_comch_consumer *consumer, doca_comch_consumer_task_post_recv_completion_cb_t done,
    doca_comch_consumer_task_post_recv_completion_cb_t failed, size_t log_num_tasks)
{
    return doca_comch_consumer_task_post_recv_set_conf(consumer, done, failed,
                                                       number_of(log_num_tasks));
}

doca_error_t doca_2_5_cc_producer_send_task_set_conf(
    struct doca_comch_producer *producer, doca_comch_producer_task_send_completion_cb_t done,
    doca_comch_producer_task_send_completion_cb_t failed, size_t log_num_tasks)
{
    return doca_comch_producer_task_send_set_conf(producer, done, failed, number_of(log_num_tasks));
}

// ---- tasks -----------------------------------------------------------------------------------

doca_error_t doca_2_5_cc_server_send_task_alloc_init(struct doca_comch_server *server,
                                                     struct doca_comch_connection *peer,
                                                     const void *msg, size_t len,
                                                     struct doca_comch_task_send **task)
{
    return doca_comch_server_task_send_alloc_init(
        server, peer, msg, len < UINT32_MAX ? (uint32_t)len : UINT32_MAX, task);
}

doca_error_t doca_2_5_cc_client_send_task_alloc_init(struct doca_comch_client *client,
                                                     struct doca_comch_connection *peer,
                                                     const void *msg, size_t len,
                                                     struct doca_comch_task_send **task)
{
    return doca_comch_client_task_send_alloc_init(
        client, peer, msg, len < UINT32_MAX ? (uint32_t)len : UINT32_MAX, task);
}

doca_error_t doca_2_5_cc_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                       struct doca_buf *buf, uint32_t consumer_id,
                                                       struct doca_comch_producer_task_send **task)
{
    return doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer_id, task);
}
