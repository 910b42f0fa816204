// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Inventories, which can grow, and buffers that are moved without being released.

#include "buf/inventory.h"
#include "core/refused.h"

#include <doca_buf_inventory.h>
#include <doca_mmap.h>

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
    struct errtext err;

    if (!inventory)
        return REFUSED_NULL(inventory);
    struct doca_buf_inventory *made = NULL;
    doca_error_t r = inventory_new(NULL, num_elements, 0, &made, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    made->allocator.doca_3 = true;
    *inventory = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data)
{
    if (!inventory)
        return REFUSED_NULL(inventory);
    if (inventory->allocator.started)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the inventory is started");
    inventory->allocator.user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
    struct errtext err;

    if (!inventory || !num_elements)
        return REFUSED_NULL(inventory, num_elements);
    return report(__func__, buf_allocator_grow(&inventory->allocator, num_elements, &err), &err);
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf)
{
    return inventory_take(__func__, inventory, mmap, addr, len, data, data_len, buf);
}

// Points a buffer of an inventory at other bytes of its map. Its list and references stay.
static inline doca_error_t reuse(const char *function, struct doca_buf *buf, void *addr, size_t len,
                                 size_t data_len)
{
    if (__builtin_expect(!buf_is_out(buf) || !addr, 0))
        return refused(function, "the buffer is NULL or was given back, or the address is NULL");
    if (__builtin_expect(buf->allocator->fixed, 0))
        return refused(function, "the buffer is of a pool, whose buffers keep their places");
    if (__builtin_expect(!memory_holds(buf->memory, addr, len), 0)) {
        doca_error_t r = inventory_check_chunks(function, buf->mmap, addr, len);
        if (r != DOCA_SUCCESS)
            return r;
    }
    buf->generation++;
    buf_place_early(buf, buf->mmap, addr, len, addr, data_len);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
    return reuse(__func__, buf, addr, len, 0);
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
    return reuse(__func__, buf, data, data_len, data_len);
}
