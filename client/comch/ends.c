// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The public functions that servers and clients have alike: each is written once.

#include "comch.h"

#include "core/refused.h"

#define FOR_BOTH(function) function(server) function(client)

#define DESTROY(side)                                                                              \
    doca_error_t doca_comch_##side##_destroy(struct doca_comch_##side *comch_##side)               \
    {                                                                                              \
        return comch_##side ? comch_end_free(__func__, &comch_##side->end)                         \
                            : REFUSED_NULL(comch_##side);                                          \
    }
FOR_BOTH(DESTROY)

#define AS_CTX(side)                                                                               \
    struct doca_ctx *doca_comch_##side##_as_ctx(struct doca_comch_##side *comch_##side)            \
    {                                                                                              \
        return comch_##side ? &comch_##side->end.ctx : NULL;                                       \
    }
FOR_BOTH(AS_CTX)

#define SET_MAX_MSG_SIZE(side)                                                                     \
    doca_error_t doca_comch_##side##_set_max_msg_size(struct doca_comch_##side *comch_##side,      \
                                                      uint32_t size)                               \
    {                                                                                              \
        if (!comch_##side)                                                                         \
            return REFUSED_NULL(comch_##side);                                                     \
        return comch_set_max_message(__func__, &comch_##side->end, size);                          \
    }
FOR_BOTH(SET_MAX_MSG_SIZE)

#define GET_MAX_MSG_SIZE(side)                                                                     \
    doca_error_t doca_comch_##side##_get_max_msg_size(                                             \
        const struct doca_comch_##side *comch_##side, uint32_t *size)                              \
    {                                                                                              \
        if (!comch_##side || !size)                                                                \
            return REFUSED_NULL(comch_##side, size);                                               \
        *size = comch_##side->end.max_message;                                                     \
        return DOCA_SUCCESS;                                                                       \
    }
FOR_BOTH(GET_MAX_MSG_SIZE)

#define SET_RECV_QUEUE_SIZE(side)                                                                  \
    doca_error_t doca_comch_##side##_set_recv_queue_size(struct doca_comch_##side *comch_##side,   \
                                                         uint32_t size)                            \
    {                                                                                              \
        if (!comch_##side)                                                                         \
            return REFUSED_NULL(comch_##side);                                                     \
        return comch_set_recv_queue(__func__, &comch_##side->end, size);                           \
    }
FOR_BOTH(SET_RECV_QUEUE_SIZE)

#define GET_RECV_QUEUE_SIZE(side)                                                                  \
    doca_error_t doca_comch_##side##_get_recv_queue_size(                                          \
        const struct doca_comch_##side *comch_##side, uint32_t *size)                              \
    {                                                                                              \
        if (!comch_##side || !size)                                                                \
            return REFUSED_NULL(comch_##side, size);                                               \
        *size = comch_##side->end.recv_queue;                                                      \
        return DOCA_SUCCESS;                                                                       \
    }
FOR_BOTH(GET_RECV_QUEUE_SIZE)

#define GET_DEVICE(side)                                                                           \
    doca_error_t doca_comch_##side##_get_device(const struct doca_comch_##side *comch_##side,      \
                                                struct doca_dev **dev)                             \
    {                                                                                              \
        if (!comch_##side || !dev)                                                                 \
            return REFUSED_NULL(comch_##side, dev);                                                \
        *dev = comch_##side->end.ctx.device;                                                       \
        return DOCA_SUCCESS;                                                                       \
    }
FOR_BOTH(GET_DEVICE)

#define TASK_SEND_SET_CONF(side)                                                                   \
    doca_error_t doca_comch_##side##_task_send_set_conf(                                           \
        struct doca_comch_##side *comch_##side,                                                    \
        doca_comch_task_send_completion_cb_t task_completion_cb,                                   \
        doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)               \
    {                                                                                              \
        if (!comch_##side || !task_completion_cb || !task_error_cb)                                \
            return REFUSED_NULL(comch_##side, task_completion_cb, task_error_cb);                  \
        return comch_send_set_conf(__func__, &comch_##side->end, task_completion_cb,               \
                                   task_error_cb, num_send_tasks);                                 \
    }
FOR_BOTH(TASK_SEND_SET_CONF)

#define TASK_SEND_ALLOC_INIT(side)                                                                 \
    doca_error_t doca_comch_##side##_task_send_alloc_init(                                         \
        struct doca_comch_##side *comch_##side, struct doca_comch_connection *peer,                \
        const void *msg, uint32_t len, struct doca_comch_task_send **task)                         \
    {                                                                                              \
        if (__builtin_expect(!comch_##side || !peer || !msg || !task, 0))                          \
            return REFUSED_NULL(comch_##side, peer, msg, task);                                    \
        return comch_send_alloc(__func__, &comch_##side->end, peer, msg, len, task);               \
    }
FOR_BOTH(TASK_SEND_ALLOC_INIT)

#define EVENT_MSG_RECV_REGISTER(side)                                                              \
    doca_error_t doca_comch_##side##_event_msg_recv_register(                                      \
        struct doca_comch_##side *comch_##side, doca_comch_event_msg_recv_cb_t recv_event_cb)      \
    {                                                                                              \
        if (!comch_##side || !recv_event_cb)                                                       \
            return REFUSED_NULL(comch_##side, recv_event_cb);                                      \
        return comch_set_on_message(__func__, &comch_##side->end, recv_event_cb);                  \
    }
FOR_BOTH(EVENT_MSG_RECV_REGISTER)

#define EVENT_CONSUMER_REGISTER(side)                                                              \
    doca_error_t doca_comch_##side##_event_consumer_register(                                      \
        struct doca_comch_##side *comch_##side,                                                    \
        doca_comch_event_consumer_cb_t new_consumer_event_cb,                                      \
        doca_comch_event_consumer_cb_t expired_consumer_event_cb)                                  \
    {                                                                                              \
        if (!comch_##side || !new_consumer_event_cb || !expired_consumer_event_cb)                 \
            return REFUSED_NULL(comch_##side, new_consumer_event_cb, expired_consumer_event_cb);   \
        return comch_set_on_consumer(__func__, &comch_##side->end, new_consumer_event_cb,          \
                                     expired_consumer_event_cb);                                   \
    }
FOR_BOTH(EVENT_CONSUMER_REGISTER)
