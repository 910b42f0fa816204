/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_uar.h
 * Doorbell pages of a device. There is no such hardware here.
 */
#ifndef DOCA_UAR_H_
#define DOCA_UAR_H_

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
/** A UAR. */
struct doca_uar;

/** Kinds of doorbell pages. */
enum doca_uar_allocation_type {
    DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,         /**< with a BlueFlame register */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE = 1,          /**< not cached */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED = 2 /**< not cached, for one user */
};

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param dev the device.
 * @param allocation_type the allocation type.
 * @param uar where to put the UAR.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param dpa the DPA.
 * @param uar where to put the UAR.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_DRIVER.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param uar the UAR.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_destroy(struct doca_uar *uar);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param uar the UAR.
 * @param id where to put the id.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param uar the UAR.
 * @param page where to put the page.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param uar the UAR.
 * @param reg where to put the register.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UAR_H_ */
