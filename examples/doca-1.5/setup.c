// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "setup.h"

#include <doca_dma.h>
#include <stdio.h>

// Programs written for 1.5 compare the address as one number.
static uint16_t read_address(const char *text)
{
    struct doca_pci_bdf bdf = {{0}};
    unsigned bus, device, function;
    if (sscanf(text, "%2x:%2x.%1x", &bus, &device, &function) != 3 ||
        device >= PCI_DEVICE_MAX_VALUE || function >= PCI_FUNCTION_MAX_VALUE)
        fail("'%s' is not a PCI address: write 0b:00.0", text);
    bdf.bus = bus & 0xff;
    bdf.device = device & 0x1f;
    bdf.function = function & 7;
    return bdf.raw;
}

static int is_wanted(struct doca_devinfo *info, const char *pci_address)
{
    struct doca_pci_bdf bdf;
    if (doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY) != DOCA_SUCCESS)
        return 0;
    must(doca_devinfo_get_pci_addr(info, &bdf), "cannot get a device's address");
    return !pci_address || bdf.raw == read_address(pci_address);
}

struct doca_dev *open_device(const char *pci_address)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    must(doca_devinfo_list_create(&list, &n), "cannot list devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        if (is_wanted(list[i], pci_address))
            must(doca_dev_open(list[i], &dev), "cannot open the device");
    }
    must(doca_devinfo_list_destroy(list), "cannot free the list of devices");
    if (!dev)
        fail("there is no device %s here", pci_address ? pci_address : "for DMA");
    return dev;
}

struct doca_mmap *open_map(struct doca_dev *dev, void *memory, size_t size)
{
    struct doca_mmap *map;
    must(doca_mmap_create(NULL, &map), "cannot make a memory map");
    must(doca_mmap_set_max_num_chunks(map, 1), "cannot say how many ranges there will be");
    must(doca_mmap_start(map), "cannot start the memory map");
    must(doca_mmap_dev_add(map, dev), "cannot add the device to the map");
    must(doca_mmap_populate(map, memory, size, PAGE, NULL, NULL), "cannot add memory to the map");
    return map;
}
