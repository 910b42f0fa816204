// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program that reports each error, and destroys what it has made. With the argument "leaky" it
// forgets its map after one of them; with "buffers" it takes a buffer, too, without which neither
// the inventory nor the map can be destroyed. test_injected_sweep.c lets its calls fail.

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool leaky, has_buffers;
static doca_error_t first; // error

static bool fine(doca_error_t error)
{
    if (error != DOCA_SUCCESS && first == DOCA_SUCCESS)
        first = error;
    return error == DOCA_SUCCESS;
}

static void with_buffer(struct doca_mmap *map, struct doca_buf_inventory *inventory)
{
    static char memory[4096];
    struct doca_buf *buf;
    if (fine(doca_mmap_set_memrange(map, memory, sizeof(memory))) && fine(doca_mmap_start(map)) &&
        fine(doca_buf_inventory_buf_get_by_args(inventory, map, memory, 1, memory, 1, &buf)))
        fine(doca_buf_dec_refcount(buf, NULL));
}

static void with_map(struct doca_mmap *map)
{
    struct doca_buf_inventory *inventory;
    if (!fine(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)) ||
        !fine(doca_buf_inventory_create(1, &inventory)))
        return;
    if (fine(doca_buf_inventory_start(inventory))) {
        if (has_buffers)
            with_buffer(map, inventory);
        fine(doca_buf_inventory_stop(inventory));
    }
    fine(doca_buf_inventory_destroy(inventory));
}

int main(int argc, char **argv)
{
    struct doca_mmap *map;
    struct doca_pe *pe;
    has_buffers = argc > 1 && strcmp(argv[1], "buffers") == 0;
    leaky = argc > 1 && strcmp(argv[1], "leaky") == 0;
    if (!fine(doca_pe_create(&pe)))
        return EXIT_FAILURE;
    if (fine(doca_mmap_create(&map))) {
        with_map(map);
        if (!leaky || first != DOCA_ERROR_NO_MEMORY)
            fine(doca_mmap_destroy(map));
    }
    fine(doca_pe_destroy(pe));
    return first == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
