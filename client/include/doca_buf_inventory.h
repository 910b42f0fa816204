/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_inventory.h
 * An inventory of buffers. Each buffer may point anywhere into any memory map.
 *
 * The number of buffers is fixed when the inventory is created, and so is its memory: taking
 * a buffer and giving it back allocate nothing and take constant time. An inventory is not
 * thread safe; use one for each thread.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument, unless it says that NULL
 * is allowed.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* instead of this file */
#include "doca-1.3/doca_buf_inventory.h"
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_buf_inventory.h"
#endif
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An inventory. */
struct doca_buf_inventory;

/**
 * Makes an inventory. It hands out buffers once started.
 *
 * @param user_data kept for doca_buf_inventory_get_user_data(). May be NULL: then 0.
 * @param num_elements how many buffers it has, 1 to UINT32_MAX.
 * @param extensions mask of enum doca_buf_extension: 0.
 * @param buf_inventory receives the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, no elements, too many, or an unknown extension;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
                                       uint32_t extensions,
                                       struct doca_buf_inventory **buf_inventory);

/**
 * Destroys an inventory, started or stopped. All its buffers must be back.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED while buffers are out: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Allows buffers to be taken. Starting a started inventory does nothing; a stopped inventory
 * may be started again.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Ends the taking of buffers. Buffers that are out stay valid and may be given back.
 *
 * @param inventory the inventory.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Takes a buffer and places it.
 *
 * The map may be started later, if its range is set, which can happen only once. The
 * permissions and devices that the map then has decide what jobs may do with the buffer. A
 * job that comes earlier fails with DOCA_ERROR_NOT_PERMITTED and a log line. A map cannot be
 * destroyed while buffers of it are out, whether it was ever started or not. (Since 2.2;
 * programs. Maps of the 1.3 interface, whose ranges change, must be started.)
 *
 * @param inventory a started inventory.
 * @param mmap a memory map that is imported, started, or has its range.
 * @param addr where the buffer starts; for an imported map an address of the exporter.
 * @param len its length in bytes, not 0; [addr, addr + len) must lie within the map.
 * @param data where the data starts; may be NULL. Not checked. If it is NULL,
 *   doca_buf_set_data() is needed before a job.
 * @param data_len length of the data in bytes. Not checked.
 * @param buf receives the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a range outside the map, an inventory that is not
 *   started, or a map that is not started and has no range;
 *   DOCA_ERROR_NO_MEMORY if all buffers are out.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            void *data, size_t data_len, struct doca_buf **buf);

/* The helpers below call an experimental function: what a program is warned of is its
 * own use of one, not this header's. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/**
 * Takes a buffer without data, fit for a destination. To use it as a source, call
 * doca_buf_set_data().
 *
 * @param inventory a started inventory.
 * @param mmap as for doca_buf_inventory_buf_by_args().
 * @param addr where the buffer and its data start.
 * @param len the buffer's length in bytes.
 * @param buf receives the buffer.
 * @return as doca_buf_inventory_buf_by_args(): DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE,
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
static __inline__ doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * Takes a buffer that is full of data, fit for a source. It has no tailroom.
 *
 * @param inventory a started inventory.
 * @param mmap as for doca_buf_inventory_buf_by_args().
 * @param data where the buffer and its data start.
 * @param data_len length of both in bytes.
 * @param buf receives the buffer.
 * @return as doca_buf_inventory_buf_by_args(): DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE,
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
static __inline__ doca_error_t doca_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf)
{
    return doca_buf_inventory_buf_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

#pragma GCC diagnostic pop

/**
 * Takes a buffer with the same place and data as another. It is in no list; the other may be
 * in one, and may come from elsewhere.
 *
 * @param inventory a started inventory.
 * @param src_buf a buffer, whose own inventory or pool is started too.
 * @param dst_buf receives the new buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED if either inventory is not started, or their extensions
 *   differ;
 *   DOCA_ERROR_NO_MEMORY if all buffers are out.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * Returns the number of buffers in the inventory, taken or not.
 *
 * @param inventory the inventory, in any state.
 * @param num_of_elements receives the number.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_get_num_elements(struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);

/**
 * Returns the number of buffers that can still be taken.
 *
 * @param inventory the inventory, in any state.
 * @param num_of_free_elements receives the number.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_get_num_free_elements(struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/**
 * Returns the user data that the inventory was created with.
 *
 * @param inventory the inventory, in any state.
 * @param user_data receives it.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_get_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
