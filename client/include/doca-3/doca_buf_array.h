/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_array.h
 * Arrays of buffers for GPU and DPA programs. There is no such hardware here.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A GPU. */
struct doca_gpu;
/** A DPA. */
struct doca_dpa;
/** A map. */
struct doca_mmap;
/** An array. */
struct doca_buf_arr;
/** A GPU buffer arr. */
struct doca_gpu_buf_arr;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

#if DOCA_USE_VERSION >= 27
/**
 * Makes an array of buffers for other processors than the CPU. It can be configured and started,
 * and is of no use here: there is no such processor.
 *
 * @param num_elem how many buffers.
 * @param buf_arr where to put the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE num_elem is 0, or buf_arr is NULL;
 *   DOCA_ERROR_NO_MEMORY there is no memory for the array.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
    DOCA_3_SYMBOL(buf_arr_create);
#endif

/**
 * Gives an array that is not started to a GPU. There is no GPU here, so it is never possible.
 *
 * @param buf_arr the array.
 * @param gpu_handler the GPU.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is started.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
                                         struct doca_gpu *gpu_handler);

/**
 * Gives an array that is not started to a DPA. There is no DPA here, so it is never possible.
 *
 * @param buf_arr the array.
 * @param dpa_handler the DPA.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
                                         struct doca_dpa *dpa_handler);

#if DOCA_USE_VERSION >= 27
/**
 * Says from where the buffers are cut, unless the array is started.
 *
 * @param buf_arr the array.
 * @param mmap the map.
 * @param elem_size the length of each buffer in bytes.
 * @param start_offset where the first one begins, in bytes from the start of the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or 0, the map has no range, or the buffers do
 *     not fit into it;
 *   DOCA_ERROR_BAD_STATE the array is started.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset)
    DOCA_3_SYMBOL(buf_arr_set_params);
#endif

/**
 * Starts an array. That is possible once.
 *
 * @param buf_arr the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the array was started before, doca_buf_arr_set_params() was not called,
 *     or the map is not started;
 *   DOCA_ERROR_NO_MEMORY is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Stops an array; of one that is not started it does nothing.
 *
 * @param buf_arr the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Frees an array, in any state.
 *
 * @param buf_arr the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * The array's handle for programs of a GPU. There is no GPU here, so it is never possible.
 *
 * @param buf_arr the array.
 * @param gpu_buf_arr would receive the handle.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is not started.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr);

#if DOCA_USE_VERSION >= 27
/**
 * The array's handle for programs of a DPA. There is no DPA here, so it is never possible.
 *
 * @param buf_arr the array.
 * @param dpa_buf_arr would receive the handle.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is not started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
