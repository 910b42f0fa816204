/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_pool.h
 * Pools of buffers of one size.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A map. */
struct doca_mmap;
/** A buffer. */
struct doca_buf;
/** A pool. */
struct doca_buf_pool;

/**
 * Makes a pool of buffers of one size, which doca_buf_pool_start() cuts from a map. The map must
 * have its range, and need not be started yet.
 *
 * @param num_elements how many buffers.
 * @param element_size the length of each in bytes.
 * @param mmap the map.
 * @param buf_pool where to put the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or 0, or the map has no range;
 *   DOCA_ERROR_NO_MEMORY there is no memory for the pool.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/**
 * Frees a pool, and stops it first if need be.
 *
 * @param buf_pool the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_IN_USE buffers of the pool are out; it stays as it was.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * Cuts the buffers from the map, each at a multiple of the alignment; from then on they can be
 * taken. Of a pool that is started it does nothing.
 *
 * @param buf_pool the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_INITIALIZATION the buffers do not fit into the map;
 *   DOCA_ERROR_BAD_STATE the map is not started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * Ends that buffers can be taken; settings can be changed again. Of a pool that is not started it
 * does nothing.
 *
 * @param buf_pool the pool.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_IN_USE buffers of the pool are out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * Takes a buffer, with an empty data section and one reference. doca_buf_dec_refcount() gives it
 * back.
 *
 * @param buf_pool the pool.
 * @param buf where to put the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the pool, or its map, is not started;
 *   DOCA_ERROR_EMPTY all buffers are out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * Sets data of the program on a pool that is not started.
 *
 * @param buf_pool the pool.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the pool is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * Sets of what number of bytes the address of each buffer is a multiple, on a pool that is not
 * started. Without this call it is 1.
 *
 * @param buf_pool the pool.
 * @param element_alignment in bytes; a power of two.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE buf_pool is NULL, or the alignment is no power of two;
 *   DOCA_ERROR_BAD_STATE the pool is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);

/**
 * Reads how many buffers the pool has, in any state.
 *
 * @param buf_pool the pool.
 * @param num_of_elements where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);

/**
 * Reads how many buffers of the pool are not taken, in any state.
 *
 * @param buf_pool the pool.
 * @param num_of_free_elements where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);

/**
 * Reads the data of the program that the pool carries, in any state.
 *
 * @param buf_pool the pool.
 * @param user_data receives it; 0 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);

/**
 * Reads to how many bytes the elements of the pool are aligned, in any state.
 *
 * @param buf_pool the pool.
 * @param element_alignment receives the number; 1 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
