/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_array.h
 * An array of buffers of one size, configured on the CPU to be used elsewhere.
 *
 * There is no GPU here: choosing one and asking for its handle return
 * DOCA_ERROR_NOT_SUPPORTED. Without a target an array is for the CPU: it can be
 * configured, started, stopped and destroyed, with all the checks.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument.
 *
 * Since 2.2.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_buf_array.h"
#endif

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;

/** A GPU. There are none here. */
struct doca_gpu;

/** A DPA. There are none here. */
struct doca_dpa;

/** A buffer array. */
struct doca_buf_arr;

/** A buffer array as a GPU sees it. */
struct doca_gpu_buf_arr;

/**
 * Makes a buffer array over a memory map.
 *
 * @param mmap a memory map that has its range, started or not. It must outlive the array.
 * @param buf_arr receives the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a map without a range;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr);

/**
 * Would choose a GPU to use the array.
 *
 * @param buf_arr an array that is not started.
 * @param gpu_handler a GPU.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is started;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
                                         struct doca_gpu *gpu_handler);

/**
 * Says how the map is cut into buffers.
 *
 * @param buf_arr an array that is not started.
 * @param size length of each buffer in bytes, not 0.
 * @param num_elem how many, not 0.
 * @param start_offset offset of the first buffer from the start of the map, in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a zero, or buffers that do not fit into the map;
 *   DOCA_ERROR_BAD_STATE if the array is started.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size, uint32_t num_elem,
                                     uint32_t start_offset);

/**
 * Starts the array. An array starts once.
 *
 * @param buf_arr an array with its parameters, whose memory map is started.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the map is not started, or the parameters are not set;
 *   DOCA_ERROR_NOT_PERMITTED if it was started before;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; that an array without a target is for the CPU is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Stops the array. Stopping an array that is not started does nothing.
 *
 * @param buf_arr the array.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Destroys the array, in any state.
 *
 * @param buf_arr the array.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * Would return the array as a GPU sees it.
 *
 * @param buf_arr a started array.
 * @param gpu_buf_arr not written.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the array is not started;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
