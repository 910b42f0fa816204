// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do. These are answers, not failures: programs query each device.

#include "comch.h"
#include "consumer.h"

#include "core/device_card.h"
#include "core/refused.h"

#include <doca_comch_producer.h>

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_list_reps && devinfo_has(devinfo, CARD_COMCH)
               ? DOCA_SUCCESS
               : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_list_reps || !devinfo_has(devinfo, CARD_COMCH) ||
                   devinfo_denies_clients(devinfo)
               ? DOCA_ERROR_NOT_SUPPORTED
               : DOCA_SUCCESS;
}

// ---- the fast path -----------------------------------------------------------------------

// docad passes memory on, which is not possible for an ibverbs device.
static doca_error_t fast_path(const struct doca_devinfo *devinfo)
{
    return devinfo_function(devinfo)->backing == DOCAD__BACKING__VERBS ||
                   !devinfo_has(devinfo, CARD_COMCH_FAST)
               ? DOCA_ERROR_NOT_SUPPORTED
               : DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? fast_path(devinfo) : REFUSED_NULL(devinfo);
}

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? fast_path(devinfo) : REFUSED_NULL(devinfo);
}

// ---- numbers -----------------------------------------------------------------------------

static doca_error_t without(const char *function, const struct doca_devinfo *devinfo)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED,
                      devinfo_has(devinfo, CARD_COMCH)
                          ? "the card that the device imitates has no consumers and producers"
                          : "the card that the device imitates has no Comch");
}

#define NUMBER(function, argument, value, needs, key)                                              \
    doca_error_t doca_comch_##function(const struct doca_devinfo *devinfo, uint32_t *argument)     \
    {                                                                                              \
        if (!devinfo || !argument)                                                                 \
            return REFUSED_NULL(devinfo, argument);                                                \
        if (!devinfo_has(devinfo, CARD_COMCH) || !devinfo_has(devinfo, needs))                     \
            return without(__func__, devinfo);                                                     \
        *argument = key ? (uint32_t)devinfo_most(devinfo, key, value) : (value);                   \
        return DOCA_SUCCESS;                                                                       \
    }

#define OF_ENDS(what, argument, value, key)                                                        \
    NUMBER(cap_get_max_##what, argument, value, CARD_COMCH, key)
#define OF_CONSUMERS(what, value, key)                                                             \
    NUMBER(consumer_cap_get_max_##what, max_##what, value, CARD_COMCH_FAST, key)
#define OF_PRODUCERS(what, value, key)                                                             \
    NUMBER(producer_cap_get_max_##what, max_##what, value, CARD_COMCH_FAST, key)

OF_ENDS(name_len, max_name_len, CHANNEL_NAME_SIZE, CARD_NONE)
OF_ENDS(msg_size, size, CHANNEL_MESSAGE_MAX, CARD_COMCH_MESSAGE)
OF_ENDS(recv_queue_size, size, CHANNEL_QUEUE_MAX, CARD_COMCH_RECV_QUEUE)
OF_ENDS(clients, num_clients, COMCH_CLIENTS_MAX, CARD_COMCH_CLIENTS)
OF_ENDS(send_tasks, max_send_tasks, COMCH_TASKS_MAX, CARD_COMCH_SEND_TASKS)
OF_CONSUMERS(num_tasks, COMCH_CONSUMER_TASKS_MAX, CARD_CONSUMER_TASKS)
OF_CONSUMERS(buf_size, COMCH_BUFFER_MAX, CARD_CONSUMER_BUF_SIZE)
OF_CONSUMERS(buf_list_len, 1, CARD_NONE)
OF_CONSUMERS(consumers, COMCH_CONSUMERS_MAX, CARD_NONE)
OF_CONSUMERS(imm_data_len, COMCH_IMM_MAX, CARD_CONSUMER_IMM)
OF_PRODUCERS(num_tasks, COMCH_TASKS_MAX, CARD_PRODUCER_TASKS)
OF_PRODUCERS(buf_size, COMCH_BUFFER_MAX, CARD_PRODUCER_BUF_SIZE)
OF_PRODUCERS(buf_list_len, 1, CARD_NONE)
OF_PRODUCERS(producers, COMCH_PRODUCERS_MAX, CARD_NONE)
