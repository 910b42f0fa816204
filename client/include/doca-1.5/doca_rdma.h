/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_rdma.h
 * For programs of the 1.5 interface that use rdma-core themselves: the protection domain of
 * a device. This interface does not have the RDMA library of later ones.
 *
 * The header needs those of rdma-core; the library itself does not.
 *
 * Since 1.5.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <infiniband/verbs.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. */
struct doca_dev;

/**
 * Returns the protection domain that the library uses on an ibverbs device. It belongs to
 * the library, and is valid until the device is closed.
 *
 * @param dev an open device.
 * @param pd [out] the protection domain; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE a software function has none.
 *
 * Source: table; the error for software functions is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
