// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Exports a text to the DPU, and writes the descriptor to a file.
//
//     exporter FILE

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 4096

static void must(doca_error_t error, const char *what)
{
    if (error == DOCA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, doca_error_get_descr(error));
    exit(EXIT_FAILURE);
}

// The first device that can export memory.
static struct doca_dev *open_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;

    must(doca_devinfo_create_list(&list, &n), "list of devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t can = 0;
        doca_mmap_cap_is_export_pci_supported(list[i], &can);
        if (can)
            must(doca_dev_open(list[i], &dev), "open");
    }
    must(doca_devinfo_destroy_list(list), "list of devices");
    if (!dev)
        must(DOCA_ERROR_NOT_FOUND, "a device that exports");
    return dev;
}

int main(int argc, char **argv)
{
    struct doca_mmap *map;
    const void *descriptor;
    size_t size;

    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    char *memory = aligned_alloc(ROOM, ROOM);
    if (!file || !memory)
        must(DOCA_ERROR_INVALID_VALUE, "exporter FILE");
    strcpy(memory, "Hello from the host");
    struct doca_dev *dev = open_device();

    must(doca_mmap_create(&map), "map");
    must(doca_mmap_add_dev(map, dev), "device of the map");
    must(doca_mmap_set_memrange(map, memory, ROOM), "range");
    must(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY),
         "permissions");
    must(doca_mmap_start(map), "start");
    must(doca_mmap_export_pci(map, dev, &descriptor, &size), "export");
    if (fwrite(descriptor, 1, size, file) != size || fclose(file) != 0)
        must(DOCA_ERROR_IO_FAILED, argv[1]);
    puts("exported");
    fflush(stdout);
    pause(); // the export lasts as long as this process
    return EXIT_SUCCESS;
}
