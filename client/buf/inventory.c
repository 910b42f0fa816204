// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_buf_inventory: buffers that may each point anywhere.

#include "inventory.h"

#include "cleanup.h"
#include "core/refused.h"
#include "plural.h"

#include <doca_buf_inventory.h>

doca_error_t inventory_new(const union doca_data *user_data, size_t num_elements,
                           uint32_t extensions, struct doca_buf_inventory **out,
                           struct errtext *err)
{
    cleanup_free struct doca_buf_inventory *inventory = calloc(1, sizeof(*inventory));
    if (!inventory)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for an inventory");
    doca_error_t r =
        buf_allocator_init(&inventory->allocator, user_data, num_elements, extensions, err);
    if (r != DOCA_SUCCESS)
        return r;
    alive_begin(&inventory->alive);
    *out = steal_ptr(inventory);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
                                       uint32_t extensions,
                                       struct doca_buf_inventory **buf_inventory)
{
    struct errtext err;

    if (!buf_inventory)
        return REFUSED_NULL(buf_inventory);
    return report(__func__, inventory_new(user_data, num_elements, extensions, buf_inventory, &err),
                  &err);
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
    struct errtext err;

    if (!inventory)
        return REFUSED_NULL(inventory);
    if (!alive_now(&inventory->alive))
        return refused(__func__, ENDED_ALREADY);
    if (buf_allocator_busy(&inventory->allocator))
        return report(
            __func__,
            errtext_set(&err,
                        inventory->allocator.doca_3 ? DOCA_ERROR_IN_USE : DOCA_ERROR_NOT_PERMITTED,
                        "%u of %u buffer%s %s in use; release them first",
                        inventory->allocator.total - inventory->allocator.n_free,
                        inventory->allocator.total, PLURAL(inventory->allocator.total),
                        IS_ARE(inventory->allocator.total - inventory->allocator.n_free)),
            &err);
    buf_allocator_fini(&inventory->allocator);
    alive_end(&inventory->alive);
    free(inventory);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
    if (!inventory)
        return REFUSED_NULL(inventory);
    inventory->allocator.started = true;
    inventory->allocator.stopped = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
    if (!inventory)
        return REFUSED_NULL(inventory);
    inventory->allocator.started = false;
    inventory->allocator.stopped = true;
    return DOCA_SUCCESS;
}

doca_error_t inventory_all_out(const char *function)
{
    return report_often(function, DOCA_ERROR_NO_MEMORY,
                        "all buffers of the inventory are in use; release some first, or make "
                        "a larger inventory");
}

doca_error_t inventory_check_chunks(const char *function, const struct doca_mmap *mmap,
                                    const void *addr, size_t len)
{
    struct errtext err;
    const struct memory *memory = mmap_memory(mmap);

    if (len && mmap_has_chunk(mmap, (uintptr_t)addr, len))
        return DOCA_SUCCESS;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                              "%zu bytes at %p are not within the map's %zu bytes at %p", len, addr,
                              memory->length, (void *)memory->start),
                  &err);
}

doca_error_t inventory_take_early(const char *function, struct doca_buf_inventory *inventory,
                                  struct doca_mmap *mmap, void *addr, size_t len, void *data,
                                  size_t data_len, struct doca_buf **buf)
{
    if (!inventory || !mmap || !addr || !buf)
        return REFUSED_NULL_OF(function, inventory, mmap, addr, buf);
    if (!buf_allocator_is_usable(&inventory->allocator))
        return refused(function, "the inventory is not started; doca_buf_inventory_start() comes "
                                 "before its first buffer");
    if (!mmap_usable(mmap) && !mmap_takes_early(mmap))
        return refused(function, "the memory map is not started, and has no range yet");
    if (!memory_holds(mmap_memory(mmap), addr, len)) {
        doca_error_t r = inventory_check_chunks(function, mmap, addr, len);
        if (r != DOCA_SUCCESS)
            return r;
    }
    struct doca_buf *taken = buf_allocator_take(&inventory->allocator, mmap);
    if (!taken)
        return inventory_all_out(function);
    buf_place_early(taken, mmap, addr, len, data, data_len);
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            void *data, size_t data_len, struct doca_buf **buf)
{
    return inventory_take(__func__, inventory, mmap, addr, len, data, data_len, buf);
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
    struct errtext err;

    if (!inventory || !src_buf || !dst_buf)
        return REFUSED_NULL(inventory, src_buf, dst_buf);
    if (!src_buf->refcount)
        return refused(__func__, "the buffer was given back");
    if (!buf_allocator_is_usable(&inventory->allocator) ||
        !buf_allocator_is_usable(src_buf->allocator) ||
        inventory->allocator.extensions != src_buf->allocator->extensions)
        return report(__func__,
                      errtext_set(&err,
                                  inventory->allocator.doca_3 ? DOCA_ERROR_BAD_STATE
                                                              : DOCA_ERROR_NOT_PERMITTED,
                                  "both inventories must be started and have the same extensions"),
                      &err);
    if (inventory->allocator.doca_3 && src_buf->prev)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the buffer is in a list and not its head");
    if (!mmap_usable(src_buf->mmap) && !mmap_takes_early(src_buf->mmap))
        return report_why(
            __func__, inventory->allocator.doca_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE,
            "the buffer's memory map is stopped");
    struct doca_buf *taken = buf_allocator_take(&inventory->allocator, src_buf->mmap);
    if (!taken)
        return inventory_all_out(__func__);
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
    *num_of_elements = inventory->allocator.total;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements)
{
    if (!inventory || !num_of_free_elements)
        return REFUSED_NULL(inventory, num_of_free_elements);
    *num_of_free_elements = inventory->allocator.n_free;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data *user_data)
{
    if (!inventory || !user_data)
        return REFUSED_NULL(inventory, user_data);
    *user_data = inventory->allocator.user_data;
    return DOCA_SUCCESS;
}
