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

#if GENERATION > 1
struct doca_dev *sf_open(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint32_t n;
    ck_assert_success(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_devinfo_get_iface_name(list[i], name, sizeof(name)) == DOCA_SUCCESS &&
            same(name, "p0s0"))
            ck_assert_success(doca_dev_open(list[i], &dev));
    ck_assert_success(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

struct doca_dev_rep *sf_rep_open(struct doca_dev *pf)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;
    ck_assert_success(doca_devinfo_rep_create_list(pf, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal = 0;
        ck_assert_success(doca_devinfo_rep_is_equal_pci_addr(list[i], DPU_P0, &equal));
        if (equal)
            ck_assert_success(doca_dev_rep_open(list[i], &rep));
    }
    ck_assert_success(doca_devinfo_rep_destroy_list(list));
    ck_assert_ptr_nonnull(rep);
    return rep;
}
#endif
