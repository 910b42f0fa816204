/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
 * Takes one more reference of a buffer, or of the list that it heads. Each reference needs a
 * doca_buf_dec_refcount() of its own before the buffer returns to its inventory or pool.
 *
 * @param buf the buffer.
 * @param refcount where to put the count before the call; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL or was given back;
 *   DOCA_ERROR_NOT_PERMITTED the buffer is in a list and not its head;
 *   DOCA_ERROR_TOO_BIG there are 65535 references already.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Drops one reference. With the last one the buffer, and the rest of a list that it heads,
 * returns to its inventory or pool, also if that is stopped; the buffer must not be used after
 * that. Tasks hold no references: wait for the callback first.
 *
 * @param buf the buffer.
 * @param refcount where to put the count before the call; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the buffer is in a list and not its head;
 *   DOCA_ERROR_BAD_STATE the buffer was given back already.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Reads how many references there are.
 *
 * @param buf the buffer.
 * @param refcount where to put the refcount.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Reads the length of the whole buffer in bytes, whatever its data section is.
 *
 * @param buf the buffer.
 * @param len where to put the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Reads the address of the buffer's first byte. Of an imported map that is an address of the
 * exporter, which this process cannot read.
 *
 * @param buf the buffer.
 * @param head where to put the head.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Reads the length of the data section in bytes. After a task this says how much the destination
 * has got.
 *
 * @param buf the buffer.
 * @param data_len where to put the data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Reads the address of the data section's first byte.
 *
 * @param buf the buffer.
 * @param data where to put the data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Sets the data section: what a source gives, and behind which a destination is written. The
 * other buffers of a list keep theirs. Not while a task that uses the buffer is in flight. Whether
 * the section is within the buffer is not checked before a task uses it; that task fails.
 *
 * @param buf the buffer.
 * @param data where the data begins.
 * @param data_len the data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Sets the length of the data section in bytes, and leaves where it begins. Not while a task that
 * uses the buffer is in flight.
 *
 * @param buf the buffer.
 * @param data_len the data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL or was given back, or the data would end behind the
 *     buffer.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Empties the data section: it has no bytes, and begins where it did. A destination is written from
 * there again; if that is not its head, doca_buf_set_data() moves it.
 *
 * @param buf the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL or was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Reads the buffer behind this one in its list; NULL if there is none.
 *
 * @param buf the buffer.
 * @param next_buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * Reads the last buffer of the list; this one if it is alone.
 *
 * @param buf the buffer.
 * @param last_buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Whether no buffer follows this one: 1 or 0. A buffer that is alone is first and last.
 *
 * @param buf the buffer.
 * @param is_last where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * Whether the buffer is alone or the head of its list: 1 or 0.
 *
 * @param buf the buffer.
 * @param is_first where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Whether the buffer is in a list with others: 1 or 0.
 *
 * @param buf the buffer.
 * @param is_in_list where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * Counts the buffers from this one, which need not be the head, to the end of the list.
 *
 * @param buf the buffer.
 * @param num_elements where to put the number of elements.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back;
 *   DOCA_ERROR_NOT_PERMITTED is named by the table, and not returned here.
 *
 * Source: table; from any element: programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Appends a list, or a single buffer, to another. From then on the first head stands for all: it
 * is given to tasks, and dropping its last reference gives all of them back.
 *
 * @param list1 the head of the first list.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a buffer is NULL or was given back;
 *   DOCA_ERROR_NOT_PERMITTED both are the same, one is not a head, or the second has more than
 *     one reference.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Appends a list as doca_buf_chain_list() does, but does not walk to the end of the first one,
 * which the program knows. That the tail belongs to that very list is not checked.
 *
 * @param list1_head the list1 head.
 * @param list1_tail the list1 tail.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a buffer is NULL or was given back;
 *   DOCA_ERROR_NOT_PERMITTED as doca_buf_chain_list(), or list1_tail is not the last of a list.
 *
 * Source: table; INVALID_VALUE: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);

/**
 * Cuts a list in two before list2, which becomes the head of the second one, with one reference
 * of its own.
 *
 * @param list1 the head of the first list.
 * @param list2 the head of the second list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a buffer is NULL or was given back, or list2 does not follow list1
 *     in its list.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
