/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_inventory.h
 * Inventories of the 1.3 interface: a fixed number of buffers, which are pointed at memory and
 * given back. All memory is allocated when the inventory is made. Not thread safe.
 *
 * Since 1.3.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_mmap.h>

#include "doca_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An inventory. */
struct doca_buf_inventory;

/**
 * Makes an inventory.
 *
 * @param name the value of DOCA_BUF_INVENTORY_NAME; may be NULL.
 * @param num_elements how many buffers, 1 to 4294967295.
 * @param extensions DOCA_BUF_EXTENSION_NONE.
 * @param buf_inventory [out] the inventory; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf_inventory is NULL, num_elements out of range, unknown
 *   extensions;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_create(const char *name, size_t num_elements, uint32_t extensions,
                                       struct doca_buf_inventory **buf_inventory)
    DOCA_1_3_SYMBOL(buf_inventory_create);

/**
 * Destroys an inventory, started or not.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE inventory is NULL;
 *   DOCA_ERROR_NOT_PERMITTED buffers are out: nothing is done.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Would set a property; there is none that can be written.
 *
 * @param inventory an inventory.
 * @param property any.
 * @param value, size its bytes, and how many.
 * @return DOCA_ERROR_INVALID_VALUE a pointer is NULL, or the property does not exist;
 *   DOCA_ERROR_NOT_PERMITTED otherwise: it is read only.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_property_set(struct doca_buf_inventory *inventory,
                                             enum doca_buf_inventory_property property,
                                             const uint8_t *value, uint32_t size);

/**
 * Reads a property.
 *
 * @param inventory an inventory, in any state.
 * @param property any.
 * @param value [out] its bytes; untouched on failure.
 * @param size how many there is room for.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size.
 *
 * Source: guide, which prints const before the type of value; the errors are our choice.
 * Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_property_get(struct doca_buf_inventory *inventory,
                                             enum doca_buf_inventory_property property,
                                             uint8_t *value, uint32_t size);

/**
 * Allows buffers to be taken. Starting a started inventory does nothing.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE inventory is NULL.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Ends the taking of buffers until it is started again. Buffers that are out stay as they are.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE inventory is NULL.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Takes a buffer and points it at memory.
 *
 * @param inventory a started inventory.
 * @param mmap a started map, or an imported one.
 * @param addr, len within one of the map's chunks; len at least 1. Of an imported map, the
 *   exporter's addresses.
 * @param buf [out] the buffer; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL; the inventory or the map is not started; the
 *   memory is not within one chunk;
 *   DOCA_ERROR_NO_MEMORY all buffers are out.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, char *addr, size_t len,
                                            struct doca_buf **buf)
    DOCA_1_3_SYMBOL(buf_inventory_buf_by_addr);

/**
 * Takes a buffer and points it at the memory of another.
 *
 * @param inventory a started inventory.
 * @param src_buf the other buffer, of a map that is started or imported.
 * @param dst_buf [out] the buffer; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, src_buf was given back, or its map is stopped;
 *   DOCA_ERROR_NOT_PERMITTED an inventory of the two is not started;
 *   DOCA_ERROR_NO_MEMORY all buffers are out.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
