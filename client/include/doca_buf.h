/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf.h
 * Buffers: what a job reads from and writes to.
 *
 * A buffer names a stretch of a memory map, from its head over its length, and within
 * it the data: headroom, then data, then tailroom. A job reads the data of its source
 * and appends to the data of its destination, so the tailroom is what a job may fill.
 * Buffers chained to a list count as one: their data is gathered, and their tailrooms are
 * filled one after the other.
 *
 * A buffer refers to memory and does not own it. It is taken from a doca_buf_inventory
 * or a doca_bufpool and goes back there. While a job is in flight its buffers belong to
 * the library. Buffers are not thread safe. None of these calls allocates, locks or
 * enters the system.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument, unless it says that
 * NULL is allowed, and for a buffer that has been given back (our choice where the table
 * has no error).
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* instead of this file */
#include "doca-1.3/doca_buf.h"
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_buf.h"
#endif
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;

/** Extensions that an inventory's buffers may have. */
enum doca_buf_extension {
    DOCA_BUF_EXTENSION_NONE = 0 /**< None: there are no extensions. */
};

/**
 * Would add a reference. A buffer has only one reference in this version.
 *
 * @param buf a buffer.
 * @param refcount not written. May be NULL.
 * @return DOCA_ERROR_NOT_SUPPORTED, always.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount);

/**
 * Drops the reference: the buffer goes back to where it was taken from and must not be
 * used any more. If it heads a list, the whole list is released, each buffer to its own
 * inventory or pool; unchain buffers that you want to keep first.
 *
 * Allowed in any state of the inventory or pool, even if it is stopped.
 *
 * @param buf a single buffer, or the head of a list.
 * @param refcount receives the count before the call (1). May be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if buf is NULL or was given back already;
 *   DOCA_ERROR_NOT_PERMITTED if buf is in a list and not its head.
 *
 * Source: table; that a list head releases its whole list is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);

/**
 * The number of references.
 *
 * @param buf a buffer.
 * @param refcount receives the count: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * The buffer's length from its head, headroom, data and tailroom together.
 *
 * @param buf a buffer.
 * @param len receives the length in bytes.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Where the buffer starts. On an imported map this is an address of the exporter.
 *
 * @param buf a buffer.
 * @param head receives the address.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * The length of the data. A job that has appended to the buffer has added to it.
 *
 * @param buf a buffer.
 * @param data_len receives the length in bytes.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Where the data starts. On an imported map this is an address of the exporter.
 *
 * @param buf a buffer.
 * @param data receives the address.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Places the data within the buffer. The call does not check that [data, data +
 * data_len) lies in the buffer; a job on a buffer where it does not completes with
 * DOCA_ERROR_INVALID_VALUE.
 *
 * @param buf a buffer.
 * @param data where the data starts.
 * @param data_len its length in bytes.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if buf or data is NULL.
 *
 * Source: table; how jobs treat wrong values is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Empties the buffer: the data length becomes 0, and the data's address stays. Call this
 * before you use a destination again, unless the next job is to append.
 *
 * @param buf a buffer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table and guide. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * The buffer behind this one in its list.
 *
 * @param buf a buffer.
 * @param next_buf receives it, NULL at the end of the list.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * The last buffer of the list that this one is in.
 *
 * @param buf a buffer, anywhere in its list.
 * @param last_buf receives the last one, which may be buf itself.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Says whether no buffer follows this one. A single buffer is last.
 *
 * @param buf a buffer.
 * @param is_last receives the answer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last);

/**
 * Says whether no buffer precedes this one. A single buffer is first.
 *
 * @param buf a buffer.
 * @param is_first receives the answer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first);

/**
 * Says whether the buffer is chained to another.
 *
 * @param buf a buffer.
 * @param is_in_list receives 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * Returns the number of buffers in a list.
 *
 * @param buf the head of a list, or a single buffer.
 * @param num_elements receives the number, the head included.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED if buf is not the head.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Puts one list behind another.
 *
 * @param list1 head of the list that grows.
 * @param list2 head of the list that goes behind it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if either is NULL or not the head of its list, or if both
 *   are the same: nothing is changed.
 *
 * Source: table, which leaves wrong heads undefined; refusing them is our choice.
 * Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Cuts a list in two.
 *
 * @param list1 a buffer before the cut, commonly the head.
 * @param list2 a buffer behind list1; it becomes the head of a list of its own.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if list2 is not behind list1.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
