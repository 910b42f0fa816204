// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_buf.h
 * Buffers: ranges of memory maps that tasks read and write.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;

/**
 * One more reference; the value before the change in *refcount unless NULL.
 *
 * @param buf the buffer.
 * @param refcount where to put the refcount.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_TOO_BIG it is more than the object can hold.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * One less; at 0 the buffer (and the rest of a list it heads) returns to its inventory or
 * pool. Value before the change in *refcount unless NULL.
 *
 * @param buf the buffer.
 * @param refcount where to put the refcount.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * The count.
 *
 * @param buf the buffer.
 * @param refcount where to put the refcount.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Length of the whole buffer.
 *
 * @param buf the buffer.
 * @param len where to put the length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Its address.
 *
 * @param buf the buffer.
 * @param head where to put the head.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Length of the data section.
 *
 * @param buf the buffer.
 * @param data_len where to put the data length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Start of the data section.
 *
 * @param buf the buffer.
 * @param data where to put the data.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Data section inside [head, head+len); no effect on later list elements.
 *
 * @param buf the buffer.
 * @param data where the data begins.
 * @param data_len the data length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Length of the data section, start unchanged; must fit in the buffer.
 *
 * @param buf the buffer.
 * @param data_len the data length.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Empty data section: data at head, length 0.
 *
 * @param buf the buffer.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Next element or NULL.
 *
 * @param buf the buffer.
 * @param next_buf where to put the buffer.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * Last element.
 *
 * @param buf the buffer.
 * @param last_buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * 1 or 0.
 *
 * @param buf the buffer.
 * @param is_last where to put 1 or 0.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * 1 or 0.
 *
 * @param buf the buffer.
 * @param is_first where to put 1 or 0.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Buf is in list.
 *
 * @param buf the buffer.
 * @param is_in_list where to put 1 or 0.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * Elements from this one to the end.
 *
 * @param buf the buffer.
 * @param num_elements where to put the number of elements.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Appends list2 to list1; both arguments must be heads; afterwards the chain is freed
 * through the head only.
 *
 * @param list1 the head of the first list.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Appends list2 after the known tail of list1, without a walk.
 *
 * @param list1_head the list1 head.
 * @param list1_tail the list1 tail.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);

/**
 * Cuts list1 before list2.
 *
 * @param list1 the head of the first list.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
