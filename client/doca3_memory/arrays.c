// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Arrays of buffers: DOCA 3 gives the map later, and the number of elements first.

#include "buf/buf_array.h"
#include "core/refused.h"

#include <doca_buf_array.h>
#include <doca_mmap.h>
#include <stdlib.h>

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
    if (!num_elem || !buf_arr)
        return REFUSED_NULL(num_elem, buf_arr);
    struct doca_buf_arr *arr = calloc(1, sizeof(*arr));
    if (!arr)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    arr->doca_3 = true;
    arr->num_elem = num_elem;
    alive_begin(&arr->alive);
    *buf_arr = arr;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset)
{
    void *start;
    size_t length;

    if (!buf_arr || !mmap || !elem_size)
        return REFUSED_NULL(buf_arr, mmap, elem_size);
    if (buf_arr->state == ARR_STARTED)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the array is started");
    if (doca_mmap_get_memrange(mmap, &start, &length) != DOCA_SUCCESS)
        return DOCA_ERROR_INVALID_VALUE; // no range yet, reported in doca_mmap_get_memrange()
    if (!buf_arr_fits(length, elem_size, buf_arr->num_elem, start_offset))
        return refused(__func__, "the elements do not fit into the memory map");
    buf_arr->mmap = mmap;
    buf_arr->length = length;
    buf_arr->size = elem_size;
    buf_arr->start_offset = start_offset;
    return DOCA_SUCCESS;
}

// ---- the DPA -----------------------------------------------------------------------------

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
    if (!buf_arr || !dpa_handler)
        return REFUSED_NULL(buf_arr, dpa_handler);
    if (buf_arr->state == ARR_STARTED)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the array is started");
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, "there is no DPA here");
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
    if (!buf_arr || !dpa_buf_arr)
        return REFUSED_NULL(buf_arr, dpa_buf_arr);
    if (buf_arr->state != ARR_STARTED)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the array is not started");
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, "there is no DPA here");
}
