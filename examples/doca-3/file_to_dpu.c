// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A file from the host to the DPU, the host's part, with DOCA 3: it exports the bytes across PCI,
// and a sync event by which the DPU says that it has them.
//
//     DOCAD_SOCKET=host.sock file_to_dpu FILE DESCRIPTORS
//
// The two descriptors go into files that both sides see, DESCRIPTORS.map and DESCRIPTORS.event;
// they could go over any connection that the programs have. Then file_from_host runs on the DPU.

#include "../common/files.h"
#include "setup.h"

#include <doca_sync_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct doca_mmap *export_bytes(struct doca_dev *dev, const struct bytes *file,
                                      const char *name)
{
    struct doca_mmap *map;
    struct bytes desc;

    must(doca_mmap_create(&map), "cannot make a memory map");
    must(doca_mmap_set_memrange(map, file->data, file->size), "cannot set the memory range");
    must(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY),
         "cannot set the permissions");
    must(doca_mmap_add_dev(map, dev), "cannot add the device to the map");
    must(doca_mmap_start(map), "cannot start the memory map");
    must(doca_mmap_export_pci(map, dev, (const void **)&desc.data, &desc.size),
         "cannot export the memory map");
    write_file(name, ".map", &desc);
    return map;
}

// The DPU sets it, and this side waits.
static struct doca_sync_event *export_event(struct doca_dev *dev, const char *name)
{
    struct doca_sync_event *event;
    struct bytes desc;

    must(doca_sync_event_create(&event), "cannot make a sync event");
    must(doca_sync_event_add_publisher_location_remote_pci(event), "cannot set who publishes");
    must(doca_sync_event_add_subscriber_location_cpu(event, dev), "cannot set who subscribes");
    must(doca_sync_event_start(event), "cannot start the sync event");
    must(doca_sync_event_export_to_remote_pci(event, dev, (const uint8_t **)&desc.data, &desc.size),
         "cannot export the sync event");
    write_file(name, ".event", &desc);
    return event;
}

int main(int argc, char **argv)
{
    help_option(argc, argv, "FILE DESCRIPTORS",
                "Exports the bytes of FILE to the DPU until file_from_host has them.");
    if (argc != 3)
        fail("the arguments are a file, and a name for the files of the descriptors");
    struct bytes file = read_file(argv[1], "");
    if (file.size == 0)
        fail("%s is empty", argv[1]);
    struct doca_dev *dev = open_device();
    struct doca_sync_event *event = export_event(dev, argv[2]);
    struct doca_mmap *map = export_bytes(dev, &file, argv[2]);
    printf("exported %zu bytes\n", file.size);
    fflush(stdout);

    must(doca_sync_event_wait_neq(event, 0, UINT64_MAX), "cannot wait for the DPU");
    printf("the DPU has the file\n");
    must(doca_sync_event_stop(event), "cannot stop the sync event");
    must(doca_sync_event_destroy(event), "cannot destroy the sync event");
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    must(doca_dev_close(dev), "cannot close the device");
    free(file.data);
    return EXIT_SUCCESS;
}
