// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lists of buffers: one DMA job gathers three pieces of memory and scatters them over two
// others.
//
//     DOCAD_SOCKET=dpu.sock dma_scatter_gather [-p DEVICE]
//
// The pieces lie in one memory map here, but they could belong to several.

#include "common/dma_setup.h"
#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM_PIECES 3
#define TO_PIECES   2

// Source pieces of different lengths with gaps between them, then room for the result.
struct memory {
    char from[FROM_PIECES][16];
    char gap[100];
    char to[TO_PIECES][16];
};

static const char *const words[FROM_PIECES] = {"scattered ", "and ", "gathered"};

// The data of a list of buffers counts as one: chaining puts a buffer behind a list.
static struct doca_buf *gather_list(struct dma_setup *setup, struct doca_mmap *map,
                                    struct memory *m)
{
    struct doca_buf *list = NULL;
    for (size_t i = 0; i < FROM_PIECES; i++) {
        struct doca_buf *piece;
        must(doca_buf_inventory_buf_by_data(setup->inventory, map, m->from[i], strlen(words[i]),
                                            &piece),
             "cannot make a source buffer");
        if (list)
            must(doca_buf_list_chain(list, piece), "cannot chain source buffers");
        else
            list = piece;
    }
    return list;
}

// Destinations are filled one after the other, each up to its length.
static struct doca_buf *scatter_list(struct dma_setup *setup, struct doca_mmap *map,
                                     struct memory *m)
{
    struct doca_buf *first, *second;
    must(doca_buf_inventory_buf_by_addr(setup->inventory, map, m->to[0], 10, &first),
         "cannot make a destination buffer");
    must(doca_buf_inventory_buf_by_addr(setup->inventory, map, m->to[1], 16, &second),
         "cannot make a destination buffer");
    must(doca_buf_list_chain(first, second), "cannot chain destination buffers");
    return first;
}

static void copy(struct dma_setup *setup, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = setup->ctx},
        .dst_buff = to,
        .src_buff = from,
    };
    run_job(setup->workq, &job.base);
}

static void print_list(struct doca_buf *list)
{
    for (int i = 0; list; i++) {
        void *data;
        size_t size;
        must(doca_buf_get_data(list, &data), "cannot get a buffer's data");
        must(doca_buf_get_data_len(list, &size), "cannot get a buffer's length");
        printf("piece %d: %zu bytes '%.*s'\n", i, size, (int)size, (char *)data);
        must(doca_buf_list_next(list, &list), "cannot follow the list");
    }
}

int main(int argc, char **argv)
{
    help_option(argc, argv, "[-p DEVICE]",
                "Copies lists of buffers by one DMA job. -p names a device by its PCI address, "
                "interface or InfiniBand device.");
    const char *device = device_option(argc, argv);
    struct memory *m = calloc(1, sizeof(*m));
    if (!m)
        fail("no memory");
    for (size_t i = 0; i < FROM_PIECES; i++)
        strcpy(m->from[i], words[i]);

    struct dma_setup setup;
    dma_setup(&setup, device, 1, FROM_PIECES + TO_PIECES, false);
    uint32_t longest;
    must(doca_dma_get_max_list_buf_num_elem(doca_dev_as_devinfo(setup.dev), &longest),
         "cannot ask the device");
    if (longest < FROM_PIECES)
        fail("the device takes lists of %u buffers only", longest);
    struct doca_mmap *map = map_local(&setup, m, sizeof(*m));

    struct doca_buf *from = gather_list(&setup, map, m);
    struct doca_buf *to = scatter_list(&setup, map, m);
    copy(&setup, from, to);
    print_list(to);

    // Giving the head back gives the list back.
    must(doca_buf_refcount_rm(from, NULL), "cannot give buffers back");
    must(doca_buf_refcount_rm(to, NULL), "cannot give buffers back");
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    dma_teardown(&setup);
    free(m);
    return EXIT_SUCCESS;
}
