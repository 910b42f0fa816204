/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_bufpool.h
 * A pool of buffers of one size, cut from one memory map.
 *
 * For programs that need a buffer and do not care where it lies: no two buffers of a
 * pool overlap. All memory is allocated when the pool is created; taking a buffer and
 * giving it back (doca_buf_refcount_rm()) allocate nothing and take constant time. A pool
 * is not thread safe; use one for each thread.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument, unless it says that
 * NULL is allowed.
 *
 * Since 2.2.
 */
#ifndef DOCA_BUFPOOL_H_
#define DOCA_BUFPOOL_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_bufpool.h"
#endif

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_buf;

/** A pool. */
struct doca_bufpool;

/**
 * Makes a pool. It hands out buffers once started.
 *
 * @param user_data kept for doca_bufpool_get_user_data(). May be NULL: then 0.
 * @param num_elements how many buffers it has, 1 to UINT32_MAX.
 * @param extensions mask of enum doca_buf_extension: 0.
 * @param element_size length of each buffer in bytes, not 0.
 * @param element_alignment each buffer's address is a multiple of this: a power of two,
 *   or 0 for no alignment.
 * @param mmap a memory map that has its range, started or not. It must outlive the pool.
 *   The elements must fit into the range.
 * @param bufpool receives the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, no elements, no size, an alignment that is not a
 *   power of two, elements that do not fit into the range, or an unknown extension;
 *   DOCA_ERROR_BAD_STATE if the map has no range yet;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
                                 uint32_t extensions, size_t element_size, size_t element_alignment,
                                 const struct doca_mmap *mmap, struct doca_bufpool **bufpool);

/**
 * Destroys a pool, started or stopped. All its buffers must be back.
 *
 * @param bufpool the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_IN_USE while buffers are out: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool);

/**
 * Allows buffers to be taken. Starting a started pool does nothing; a stopped pool may be
 * started again.
 *
 * @param bufpool the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the memory map is not started.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool);

/**
 * Ends the taking of buffers. Buffers that are out stay valid and may be given back.
 *
 * @param bufpool the pool.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool);

/**
 * Takes a buffer: the whole element is tailroom, the data is at its head and empty.
 *
 * @param bufpool a started pool.
 * @param buf receives the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the pool is not started;
 *   DOCA_ERROR_NO_MEMORY if all buffers are out.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf);

/**
 * Returns the number of buffers in the pool, taken or not.
 *
 * @param bufpool the pool, in any state.
 * @param num_of_elements receives the number.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
                                           uint32_t *num_of_elements);

/**
 * Returns the number of buffers that can still be taken.
 *
 * @param bufpool the pool, in any state.
 * @param num_of_free_elements receives the number.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
                                                uint32_t *num_of_free_elements);

/**
 * Returns the user data that the pool was created with.
 *
 * @param bufpool the pool, in any state.
 * @param user_data receives it.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
                                        union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUFPOOL_H_ */
