// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers and inventories of the 1.3 interface.

#include "buf/inventory.h"
#include "cleanup.h"
#include "compat13/compat13.h"
#include "compat13/property.h"

doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head)
{
    return doca_buf_get_head(buf, (void **)head);
}

doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len)
{
    return doca_buf_get_len(buf, len);
}

doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount)
{
    return doca_buf_get_refcount(buf, refcount);
}

doca_error_t doca_1_3_buf_inventory_create(const char *name, size_t num_elements,
                                           uint32_t extensions,
                                           struct doca_buf_inventory **buf_inventory)
{
    static const char function[] = "doca_buf_inventory_create";
    struct doca_buf_inventory *made;

    if (!buf_inventory)
        return REFUSED_NULL_OF(function, buf_inventory);
    cleanup_free char *copy = name ? strndup(name, DOCA_PROPERTY_NAME_SIZE - 1) : NULL;
    if (name && !copy)
        return report(function, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t r = doca_buf_inventory_create(NULL, num_elements, extensions, &made);
    if (r != DOCA_SUCCESS)
        return r;
    inventory_allocator(made)->name = steal_ptr(copy);
    *buf_inventory = made;
    return DOCA_SUCCESS;
}

static bool is_property(enum doca_buf_inventory_property property)
{
    return (unsigned)property <= DOCA_BUF_INVENTORY_EXTENSIONS;
}

doca_error_t doca_buf_inventory_property_set(struct doca_buf_inventory *inventory,
                                             enum doca_buf_inventory_property property,
                                             const uint8_t *value, uint32_t size)
{
    (void)size;
    if (!inventory || !value)
        return REFUSED_NULL(inventory, value);
    return is_property(property) ? property_read_only(__func__) : property_unknown(__func__);
}

doca_error_t doca_buf_inventory_property_get(struct doca_buf_inventory *inventory,
                                             enum doca_buf_inventory_property property,
                                             uint8_t *value, uint32_t size)
{
    if (!inventory || !value)
        return REFUSED_NULL(inventory, value);
    const struct buf_allocator *allocator = inventory_allocator(inventory);
    switch (property) {
    case DOCA_BUF_INVENTORY_NAME:
        return property_give_text(__func__, allocator->name, DOCA_PROPERTY_NAME_SIZE, value, size);
    case DOCA_BUF_INVENTORY_NUM_ELEMENTS:
        return property_give(__func__, &allocator->total, sizeof(uint32_t), value, size);
    case DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS:
        return property_give(__func__, &allocator->n_free, sizeof(uint32_t), value, size);
    case DOCA_BUF_INVENTORY_EXTENSIONS:
        return property_give(__func__, &allocator->extensions, sizeof(uint32_t), value, size);
    }
    return property_unknown(__func__);
}

doca_error_t doca_1_3_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, char *addr, size_t len,
                                                struct doca_buf **buf)
{
    return doca_buf_inventory_buf_by_args(inventory, mmap, addr, len, addr, 0, buf);
}
