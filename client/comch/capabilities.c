// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do. These are answers, not failures: programs ask for each device.

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
    return devinfo_function(devinfo)->can_list_reps || !devinfo_has(devinfo, CARD_COMCH)
               ? DOCA_ERROR_NOT_SUPPORTED
               : DOCA_SUCCESS;
}

// ---- the fast path -----------------------------------------------------------------------

// Memory is handed over by docad, which an ibverbs device knows nothing of.
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

#define GREATEST(what, argument, value, key) GREATEST_OF(cap_get_max_##what, argument, value, key)

#define GREATEST_OF(function, argument, value, key)                                                \
    doca_error_t doca_comch_##function(const struct doca_devinfo *devinfo, uint32_t *argument)     \
    {                                                                                              \
        if (!devinfo || !argument)                                                                 \
            return REFUSED_NULL(devinfo, argument);                                                \
        *argument = key ? (uint32_t)devinfo_most(devinfo, key, value) : (value);                   \
        return DOCA_SUCCESS;                                                                       \
    }

GREATEST(name_len, max_name_len, CHANNEL_NAME_SIZE, CARD_NONE)
GREATEST(msg_size, size, CHANNEL_MESSAGE_MAX, CARD_COMCH_MESSAGE)
GREATEST(recv_queue_size, size, CHANNEL_QUEUE_MAX, CARD_COMCH_RECV_QUEUE)
GREATEST(clients, num_clients, COMCH_CLIENTS_MAX, CARD_COMCH_CLIENTS)
GREATEST(send_tasks, max_send_tasks, COMCH_TASKS_MAX, CARD_COMCH_SEND_TASKS)
GREATEST_OF(consumer_cap_get_max_num_tasks, max_num_tasks, COMCH_CONSUMER_TASKS_MAX,
            CARD_CONSUMER_TASKS)
GREATEST_OF(consumer_cap_get_max_buf_size, max_buf_size, COMCH_BUFFER_MAX, CARD_CONSUMER_BUF_SIZE)
GREATEST_OF(consumer_cap_get_max_buf_list_len, max_buf_list_len, 1, CARD_NONE)
GREATEST_OF(consumer_cap_get_max_consumers, max_consumers, COMCH_CONSUMERS_MAX, CARD_NONE)
GREATEST_OF(consumer_cap_get_max_imm_data_len, max_imm_data_len, COMCH_IMM_MAX, CARD_CONSUMER_IMM)
GREATEST_OF(producer_cap_get_max_num_tasks, max_num_tasks, COMCH_TASKS_MAX, CARD_PRODUCER_TASKS)
GREATEST_OF(producer_cap_get_max_buf_size, max_buf_size, COMCH_BUFFER_MAX, CARD_PRODUCER_BUF_SIZE)
GREATEST_OF(producer_cap_get_max_buf_list_len, max_buf_list_len, 1, CARD_NONE)
GREATEST_OF(producer_cap_get_max_producers, max_producers, COMCH_PRODUCERS_MAX, CARD_NONE)
