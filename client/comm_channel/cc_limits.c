// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do for the Comm Channel: all can do the same, except that only a DPU's can have
// services.

#include "comm_channel.h"

#include "core/device_card.h"
#include "core/refused.h"

#include <doca_comm_channel.h>

static doca_error_t without_channel(const char *function)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED,
                      "the card that the device imitates has no Comm Channel");
}

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
    if (!max_service_name_len)
        return REFUSED_NULL(max_service_name_len);
    *max_service_name_len = CHANNEL_NAME_SIZE;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
                                                    uint32_t *max_message_size)
{
    if (!devinfo || !max_message_size)
        return REFUSED_NULL(devinfo, max_message_size);
    if (!devinfo_has(devinfo, CARD_COMCH))
        return without_channel(__func__);
    *max_message_size = (uint32_t)devinfo_most(devinfo, CARD_COMCH_MESSAGE, CHANNEL_MESSAGE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_send_queue_size)
{
    if (!devinfo || !max_send_queue_size)
        return REFUSED_NULL(devinfo, max_send_queue_size);
    if (!devinfo_has(devinfo, CARD_COMCH))
        return without_channel(__func__);
    *max_send_queue_size =
        (uint32_t)devinfo_most(devinfo, CARD_COMCH_RECV_QUEUE, CHANNEL_QUEUE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_recv_queue_size)
{
    if (!devinfo || !max_recv_queue_size)
        return REFUSED_NULL(devinfo, max_recv_queue_size);
    if (!devinfo_has(devinfo, CARD_COMCH))
        return without_channel(__func__);
    *max_recv_queue_size =
        (uint32_t)devinfo_most(devinfo, CARD_COMCH_RECV_QUEUE, CHANNEL_QUEUE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
                                                               uint32_t *max_num_connections)
{
    if (!devinfo || !max_num_connections)
        return REFUSED_NULL(devinfo, max_num_connections);
    // This is an answer, not a failure: programs query each device.
    if (!devinfo_function(devinfo)->can_list_reps || !devinfo_has(devinfo, CARD_COMCH))
        return DOCA_ERROR_NOT_SUPPORTED;
    *max_num_connections =
        (uint32_t)devinfo_most(devinfo, CARD_COMCH_CLIENTS, CHANNELS_PER_SERVICE);
    return DOCA_SUCCESS;
}
