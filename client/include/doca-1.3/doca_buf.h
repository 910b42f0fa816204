/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf.h
 * Buffers of the 1.3 interface: an address and a length within a memory map, both fixed
 * when the buffer is made (doca_buf_inventory.h). Not thread safe.
 *
 * Since 1.3.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;

/** Extensions of an inventory's buffers: a bit mask. */
enum doca_buf_extension {
    DOCA_BUF_EXTENSION_NONE = 0 /**< none */
};

/**
 * Returns the address where the memory of a buffer begins.
 *
 * @param buf a buffer.
 * @param head [out] its address, for imported memory the exporter's; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head);

/**
 * Returns the number of bytes of a buffer.
 *
 * @param buf a buffer.
 * @param len [out] the answer; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len);

/**
 * Gives a buffer back to its inventory: buffers have one reference. No job may use it.
 *
 * @param buf a buffer.
 * @param refcount [out] how many references it had before, 1; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf is NULL, or was given back;
 *   DOCA_ERROR_NOT_PERMITTED a later interface has chained it behind another.
 *
 * Source: guide, programs; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);

/**
 * Returns the number of references of a buffer.
 *
 * @param buf a buffer.
 * @param refcount [out] the answer, 1; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
