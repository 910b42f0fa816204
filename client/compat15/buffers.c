// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers and inventories of the 1.5 interface: lists are an extension of the inventory, and the
// call that is given a wrong value reports it.

#include "buf/inventory.h"
#include "compat15/compat15.h"
#include "core/refused.h"

#include <doca_rdma_bridge.h>
#include <doca_types.h>

// The same values as in include/doca-1.5: the extension of inventories, and the flags for a key.
#define EXTENSION_LINKED_LIST 1u
#define KEY_FLAGS_LOCAL       1u
#define KEY_FLAGS_REMOTE      (2u | 4u | 8u)

// ---- inventories -----------------------------------------------------------------------

doca_error_t doca_1_5_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
                                           uint32_t extensions,
                                           struct doca_buf_inventory **buf_inventory)
{
    static const char function[] = "doca_buf_inventory_create";
    struct doca_buf_inventory *made;

    if (!buf_inventory)
        return REFUSED_NULL_OF(function, buf_inventory);
    // The later function refuses unknown extensions.
    doca_error_t r = doca_buf_inventory_create(user_data, num_elements,
                                               extensions & ~EXTENSION_LINKED_LIST, &made);
    if (r != DOCA_SUCCESS)
        return r;
    inventory_allocator(made)->extensions = extensions;
    *buf_inventory = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_list_supported(struct doca_buf_inventory *inventory,
                                                   uint8_t *list_supported)
{
    if (!inventory || !list_supported)
        return REFUSED_NULL(inventory, list_supported);
    *list_supported = (inventory_allocator(inventory)->extensions & EXTENSION_LINKED_LIST) != 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_1_5_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf)
{
    static const char function[] = "doca_buf_inventory_buf_by_args";
    struct errtext err;

    if (!inventory || !mmap || !addr || !buf)
        return REFUSED_NULL_OF(function, inventory, mmap, addr, buf);
    if (!inventory_allocator(inventory)->started || !mmap_usable(mmap))
        return report(function,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "the %s is not started",
                                  mmap_usable(mmap) ? "inventory" : "memory map"),
                      &err);
    return doca_buf_inventory_buf_by_args(inventory, mmap, addr, len, data, data_len, buf);
}

// ---- buffers ---------------------------------------------------------------------------

doca_error_t doca_1_5_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
    static const char function[] = "doca_buf_set_data";
    struct errtext err;

    if (!buf || !data)
        return REFUSED_NULL_OF(function, buf, data);
    size_t before = (size_t)((uint8_t *)data - buf->head);
    if (buf->refcount && (before > buf->len || data_len > buf->len - before))
        return report(function,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "%zu bytes of data at %p are outside the buffer's %zu bytes at "
                                  "%p",
                                  data_len, data, buf->len, (void *)buf->head),
                      &err);
    return doca_buf_set_data(buf, data, data_len);
}

static doca_error_t must_have_lists(const char *function, const struct doca_buf *a,
                                    const struct doca_buf *b)
{
    struct errtext err;

    // If a buffer is missing or was released, the later function reports it.
    if (!a || !b || !a->refcount || !b->refcount ||
        (a->allocator->extensions & b->allocator->extensions & EXTENSION_LINKED_LIST))
        return DOCA_SUCCESS;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                              "a buffer's inventory was made without "
                              "DOCA_BUF_EXTENSION_LINKED_LIST"),
                  &err);
}

doca_error_t doca_1_5_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2)
{
    doca_error_t r = must_have_lists("doca_buf_list_chain", list1, list2);
    return r == DOCA_SUCCESS ? doca_buf_list_chain(list1, list2) : r;
}

doca_error_t doca_1_5_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2)
{
    doca_error_t r = must_have_lists("doca_buf_list_unchain", list1, list2);
    return r == DOCA_SUCCESS ? doca_buf_list_unchain(list1, list2) : r;
}

// ---- keys ------------------------------------------------------------------------------

doca_error_t doca_buf_get_lkey(const struct doca_buf *buf, struct doca_dev *dev,
                               uint32_t doca_access_flags, uint32_t *lkey)
{
    struct errtext err;

    if (!buf || !dev || !lkey)
        return REFUSED_NULL(buf, dev, lkey);
    if (doca_access_flags & ~(KEY_FLAGS_LOCAL | KEY_FLAGS_REMOTE))
        return refused(__func__, "the flags have bits that are not in enum doca_access_flags");
    if (doca_access_flags & KEY_FLAGS_REMOTE)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                                  "a map's local key does not let others in over RDMA"),
                      &err);
    return doca_buf_get_mkey(buf, dev, lkey);
}
