// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_buf_inventory: buffers that may each point anywhere.

#include "buf_home.h"
#include "cleanup.h"
#include "core/refused.h"

#include <doca_buf_inventory.h>

struct doca_buf_inventory {
    struct buf_home home;
};

struct buf_home *inventory_home(struct doca_buf_inventory *inventory)
{
    return &inventory->home;
}

doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
                                       uint32_t extensions,
                                       struct doca_buf_inventory **buf_inventory)
{
    struct errtext err;

    if (!buf_inventory)
        return REFUSED_NULL(buf_inventory);
    cleanup_free struct doca_buf_inventory *inventory = calloc(1, sizeof(*inventory));
    if (!inventory)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t r = buf_home_init(&inventory->home, user_data, num_elements, extensions, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    *buf_inventory = steal_ptr(inventory);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
    struct errtext err;

    if (!inventory)
        return REFUSED_NULL(inventory);
    if (buf_home_busy(&inventory->home))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "%u of %u buffers are out; give them back first",
                                  inventory->home.total - inventory->home.n_free,
                                  inventory->home.total),
                      &err);
    buf_home_fini(&inventory->home);
    free(inventory);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
    if (!inventory)
        return REFUSED_NULL(inventory);
    inventory->home.started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
    if (!inventory)
        return REFUSED_NULL(inventory);
    inventory->home.started = false;
    return DOCA_SUCCESS;
}

static doca_error_t all_out(const char *function)
{
    return report_often(function, DOCA_ERROR_NO_MEMORY,
                        "all buffers of the inventory are out; give some back first, or make "
                        "a larger inventory");
}

static inline bool in_range(const struct memory *memory, const void *addr, size_t len)
{
    uintptr_t offset = (uintptr_t)addr - memory->start;
    return offset < memory->length && len && len <= memory->length - offset;
}

// This is out of line too: the text's buffer is not in the frame of a call that succeeds.
__attribute__((noinline)) static doca_error_t check_chunks(const struct doca_mmap *mmap,
                                                           const void *addr, size_t len)
{
    struct errtext err;
    const struct memory *memory = mmap_memory(mmap);

    if (len && mmap_has_chunk(mmap, (uintptr_t)addr, len))
        return DOCA_SUCCESS;
    return report("doca_buf_inventory_buf_by_args",
                  errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                              "%zu bytes at %p are not within the map's %zu bytes at %p", len, addr,
                              memory->length, (void *)memory->start),
                  &err);
}

// Out of line, too: most programs start their maps first.
__attribute__((noinline, cold)) static doca_error_t
take_early(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr, size_t len,
           void *data, size_t data_len, struct doca_buf **buf)
{
    static const char function[] = "doca_buf_inventory_buf_by_args";

    if (!mmap_takes_early(mmap))
        return refused(function, "the memory map is not started, and has no range yet");
    if (!in_range(mmap_memory(mmap), addr, len)) {
        doca_error_t r = check_chunks(mmap, addr, len);
        if (r != DOCA_SUCCESS)
            return r;
    }
    struct doca_buf *taken = buf_home_take(&inventory->home, mmap);
    if (!taken)
        return all_out(function);
    buf_place_early(taken, mmap, addr, len, data, data_len);
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            void *data, size_t data_len, struct doca_buf **buf)
{
    if (__builtin_expect(!inventory || !mmap || !addr || !buf, 0))
        return REFUSED_NULL(inventory, mmap, addr, buf);
    if (__builtin_expect(!inventory->home.started, 0))
        return refused(__func__, "the inventory is not started");
    if (__builtin_expect(!mmap_usable(mmap), 0))
        return take_early(inventory, mmap, addr, len, data, data_len, buf);
    if (!in_range(mmap_memory(mmap), addr, len)) {
        doca_error_t r = check_chunks(mmap, addr, len);
        if (r != DOCA_SUCCESS)
            return r;
    }
    struct doca_buf *taken = buf_home_take(&inventory->home, mmap);
    if (__builtin_expect(!taken, 0))
        return all_out(__func__);
    buf_place(taken, mmap, addr, len, data, data_len);
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
    struct errtext err;

    if (!inventory || !src_buf || !dst_buf)
        return REFUSED_NULL(inventory, src_buf, dst_buf);
    if (!src_buf->refcount)
        return refused(__func__, "the buffer was given back");
    if (!inventory->home.started || !src_buf->home->started ||
        inventory->home.extensions != src_buf->home->extensions)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "both inventories must be started and have the same extensions"),
                      &err);
    if (!mmap_usable(src_buf->mmap) && !mmap_takes_early(src_buf->mmap))
        return refused(__func__, "the buffer's memory map is stopped");
    struct doca_buf *taken = buf_home_take(&inventory->home, src_buf->mmap);
    if (!taken)
        return all_out(__func__);
    buf_place_early(taken, src_buf->mmap, src_buf->head, src_buf->len, src_buf->data,
                    src_buf->data_len);
    *dst_buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements)
{
    if (!inventory || !num_of_elements)
        return REFUSED_NULL(inventory, num_of_elements);
    *num_of_elements = inventory->home.total;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements)
{
    if (!inventory || !num_of_free_elements)
        return REFUSED_NULL(inventory, num_of_free_elements);
    *num_of_free_elements = inventory->home.n_free;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data *user_data)
{
    if (!inventory || !user_data)
        return REFUSED_NULL(inventory, user_data);
    *user_data = inventory->home.user_data;
    return DOCA_SUCCESS;
}
