// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_rdma_bridge.h
 * RDMA beside programs that use verbs and rdma_cm themselves.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#include <infiniband/verbs.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A buffer. */
struct doca_buf;
/** A map. */
struct doca_mmap;

/**
 * Ibv_pd of a device (2.2: doca_dev_get_pd).
 *
 * @param dev the device.
 * @param pd where to put the ibv protection domain.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Device around a pd of the program (2.2: doca_dev_open_from_pd).
 *
 * @param pd the ibv protection domain.
 * @param dev where to put the device.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * Lkey of a buffer (2.2: doca_buf_get_mkey).
 *
 * @param buf the buffer.
 * @param dev the device.
 * @param mkey where to put the memory key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey);

/**
 * Lkey of a map on the device opened from that pd.
 *
 * @param mmap the map.
 * @param pd the ibv protection domain.
 * @param mkey where to put the memory key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_BRIDGE_H_ */
