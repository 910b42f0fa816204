/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_rdma_bridge.h
 * A bridge between DOCA and rdma-core, in both directions. A program that has a protection
 * domain of its own makes a DOCA device from it. A program that has a DOCA device takes the
 * protection domain behind it, and posts work requests of its own on memory that DOCA
 * registered.
 *
 * Since 2.2.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_rdma_bridge.h"
#endif

#include <stdint.h>

#include <infiniband/verbs.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the protection domain of a device, on which the program may make queue pairs. It
 * belongs to the device: it is valid until the device is closed, and the program must not free
 * it. The program may read asynchronous events (ibv_get_async_event()); the library reads
 * none. The library learns from docad that the device goes or has failed, and from the device
 * that a connection failed. The kernel keeps unread events, in 64 bytes each, until the device
 * is closed: a program that runs for months should read them if ports and addresses change all
 * the time.
 *
 * @param dev the device
 * @param pd the protection domain
 * @return DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE for a software function, which has none.
 *
 * Source: table; the error for software functions is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Makes a device from a protection domain that the program has opened by itself. Memory maps
 * accept it, alone or besides other devices, and doca_dev_get_pd(), doca_buf_get_mkey() and
 * doca_dev_close() work on it; all other functions refuse it with DOCA_ERROR_NOT_SUPPORTED. It
 * has no information: doca_dev_as_devinfo() returns NULL. The program must close it, and
 * destroy the maps that have it, before it frees the protection domain.
 *
 * docad need not run for this, and has no say in it. The same protection domain gives the same
 * device; close it once for each opening.
 *
 * @param pd the protection domain
 * @param dev the device
 * @return DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * Returns the key by which a device knows a buffer's memory, for work requests. It is the
 * local key if the buffer is of this process's memory, and the remote key if it is of an
 * imported map.
 *
 * @param buf the buffer
 * @param dev a device that its map has
 * @param mkey the key, in host byte order
 * @return DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE for NULL, a buffer that was given back, or if the map does not
 *   have the device;
 *   DOCA_ERROR_NOT_SUPPORTED if the device is a software function.
 *
 * Source: table; the key of an imported map is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif
