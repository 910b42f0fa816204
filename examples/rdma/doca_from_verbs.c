// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of rdma-core that comes to use DOCA: it has opened a device and made a protection
// domain by itself. It makes a DOCA device from that domain and lets DOCA register its memory.
// The keys are valid for its own queue pairs. No docad is needed for this.
//
//     doca_from_verbs DEVICE          for example rxe0

#include "../common/example.h"
#include "../common/loopback.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HALF 4096

static char memory[2 * HALF];

static struct ibv_context *open_by_name(const char *name)
{
    struct ibv_context *context = NULL;
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);

    for (int i = 0; list && i < n && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    if (!context)
        fail("cannot open %s", name);
    return context;
}

// The key of a part of the memory.
static uint32_t key_of(struct doca_buf_inventory *inventory, struct doca_mmap *map,
                       struct doca_dev *dev, char *at)
{
    struct doca_buf *buf;
    uint32_t key;

    must(doca_buf_inventory_buf_by_addr(inventory, map, at, HALF, &buf), "no buffer");
    must(doca_buf_get_mkey(buf, dev, &key), "no key");
    must(doca_buf_refcount_rm(buf, NULL), "cannot give a buffer back");
    return key;
}

int main(int argc, char **argv)
{
    struct doca_buf_inventory *inventory;
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct loopback loopback;

    help_option(
        argc, argv, "DEVICE",
        "Sends memory that DOCA registered for a protection domain of rdma-core, as on rxe0.");
    if (argc != 2)
        fail("usage: doca_from_verbs DEVICE");
    struct ibv_context *context = open_by_name(argv[1]);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    if (!pd)
        fail("no protection domain: %s", strerror(errno));
    must(doca_dev_open_from_pd(pd, &dev), "cannot make a device of the protection domain");

    must(doca_mmap_create(NULL, &map), "no memory map");
    must(doca_mmap_set_memrange(map, memory, sizeof(memory)), "cannot set the range");
    must(doca_mmap_dev_add(map, dev), "cannot add the device");
    must(doca_mmap_start(map), "cannot register the memory");
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory), "no inventory");
    must(doca_buf_inventory_start(inventory), "cannot start the inventory");

    strcpy(memory, "registered by DOCA for a protection domain of rdma-core");
    loopback_open(&loopback, pd);
    loopback_send(&loopback, memory, key_of(inventory, map, dev, memory), memory + HALF,
                  key_of(inventory, map, dev, memory + HALF), HALF);
    loopback_close(&loopback);
    if (memcmp(memory, memory + HALF, HALF) != 0)
        fail("what arrived is not what was sent");
    printf("%s\n", memory + HALF);

    must(doca_buf_inventory_destroy(inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(map), "cannot destroy the map");
    must(doca_dev_close(dev), "cannot close the device");
    ibv_dealloc_pd(pd);
    ibv_close_device(context);
    return 0;
}
