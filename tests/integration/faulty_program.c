// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program whose handling of errors is wrong: it ignores one, crashes after another, and hangs
// after a third. With an argument it is killed after the first. test_injected.c lets its calls
// fail.

#include <doca_buf_inventory.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argv;
    struct doca_pe *pe;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    if (doca_pe_create(&pe) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    if (doca_mmap_create(&map) != DOCA_SUCCESS)
        map = NULL; // and goes on
    if (!map && argc > 1)
        raise(SIGKILL);
    if (doca_buf_inventory_create(1, &inventory) != DOCA_SUCCESS)
        abort();
    if (doca_buf_inventory_start(inventory) != DOCA_SUCCESS)
        for (;;)
            pause();
    if (map && doca_mmap_destroy(map) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    return doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS &&
                   doca_pe_destroy(pe) == DOCA_SUCCESS
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
