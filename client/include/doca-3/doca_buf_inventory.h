/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
 * Makes an inventory: a number of elements, each of which can stand for a range of a map. Buffers
 * can be taken after doca_buf_inventory_start().
 *
 * @param num_elements how many buffers can be out at once.
 * @param inventory where to put the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE inventory is NULL, or the number is 0 or too large;
 *   DOCA_ERROR_NO_MEMORY there is no memory for the elements.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
    DOCA_3_SYMBOL(buf_inventory_create);

/**
 * Frees an inventory, and stops it first if need be.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_IN_USE buffers of the inventory are out; it stays as it was.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Lets buffers be taken again after doca_buf_inventory_stop(). Before the first start they can be
 * taken, too. Of an inventory that is started it does nothing.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Ends that buffers can be taken; those that are out stay good, and can be given back.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Takes a buffer for a range of a map, with a data section in it. Its reference count is 1:
 * doca_buf_dec_refcount() gives it back.
 *
 * @param inventory the inventory; it need not be started yet.
 * @param mmap the map; it may be started later, before a task uses the buffer.
 * @param addr where the range begins.
 * @param len its length in bytes.
 * @param data where the data begin; may be NULL. Not checked before a task uses them.
 * @param data_len their length in bytes.
 * @param buf receives the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the inventory was stopped, the map has no range, or
 *     the range is empty or not within the map;
 *   DOCA_ERROR_NO_MEMORY if all buffers of the inventory are out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/**
 * Takes a buffer for a range of a map, without data, as destinations need it.
 *
 * @param inventory the inventory; it need not be started yet.
 * @param mmap the map; it may be started later, before a task uses the buffer.
 * @param addr where the range begins.
 * @param len its length in bytes.
 * @param buf receives the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the inventory was stopped, the map has no range, or
 *     the range is empty or not within the map;
 *   DOCA_ERROR_NO_MEMORY if all buffers of the inventory are out.
 *
 * Source: table. Since: 2.5.
 */
static __inline__ doca_error_t
doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
                                   void *addr, size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * Takes a buffer for a range of a map, all of which is data, as sources need it.
 *
 * @param inventory the inventory; it need not be started yet.
 * @param mmap the map; it may be started later, before a task uses the buffer.
 * @param data where the range begins.
 * @param data_len its length in bytes.
 * @param buf receives the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the inventory was stopped, the map has no range, or
 *     the range is empty or not within the map;
 *   DOCA_ERROR_NO_MEMORY if all buffers of the inventory are out.
 *
 * Source: table. Since: 2.5.
 */
static __inline__ doca_error_t
doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
                                   void *data, size_t data_len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/**
 * Takes an element of this inventory for the same range and data section as a buffer has, with
 * one reference and in no list.
 *
 * @param inventory the inventory.
 * @param src_buf the source buffer: in no list, or the head of one.
 * @param dst_buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back;
 *   DOCA_ERROR_BAD_STATE this inventory, or that of the buffer, was stopped, or the buffer's map
 *     is stopped;
 *   DOCA_ERROR_NOT_PERMITTED the buffer is in a list and not its head;
 *   DOCA_ERROR_NO_MEMORY all elements are out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * Sets data of the program on an inventory that is not started.
 *
 * @param inventory the inventory.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the inventory is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);

/**
 * Reads how many elements the inventory has, in any state.
 *
 * @param inventory the inventory.
 * @param num_of_elements where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);

/**
 * Reads how many elements of the inventory are not taken, in any state.
 *
 * @param inventory the inventory.
 * @param num_of_free_elements where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/**
 * Reads the data of the program that the inventory carries, in any state.
 *
 * @param inventory the inventory.
 * @param user_data receives it; 0 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/**
 * Adds elements, in any state.
 *
 * @param inventory the inventory.
 * @param num_elements how many more; not 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE inventory is NULL, or the number is 0;
 *   DOCA_ERROR_NO_MEMORY there is no memory for the elements;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table; NO_MEMORY: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/**
 * Points a buffer at other bytes of the same map, with an empty data section, and allocates
 * nothing. Its references, and its place in a list, stay. Not while a task that uses the buffer
 * is in flight.
 *
 * @param buf the buffer.
 * @param addr where the range begins.
 * @param len the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL, was given back or is of a pool, addr is NULL, or the
 *     range is not within the map.
 *
 * Source: programs; the prototype is inferred from their calls, the code is our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len);

/**
 * Points a buffer at other bytes of the same map, as doca_buf_inventory_buf_reuse_by_addr() does;
 * all of them are its data.
 *
 * @param buf the buffer.
 * @param data where the data begins.
 * @param data_len the data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL, was given back or is of a pool, data is NULL, or the
 *     range is not within the map.
 *
 * Source: programs; the prototype is inferred from their calls, the code is our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
                                                  size_t data_len);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
