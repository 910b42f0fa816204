/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_sync_event.h
 * Sync events as 2.5 and 2.6 have them.
 *
 * All else is as in doca_sync_event.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_SYNC_EVENT_H_
#define DOCA_2_5_SYNC_EVENT_H_

#include "../doca-3/doca_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Would return a handle of the event for programs of a DPA. There is no DPA here.
 *
 * @param event the event.
 * @param dpa the DPA.
 * @param dpa_dev_se_handle stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: table. Since: 2.5; later releases have another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
    DOCA_2_5_SYMBOL(sync_event_export_to_dpa);

/**
 * Would return a handle of the event for programs of a GPU. There is no GPU here.
 *
 * @param event the event.
 * @param gpu the GPU.
 * @param gpu_dev_se stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: table. Since: 2.5; later releases have another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event, struct doca_gpu *gpu,
                                           doca_gpu_dev_sync_event_t **gpu_dev_se)
    DOCA_2_5_SYMBOL(sync_event_export_to_gpu);

/**
 * Would return a handle of the event for programs of a DPA. There is no DPA here.
 *
 * @param event the event.
 * @param dpa the DPA.
 * @param dpa_remote_event stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: table. Since: 2.5; later releases have another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_export_to_dpa(struct doca_sync_event_remote_net *event,
                                         struct doca_dpa *dpa,
                                         doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
    DOCA_2_5_SYMBOL(sync_event_remote_net_export_to_dpa);

/**
 * Would return a handle of the event for programs of a GPU. There is no GPU here.
 *
 * @param event the event.
 * @param gpu the GPU.
 * @param gpu_remote_event stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: table. Since: 2.5; later releases have another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_export_to_gpu(struct doca_sync_event_remote_net *event,
                                         struct doca_gpu *gpu,
                                         doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
    DOCA_2_5_SYMBOL(sync_event_remote_net_export_to_gpu);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_SYNC_EVENT_H_ */
