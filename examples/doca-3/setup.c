// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "setup.h"

#include <doca_dma.h>
#include <stdlib.h>

struct doca_dev *open_device(void)
{
    struct doca_devinfo **infos;
    struct doca_dev *dev = NULL;
    uint32_t n;

    must(doca_devinfo_create_list(&infos, &n), "cannot list the devices");
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_dma_cap_task_memcpy_is_supported(infos[i]) == DOCA_SUCCESS)
            must(doca_dev_open(infos[i], &dev), "cannot open the device");
    must(doca_devinfo_destroy_list(infos), "cannot free the list of devices");
    if (!dev)
        fail("no device has DMA");
    return dev;
}

void setup_open(struct setup *setup, size_t size, size_t n_buffers)
{
    *setup = (struct setup){.dev = open_device(), .memory = calloc(1, size), .size = size};
    if (!setup->memory)
        fail("no memory");
    must(doca_mmap_create(&setup->map), "cannot make a memory map");
    must(doca_mmap_set_memrange(setup->map, setup->memory, size), "cannot set the memory range");
    must(doca_mmap_set_permissions(setup->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
         "cannot set the permissions");
    must(doca_mmap_add_dev(setup->map, setup->dev), "cannot add the device to the map");
    must(doca_mmap_start(setup->map), "cannot start the memory map");
    must(doca_buf_inventory_create(n_buffers, &setup->inventory), "cannot make an inventory");
    must(doca_buf_inventory_start(setup->inventory), "cannot start the inventory");
}

void setup_close(struct setup *setup)
{
    must(doca_buf_inventory_destroy(setup->inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(setup->map), "cannot destroy the memory map");
    must(doca_dev_close(setup->dev), "cannot close the device");
    free(setup->memory);
}

struct doca_buf *full_buffer(struct setup *setup, size_t offset, size_t size)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_data(setup->inventory, setup->map, setup->memory + offset,
                                            size, &buf),
         "cannot make a source buffer");
    return buf;
}

struct doca_buf *empty_buffer(struct setup *setup, size_t offset, size_t size)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_addr(setup->inventory, setup->map, setup->memory + offset,
                                            size, &buf),
         "cannot make a destination buffer");
    return buf;
}
