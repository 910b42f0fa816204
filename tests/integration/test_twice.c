// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 2.2 that ends each of its objects twice. The second time is an error, and what
// was freed is not read; AddressSanitizer would tell.

#include "child.h"
#include "client.h"
#include "env.h"
#include "nodes.h"
#include "run.h"

#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_bufpool.h>
#include <doca_comm_channel.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include <stddef.h>
#include <stdint.h>

#define TWICE(end, object)                                                                         \
    do {                                                                                           \
        ck_assert_success(end(object));                                                            \
        ck_assert_int_ne(end(object), DOCA_SUCCESS);                                               \
    } while (0)

static void contexts(void)
{
    struct doca_compress *compress;
    struct doca_dma *dma;
    struct doca_ec *ec;
    struct doca_rdma *rdma;
    struct doca_sha *sha;
    struct doca_sync_event *event;
    struct doca_graph *graph;
    struct doca_workq *workq;

    ck_assert_success(doca_compress_create(&compress));
    TWICE(doca_compress_destroy, compress);
    ck_assert_success(doca_dma_create(&dma));
    TWICE(doca_dma_destroy, dma);
    ck_assert_success(doca_ec_create(&ec));
    TWICE(doca_ec_destroy, ec);
    ck_assert_success(doca_rdma_create(&rdma));
    TWICE(doca_rdma_destroy, rdma);
    ck_assert_success(doca_sha_create(&sha));
    TWICE(doca_sha_destroy, sha);
    ck_assert_success(doca_sync_event_create(&event));
    TWICE(doca_sync_event_destroy, event);
    ck_assert_success(doca_graph_create(&graph));
    TWICE(doca_graph_destroy, graph);
    ck_assert_success(doca_workq_create(8, &workq));
    TWICE(doca_workq_destroy, workq);
}

static void instances(struct doca_dev *dev)
{
    struct doca_dma *dma;
    struct doca_graph *graph;
    struct doca_graph_node *node;
    struct doca_graph_instance *instance;

    ck_assert_success(doca_dma_create(&dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    ck_assert_success(doca_ctx_dev_add(ctx, dev));
    ck_assert_success(doca_ctx_start(ctx));
    ck_assert_success(doca_graph_create(&graph));
    ck_assert_success(doca_graph_ctx_node_create(graph, DOCA_DMA_JOB_MEMCPY, ctx, &node));
    ck_assert_success(doca_graph_start(graph));
    ck_assert_success(doca_graph_instance_create(graph, &instance));
    TWICE(doca_graph_instance_destroy, instance);
    ck_assert_success(doca_graph_stop(graph));
    TWICE(doca_graph_destroy, graph);
    ck_assert_success(doca_ctx_stop(ctx));
    TWICE(doca_dma_destroy, dma);
}

static void memory(struct doca_dev *dev)
{
    static uint8_t bytes[4096];
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_bufpool *pool;
    struct doca_buf_arr *array;

    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_set_memrange(map, bytes, sizeof(bytes)));
    ck_assert_success(doca_mmap_start(map));
    ck_assert_success(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, &inventory));
    TWICE(doca_buf_inventory_destroy, inventory);
    ck_assert_success(doca_bufpool_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, 64, 1, map, &pool));
    TWICE(doca_bufpool_destroy, pool);
    ck_assert_success(doca_buf_arr_create(map, &array));
    TWICE(doca_buf_arr_destroy, array);
    TWICE(doca_mmap_destroy, map);
}

START_TEST(objects_of_a_host)
{
    struct doca_comm_channel_ep_t *ep;
    struct doca_devinfo **list;
    uint32_t n;

    daemon_use(nodes.host);
    struct doca_dev *dev = client_open(HOST_PF0);
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    TWICE(doca_devinfo_list_destroy, list);
    contexts();
    instances(dev);
    memory(dev);
    ck_assert_success(doca_comm_channel_ep_create(&ep));
    TWICE(doca_comm_channel_ep_destroy, ep);
    TWICE(doca_dev_close, dev);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twice");
    tcase_add_test(case_near_shared(suite), objects_of_a_host);
    return run_suite(suite);
}
