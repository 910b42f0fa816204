// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_buf_arr: an array of buffers for processors of a card, which docad does not have. It can be
// configured, and its settings are checked.

#include "buf_array.h"

#include "core/refused.h"

#include <doca_buf_array.h>
#include <doca_mmap.h>
#include <stdlib.h>

static doca_error_t fail(const char *function, doca_error_t code, const char *why)
{
    struct errtext err;
    return report(function, errtext_set(&err, code, "%s", why), &err);
}

doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
{
    void *start;
    size_t length;

    if (!mmap || !buf_arr)
        return REFUSED_NULL(mmap, buf_arr);
    if (doca_mmap_get_memrange(mmap, &start, &length) != DOCA_SUCCESS)
        return DOCA_ERROR_INVALID_VALUE; // no range yet, reported in doca_mmap_get_memrange()
    struct doca_buf_arr *arr = calloc(1, sizeof(*arr));
    if (!arr)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    arr->mmap = mmap;
    arr->length = length;
    alive_begin(&arr->alive);
    *buf_arr = arr;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
    if (!buf_arr || !gpu_handler)
        return REFUSED_NULL(buf_arr, gpu_handler);
    if (buf_arr->state == ARR_STARTED)
        return fail(__func__, DOCA_ERROR_BAD_STATE, "the array is started");
    return fail(__func__, DOCA_ERROR_NOT_SUPPORTED, "there are no GPUs here");
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size, uint32_t num_elem,
                                     uint32_t start_offset)
{
    if (!buf_arr)
        return REFUSED_NULL(buf_arr);
    if (buf_arr->state == ARR_STARTED)
        return fail(__func__, DOCA_ERROR_BAD_STATE, "the array is started");
    if (!size || !num_elem)
        return refused(__func__, "element size and number must not be 0");
    if (!buf_arr_fits(buf_arr->length, size, num_elem, start_offset))
        return refused(__func__, "the elements do not fit into the memory map");
    buf_arr->size = size;
    buf_arr->num_elem = num_elem;
    buf_arr->start_offset = start_offset;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
    if (!buf_arr)
        return REFUSED_NULL(buf_arr);
    if (buf_arr->state != ARR_NEW)
        return fail(__func__, buf_arr->doca_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_NOT_PERMITTED,
                    "an array can start only once");
    if (!buf_arr->size)
        return fail(__func__, DOCA_ERROR_BAD_STATE,
                    "element size and number are not set; call doca_buf_arr_set_params()");
    if (!mmap_usable(buf_arr->mmap))
        return fail(__func__, DOCA_ERROR_BAD_STATE, "the memory map is not started");
    buf_arr->state = ARR_STARTED;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
    if (!buf_arr)
        return REFUSED_NULL(buf_arr);
    if (buf_arr->state == ARR_STARTED)
        buf_arr->state = ARR_STOPPED;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
    if (!buf_arr)
        return REFUSED_NULL(buf_arr);
    if (!alive_now(&buf_arr->alive))
        return refused(__func__, ENDED_ALREADY);
    alive_end(&buf_arr->alive);
    free(buf_arr);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr)
{
    if (!buf_arr || !gpu_buf_arr)
        return REFUSED_NULL(buf_arr, gpu_buf_arr);
    if (buf_arr->state != ARR_STARTED)
        return fail(__func__, DOCA_ERROR_BAD_STATE, "the array is not started");
    return fail(__func__, DOCA_ERROR_NOT_SUPPORTED, "there are no GPUs here");
}
