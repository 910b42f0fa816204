// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_rdma_bridge.h
 * Between DOCA and rdma-core, both ways: a program that has a protection domain of its own
 * makes a DOCA device of it; a program that has a DOCA device takes the protection domain
 * behind it, and posts work requests of its own on memory that DOCA registered.
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
 * The protection domain of a device, on which the program may make queue pairs. It stays
 * the device's: it is good until the device is closed, and not the program's to free.
 * Asynchronous events (ibv_get_async_event()) are the program's to read; the library reads
 * none, and learns from docad that the device goes or has failed, and from the device that a
 * connection failed. What nobody reads the kernel keeps, in 64 bytes each, until the device is
 * closed: a program that runs for months where ports and addresses change all the time reads
 * them.
 *
 * @param dev the device
 * @param pd the protection domain
 * @return DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE for a software function, which has none.
 *
 * Source: table; what a software function answers is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Makes a device of a protection domain that the program has opened by itself. Memory maps
 * take it, besides other devices or alone, and doca_dev_get_pd(), doca_buf_get_mkey() and
 * doca_dev_close() work on it; all else refuses it with DOCA_ERROR_NOT_SUPPORTED. It has no
 * information: doca_dev_as_devinfo() returns NULL. The program closes it, and destroys the
 * maps that have it, before it frees the protection domain.
 *
 * docad need not run for it, and has no say in it. The same protection domain gives the same
 * device; each opening is closed once.
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
 * The key by which a device knows a buffer's memory, as work requests name it: the local key
 * of a buffer of this process's memory, the remote key of one of an imported map.
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
