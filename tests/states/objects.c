// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "objects.h"

struct doca_mmap *map_new(struct doca_dev *dev, void *addr, size_t size, bool started)
{
    struct doca_mmap *mmap;
    BEFORE_3(ck_assert_success(doca_mmap_create(NULL, &mmap));)
    OF_3(ck_assert_success(doca_mmap_create(&mmap));)
    OF_1_5(ck_assert_success(doca_mmap_start(mmap));)
    if (dev)
        ck_assert_success(doca_mmap_add_dev(mmap, dev));
    if (addr) {
        OF_1_5(ck_assert_success(doca_mmap_populate(mmap, addr, size, 4096, NULL, NULL));)
        SINCE_2_2(ck_assert_success(doca_mmap_set_memrange(mmap, addr, size));)
    }
    if (started && EACH(false, true, true))
        ck_assert_success(doca_mmap_start(mmap));
    return mmap;
}

struct doca_buf_inventory *inventory_new(uint32_t elements)
{
    const union doca_data data = {.u64 = 78};
    struct doca_buf_inventory *inventory;
    BEFORE_3(ck_assert_success(doca_buf_inventory_create(
        &data, elements, EACH(DOCA_BUF_EXTENSION_LINKED_LIST, 0, 0), &inventory));)
    OF_3(ck_assert_success(doca_buf_inventory_create(elements, &inventory));)
    OF_3(ck_assert_success(doca_buf_inventory_set_user_data(inventory, data));)
    return inventory;
}

struct doca_dma *dma_new(struct doca_dev *dev)
{
    struct doca_dma *dma;
    OF_3(ck_assert_success(doca_dma_create(dev, &dma));)
    BEFORE_3(ck_assert_success(doca_dma_create(&dma));)
    BEFORE_3(ck_assert_success(doca_ctx_dev_add(doca_dma_as_ctx(dma), dev));)
    return dma;
}
