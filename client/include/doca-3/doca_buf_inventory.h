// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_buf_inventory.h
 * Inventories, which buffers are taken from.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A map. */
struct doca_mmap;
/** An inventory. */
struct doca_buf_inventory;

/**
 * A fixed number of elements; start before use.
 *
 * @param num_elements the number of elements.
 * @param inventory where to put the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
    DOCA_3_SYMBOL(buf_inventory_create);

/**
 * DOCA_ERROR_IN_USE while buffers are out; stops first if need be.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Allows allocation.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Forbids allocation.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Takes an element for [addr, addr+len) of a started map with a data section; reference
 * count 1.
 *
 * @param inventory the inventory.
 * @param mmap the map.
 * @param addr where the range begins.
 * @param len the length.
 * @param data where the data begins.
 * @param data_len the data length.
 * @param buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/**
 * Get_by_args with an empty data section at addr (for destinations).
 *
 * @param inventory the inventory.
 * @param mmap the map.
 * @param addr where the range begins.
 * @param len the length.
 * @param buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * Get_by_args with the whole range as data (for sources).
 *
 * @param inventory the inventory.
 * @param mmap the map.
 * @param data where the data begins.
 * @param data_len the data length.
 * @param buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/**
 * A second element for the same range and data as src_buf, from this inventory.
 *
 * @param inventory the inventory.
 * @param src_buf the source buffer.
 * @param dst_buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * User data; while stopped.
 *
 * @param inventory the inventory.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);

/**
 * Reads the number of elements of the inventory.
 *
 * @param inventory the inventory.
 * @param num_of_elements where to put the number of of elements.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);

/**
 * Reads the number of free elements of the inventory.
 *
 * @param inventory the inventory.
 * @param num_of_free_elements where to put the number of of free elements.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/**
 * Reads the user data of the inventory.
 *
 * @param inventory the inventory.
 * @param user_data where to put the user data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/**
 * Adds elements, also while started.
 *
 * @param inventory the inventory.
 * @param num_elements the number of elements.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/**
 * Points an existing buffer at another range of the same map, data empty (prototype
 * inferred from calls).
 *
 * @param buf the buffer.
 * @param addr where the range begins.
 * @param len the length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len);

/**
 * The same with the whole range as data (prototype inferred from calls).
 *
 * @param buf the buffer.
 * @param data where the data begins.
 * @param data_len the data length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
                                                  size_t data_len);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
