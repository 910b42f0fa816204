/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_buf_array.h
 * Arrays of buffers as 2.5 and 2.6 have them: made over a map, as in 2.2.
 *
 * All else is as in doca_buf_array.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_BUF_ARRAY_H_
#define DOCA_2_5_BUF_ARRAY_H_

#include "../doca-3/doca_buf_array.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A handle for DPA programs. */
struct doca_dpa_dev_buf_arr;

/**
 * Makes a buffer array over a memory map.
 *
 * @param mmap a memory map that has its range, started or not. It must outlive the array.
 * @param buf_arr receives the array.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a map without a range;
 *   DOCA_ERROR_NO_MEMORY if there is no memory.
 *
 * Source: table. Since: 2.2; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr);

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
 * Source: table. Since: 2.2; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size, uint32_t num_elem,
                                     uint32_t start_offset);

/**
 * The array's handle for programs of a DPA. There is no DPA here, so it is never possible.
 *
 * @param buf_arr the array.
 * @param dpa_buf_arr stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_dpa_dev_buf_arr **dpa_buf_arr)
    DOCA_2_5_SYMBOL(buf_arr_get_dpa_handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_BUF_ARRAY_H_ */
