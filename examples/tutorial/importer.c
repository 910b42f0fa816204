// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Imports memory whose descriptor is in a file, copies it by DMA, and
// prints it.
//
//     importer FILE

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void must(doca_error_t error, const char *what)
{
    if (error == DOCA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, doca_error_get_descr(error));
    exit(EXIT_FAILURE);
}

// The first device that can import memory and copy it.
static struct doca_dev *open_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;

    must(doca_devinfo_create_list(&list, &n), "list of devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t can = 0;
        doca_mmap_cap_is_create_from_export_pci_supported(list[i], &can);
        if (can && doca_dma_cap_task_memcpy_is_supported(list[i]) ==
                       DOCA_SUCCESS)
            must(doca_dev_open(list[i], &dev), "open");
    }
    must(doca_devinfo_destroy_list(list), "list of devices");
    if (!dev)
        must(DOCA_ERROR_NOT_FOUND, "a device that imports");
    return dev;
}

static struct doca_mmap *import_from(const char *path,
                                     struct doca_dev *dev)
{
    unsigned char descriptor[1024];
    struct doca_mmap *map;

    FILE *file = fopen(path, "r");
    if (!file)
        must(DOCA_ERROR_NOT_FOUND, path);
    size_t size = fread(descriptor, 1, sizeof(descriptor), file);
    fclose(file);
    must(doca_mmap_create_from_export(NULL, descriptor, size, dev, &map),
         "import");
    return map;
}

static struct doca_mmap *map_of(void *memory, size_t size,
                                struct doca_dev *dev)
{
    struct doca_mmap *map;

    must(doca_mmap_create(&map), "map");
    must(doca_mmap_add_dev(map, dev), "device of the map");
    must(doca_mmap_set_memrange(map, memory, size), "range");
    must(doca_mmap_set_permissions(map,
                                   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
         "permissions");
    must(doca_mmap_start(map), "start");
    return map;
}

// Both callbacks of the task: of success and of failure.
static void ended(struct doca_dma_task_memcpy *task,
                  union doca_data task_data, union doca_data ctx_data)
{
    (void)task_data;
    must(doca_task_get_status(doca_dma_task_memcpy_as_task(task)),
         "copy");
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    *(bool *)ctx_data.ptr = true;
}

static void copy(struct doca_dev *dev, struct doca_buf *from,
                 struct doca_buf *to)
{
    union doca_data none = {0}, data;
    struct doca_dma_task_memcpy *task;
    struct doca_dma *dma;
    struct doca_pe *pe;
    bool done = false;

    data.ptr = &done;
    must(doca_pe_create(&pe), "progress engine");
    must(doca_dma_create(dev, &dma), "DMA");
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    must(doca_dma_task_memcpy_set_conf(dma, ended, ended, 1), "tasks");
    must(doca_ctx_set_user_data(ctx, data), "user data");
    must(doca_pe_connect_ctx(pe, ctx), "connect to the engine");
    must(doca_ctx_start(ctx), "start");

    must(doca_dma_task_memcpy_alloc_init(dma, from, to, none, &task),
         "task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "submit");
    while (!done)
        (void)doca_pe_progress(pe);

    must(doca_ctx_stop(ctx), "stop");
    must(doca_dma_destroy(dma), "DMA");
    must(doca_pe_destroy(pe), "progress engine");
}

int main(int argc, char **argv)
{
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    void *there;
    size_t size;

    if (argc != 2)
        must(DOCA_ERROR_INVALID_VALUE, "importer FILE");
    struct doca_dev *dev = open_device();
    struct doca_mmap *theirs = import_from(argv[1], dev);
    must(doca_mmap_get_memrange(theirs, &there, &size), "range");
    char *memory = calloc(1, size);
    if (!memory)
        must(DOCA_ERROR_NO_MEMORY, "memory");
    struct doca_mmap *ours = map_of(memory, size, dev);

    must(doca_buf_inventory_create(2, &inventory), "inventory");
    must(doca_buf_inventory_start(inventory), "inventory");
    // One that is full, and one that is empty.
    must(doca_buf_inventory_buf_get_by_data(inventory, theirs, there,
                                            size, &from),
         "source");
    must(doca_buf_inventory_buf_get_by_addr(inventory, ours, memory,
                                            size, &to),
         "destination");
    copy(dev, from, to);
    printf("%.*s\n", (int)size, memory);

    must(doca_buf_dec_refcount(from, NULL), "source");
    must(doca_buf_dec_refcount(to, NULL), "destination");
    must(doca_buf_inventory_destroy(inventory), "inventory");
    must(doca_mmap_destroy(theirs), "map");
    must(doca_mmap_destroy(ours), "map");
    must(doca_dev_close(dev), "device");
    free(memory);
    return EXIT_SUCCESS;
}
