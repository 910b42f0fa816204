// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 3 that ends each of its objects twice. The second time is an error, and what
// was freed is not read; AddressSanitizer would tell.

#include "child.h"
#include "env.h"
#include "nodes.h"
#include "run.h"

#include <doca_aes_gcm.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_clock.h>
#include <doca_comch.h>
#include <doca_compress.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include <stddef.h>
#include <stdint.h>

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)
#define TWICE(end, object)                                                                         \
    do {                                                                                           \
        OK(end(object));                                                                           \
        ck_assert_int_ne(end(object), DOCA_SUCCESS);                                               \
    } while (0)

static struct doca_dev *open_first(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n = 0;

    OK(doca_devinfo_create_list(&list, &n));
    ck_assert_uint_gt(n, 0);
    OK(doca_dev_open(list[0], &dev));
    TWICE(doca_devinfo_destroy_list, list);
    return dev;
}

static void contexts(struct doca_dev *dev)
{
    struct doca_mmap_advise *advise;
    struct doca_aes_gcm *gcm;
    struct doca_compress *compress;
    struct doca_dma *dma;
    struct doca_ec *ec;
    struct doca_rdma *rdma;
    struct doca_sha *sha;
    struct doca_sync_event *event;
    struct doca_comch_client *client;

    OK(doca_mmap_advise_create(dev, &advise));
    TWICE(doca_mmap_advise_destroy, advise);
    OK(doca_aes_gcm_create(dev, &gcm));
    TWICE(doca_aes_gcm_destroy, gcm);
    OK(doca_compress_create(dev, &compress));
    TWICE(doca_compress_destroy, compress);
    OK(doca_dma_create(dev, &dma));
    TWICE(doca_dma_destroy, dma);
    OK(doca_ec_create(dev, &ec));
    TWICE(doca_ec_destroy, ec);
    OK(doca_rdma_create(dev, &rdma));
    TWICE(doca_rdma_destroy, rdma);
    OK(doca_sha_create(dev, &sha));
    TWICE(doca_sha_destroy, sha);
    OK(doca_sync_event_create(&event));
    TWICE(doca_sync_event_destroy, event);
    OK(doca_comch_client_create(dev, "twice", &client));
    TWICE(doca_comch_client_destroy, client);
}

static void memory(struct doca_dev *dev)
{
    static uint8_t bytes[4096];
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf_pool *pool;
    struct doca_buf_arr *array;

    OK(doca_mmap_create(&map));
    OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_set_memrange(map, bytes, sizeof(bytes)));
    OK(doca_mmap_start(map));
    OK(doca_buf_pool_create(4, 64, map, &pool));
    TWICE(doca_buf_pool_destroy, pool);
    OK(doca_buf_inventory_create(4, &inventory));
    TWICE(doca_buf_inventory_destroy, inventory);
    OK(doca_buf_arr_create(4, &array));
    TWICE(doca_buf_arr_destroy, array);
    TWICE(doca_mmap_destroy, map);
}

static void others(struct doca_dev *dev)
{
    struct doca_pe *pe;
    struct doca_graph *graph;
    struct doca_clock *clock;
    struct doca_rdma_addr *addr;

    OK(doca_pe_create(&pe));
    OK(doca_graph_create(pe, &graph));
    TWICE(doca_graph_destroy, graph);
    TWICE(doca_pe_destroy, pe);
    OK(doca_clock_create(dev, &clock));
    TWICE(doca_clock_destroy, clock);
    OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "192.0.2.1", 7, &addr));
    TWICE(doca_rdma_addr_destroy, addr);
}

START_TEST(objects_of_a_host)
{
    daemon_use(nodes.host);
    struct doca_dev *dev = open_first();
    contexts(dev);
    memory(dev);
    others(dev);
    TWICE(doca_dev_close, dev);
}
END_TEST

// The second close must not take away what the server holds.
START_TEST(a_representor_that_a_server_holds)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    struct doca_comch_server *server;
    uint32_t n = 0;

    daemon_use(nodes.dpu);
    struct doca_dev *dev = open_first();
    OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
    ck_assert_uint_gt(n, 0);
    OK(doca_dev_rep_open(list[0], &rep));
    TWICE(doca_devinfo_rep_destroy_list, list);
    OK(doca_comch_server_create(dev, rep, "twice", &server));
    TWICE(doca_dev_rep_close, rep);
    ck_assert_int_eq(doca_dev_rep_close(rep), DOCA_ERROR_IN_USE);
    TWICE(doca_comch_server_destroy, server);
    ck_assert_int_eq(doca_dev_rep_close(rep), DOCA_ERROR_INVALID_VALUE);
    TWICE(doca_dev_close, dev);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_twice");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, objects_of_a_host);
    tcase_add_test(tcase, a_representor_that_a_server_holds);
    return run_suite(suite);
}
