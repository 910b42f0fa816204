// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A DOCA program that posts work requests of its own: it takes the protection domain of a DOCA
// device, makes queue pairs of rdma-core on it, and sends bytes of memory that DOCA has
// registered. It uses the key that DOCA gives for a buffer.
//
//     verbs_from_doca DEVICE          for example rxe0

#include "../common/example.h"
#include "../common/loopback.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

#include <stdio.h>
#include <string.h>

#define HALF 4096

static char memory[2 * HALF];

int main(int argc, char **argv)
{
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    struct doca_mmap *map;
    struct loopback loopback;
    struct ibv_pd *pd;
    uint32_t from_key, to_key;

    help_option(argc, argv, "DEVICE",
                "Sends DOCA's memory over queue pairs of rdma-core on a DOCA device, as rxe0.");
    if (argc != 2)
        fail("usage: verbs_from_doca DEVICE");
    struct doca_dev *dev = open_device(argv[1]);
    must(doca_dev_get_pd(dev, &pd), "the device has no protection domain");

    must(doca_mmap_create(NULL, &map), "no memory map");
    must(doca_mmap_set_memrange(map, memory, sizeof(memory)), "cannot set the range");
    must(doca_mmap_dev_add(map, dev), "cannot add the device");
    must(doca_mmap_start(map), "cannot register the memory");
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory), "no inventory");
    must(doca_buf_inventory_start(inventory), "cannot start the inventory");
    must(doca_buf_inventory_buf_by_addr(inventory, map, memory, HALF, &from), "no buffer");
    must(doca_buf_inventory_buf_by_addr(inventory, map, memory + HALF, HALF, &to), "no buffer");
    must(doca_buf_get_mkey(from, dev, &from_key), "no key of the source");
    must(doca_buf_get_mkey(to, dev, &to_key), "no key of the destination");

    strcpy(memory, "sent by ibv_post_send() from memory of DOCA");
    loopback_open(&loopback, pd);
    loopback_send(&loopback, memory, from_key, memory + HALF, to_key, HALF);
    loopback_close(&loopback);
    if (memcmp(memory, memory + HALF, HALF) != 0)
        fail("what arrived is not what was sent");
    printf("%s\n", memory + HALF);

    must(doca_buf_refcount_rm(from, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(to, NULL), "cannot give a buffer back");
    must(doca_buf_inventory_destroy(inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(map), "cannot destroy the map");
    must(doca_dev_close(dev), "cannot close the device");
    return 0;
}
