// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do. These are answers, not failures: programs ask for each device.

#include "comch.h"

#include "core/refused.h"

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_list_reps ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_list_reps ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS;
}

#define GREATEST(what, argument, value)                                                            \
    doca_error_t doca_comch_cap_get_max_##what(const struct doca_devinfo *devinfo,                 \
                                               uint32_t *argument)                                 \
    {                                                                                              \
        if (!devinfo || !argument)                                                                 \
            return REFUSED_NULL(devinfo, argument);                                                \
        *argument = value;                                                                         \
        return DOCA_SUCCESS;                                                                       \
    }

GREATEST(name_len, max_name_len, CHANNEL_NAME_SIZE)
GREATEST(msg_size, size, CHANNEL_MESSAGE_MAX)
GREATEST(recv_queue_size, size, CHANNEL_QUEUE_MAX)
GREATEST(clients, num_clients, COMCH_CLIENTS_MAX)
GREATEST(send_tasks, max_send_tasks, COMCH_TASKS_MAX)
