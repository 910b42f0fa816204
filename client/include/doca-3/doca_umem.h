/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_umem.h
 * Memory for the DPA or a GPU. There is no such hardware here.
 */
#ifndef DOCA_UMEM_H_
#define DOCA_UMEM_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A DPA. */
struct doca_dpa;
/** A GPU. */
struct doca_gpu;
/** A memory. */
struct doca_umem;

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param dev the device.
 * @param address the address.
 * @param size the size.
 * @param access_flags the access flags.
 * @param umem_obj where to put the memory.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param dpa the DPA.
 * @param address the address.
 * @param size the size.
 * @param access_flags the access flags.
 * @param umem_obj where to put the memory.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, uint64_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param gpu the GPU.
 * @param dev the device.
 * @param address the address.
 * @param size the size.
 * @param access_flags the access flags.
 * @param umem_obj where to put the memory.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param umem_obj the memory.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_destroy(struct doca_umem *umem_obj);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param umem_obj the memory.
 * @param umem_id where to put the memory id.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param umem_obj the memory.
 * @param umem_size where to put the memory size.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param umem_obj the memory.
 * @param umem_addr where to put the memory address.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UMEM_H_ */
