// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do.

#include "core/device_card.h"
#include "core/refused.h"
#include "rdma_context.h"

static bool everywhere(const Docad__Function *function, const struct card *card)
{
    (void)function;
    return card_has(card, CARD_RDMA);
}

// This is an answer, not a failure: programs query each device.
#define IS_SUPPORTED(name, function_has)                                                           \
    doca_error_t doca_rdma_cap_task_##name##_is_supported(const struct doca_devinfo *devinfo)      \
    {                                                                                              \
        if (!devinfo)                                                                              \
            return REFUSED_NULL(devinfo);                                                          \
        return function_has(devinfo_function(devinfo), devinfo_card(devinfo))                      \
                   ? DOCA_SUCCESS                                                                  \
                   : DOCA_ERROR_NOT_SUPPORTED;                                                     \
    }

IS_SUPPORTED(receive, everywhere)
IS_SUPPORTED(send, everywhere)
IS_SUPPORTED(send_imm, everywhere)
IS_SUPPORTED(read, everywhere)
IS_SUPPORTED(write, everywhere)
IS_SUPPORTED(write_imm, everywhere)
IS_SUPPORTED(atomic_cmp_swp, rdma_atomics)
IS_SUPPORTED(atomic_fetch_add, rdma_atomics)
IS_SUPPORTED(remote_net_sync_event_get, everywhere)
IS_SUPPORTED(remote_net_sync_event_notify_set, everywhere)
IS_SUPPORTED(remote_net_sync_event_notify_add, everywhere)

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                                       enum doca_rdma_transport_type transport_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if ((unsigned)transport_type > DOCA_RDMA_TRANSPORT_TYPE_DC)
        return refused(__func__, "there is no such transport");
    return devinfo_has(devinfo, CARD_RDMA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t without_rdma(const char *function)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED,
                      "the card that the device imitates has no RDMA on this device");
}

#define LIMIT(name, out, value)                                                                    \
    doca_error_t doca_rdma_cap_get_##name(const struct doca_devinfo *devinfo, uint32_t *out)       \
    {                                                                                              \
        if (!devinfo || !out)                                                                      \
            return REFUSED_NULL(devinfo, out);                                                     \
        if (!devinfo_has(devinfo, CARD_RDMA))                                                      \
            return without_rdma(__func__);                                                         \
        *out = value(devinfo_function(devinfo), devinfo_card(devinfo));                            \
        return DOCA_SUCCESS;                                                                       \
    }

LIMIT(max_recv_queue_size, max_recv_queue_size, rdma_recv_queue_max)
LIMIT(max_send_queue_size, max_send_queue_size, rdma_send_queue_max)
LIMIT(max_send_buf_list_len, max_send_buf_list_len, rdma_list_max)
LIMIT(max_message_size, max_message_size, rdma_message_max)

// Cards report a table without entries where they have no RDMA.
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size)
{
    if (!devinfo || !gid_table_size)
        return REFUSED_NULL(devinfo, gid_table_size);
    *gid_table_size = rdma_gids(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len)
{
    if (!devinfo || !max_buf_list_len)
        return REFUSED_NULL(devinfo, max_buf_list_len);
    if ((unsigned)transport_type > DOCA_RDMA_TRANSPORT_TYPE_DC)
        return refused(__func__, "there is no such transport");
    if (!devinfo_has(devinfo, CARD_RDMA))
        return without_rdma(__func__);
    *max_buf_list_len = rdma_list_max(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
    if (!devinfo || !gid_array)
        return REFUSED_NULL(devinfo, gid_array);
    uint32_t n = rdma_gids(devinfo_function(devinfo), devinfo_card(devinfo));
    if (start_index > n || num_entries > n - start_index)
        return refused(__func__, "the entries go beyond the device's table of GIDs");
    for (uint32_t i = 0; i < num_entries; i++)
        rdma_gid(devinfo_function(devinfo), start_index + i, gid_array[i].raw);
    return DOCA_SUCCESS;
}
