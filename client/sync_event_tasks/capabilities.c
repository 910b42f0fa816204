// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do. These are answers, not failures: programs query each device.

#include "core/device_card.h"
#include "core/refused.h"

#include <doca_sync_event.h>

doca_error_t doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_import_dpu ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_export_dpu ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

// Every device has all tasks.
#define EVERYWHERE(which)                                                                          \
    doca_error_t doca_sync_event_cap_##which##_supported(const struct doca_devinfo *devinfo)       \
    {                                                                                              \
        return devinfo ? DOCA_SUCCESS : REFUSED_NULL(devinfo);                                     \
    }

EVERYWHERE(task_get_is)
EVERYWHERE(task_notify_set_is)
EVERYWHERE(task_notify_add_is)
EVERYWHERE(task_wait_gt_is)
EVERYWHERE(task_wait_eq_is)
EVERYWHERE(task_wait_neq_is)

// The other side reaches the event by RDMA.
#define BY_RDMA(which)                                                                             \
    doca_error_t doca_sync_event_cap_##which##_supported(const struct doca_devinfo *devinfo)       \
    {                                                                                              \
        if (!devinfo)                                                                              \
            return REFUSED_NULL(devinfo);                                                          \
        return devinfo_has(devinfo, CARD_RDMA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;          \
    }

BY_RDMA(remote_net_is_create_from_export)
BY_RDMA(is_export_to_remote_net)

// There is no DPA and no GPU.
#define NOT_SUPPORTED(which)                                                                       \
    doca_error_t doca_sync_event_cap_##which##_supported(const struct doca_devinfo *devinfo)       \
    {                                                                                              \
        return devinfo ? DOCA_ERROR_NOT_SUPPORTED : REFUSED_NULL(devinfo);                         \
    }

NOT_SUPPORTED(is_export_to_dpa)
NOT_SUPPORTED(is_export_to_gpu)
NOT_SUPPORTED(remote_net_is_export_to_dpa)
NOT_SUPPORTED(remote_net_is_export_to_gpu)
