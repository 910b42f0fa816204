/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
 * The protection domain of a device, which belongs to the device: in 2.2, doca_dev_get_pd().
 *
 * @param dev a device that is open.
 * @param pd receives the protection domain.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the device is a software function, which has none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Opens the device that a protection domain of the program stands for: in 2.2,
 * doca_dev_open_from_pd(). Another call with the same domain returns the same device, which is
 * closed as often. The domain stays the program's, and must be there until the device is closed.
 *
 * @param pd the protection domain.
 * @param dev receives the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory for it.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * The key by which work requests of the program name a buffer's memory: the local key, or the
 * remote one if the memory was imported. In 2.2, doca_buf_get_mkey().
 *
 * @param buf a buffer of a map that is started.
 * @param dev a device of that map.
 * @param mkey receives the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the buffer was given back, or if its map is not started
 *     or does not have the device;
 *   DOCA_ERROR_NOT_SUPPORTED if the device is a software function, which has no keys.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey);

/**
 * The key by which work requests of the program name a map's memory on the device of a protection
 * domain: the local key, or the remote one if the map was imported.
 *
 * @param mmap a map that is started, or was imported.
 * @param pd the protection domain, of doca_rdma_bridge_get_dev_pd() or the program's own.
 * @param mkey receives the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the map is not started;
 *   DOCA_ERROR_NOT_FOUND if none of the map's devices has this protection domain;
 *   DOCA_ERROR_OPERATING_SYSTEM is named by the table, and not returned here.
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
