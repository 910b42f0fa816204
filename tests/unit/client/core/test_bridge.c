// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices made of protection domains, and the keys of buffers, on ibverbs that is played by
// this test. No docad runs.

#include "unit.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>
#include <errno.h>
#include <stdlib.h>

static struct ibv_device fake_device = {.name = "fake0"};
static struct ibv_context fake_context = {.device = &fake_device};
static struct ibv_pd domains[2] = {{.context = &fake_context}, {.context = &fake_context}};
static int registered, fail_with;
static unsigned last_access;

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
    if (fail_with) {
        errno = fail_with;
        return NULL;
    }
    struct ibv_mr *mr = calloc(1, sizeof(*mr));
    ck_assert_ptr_nonnull(mr);
    *mr = (struct ibv_mr){.pd = pd, .addr = address, .length = length};
    mr->lkey = 0x100u + (uint32_t)(pd - domains);
    mr->rkey = 0x200u + (uint32_t)(pd - domains);
    last_access = (unsigned)access;
    registered++;
    return mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                unsigned int access)
{
    ck_assert_uint_eq(iova, (uintptr_t)address);
    return ibv_reg_mr(pd, address, length, (int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    free(mr);
    registered--;
    return 0;
}

static char memory[4096];

static struct doca_mmap *make_map(struct doca_dev *const *devs, size_t n)
{
    struct doca_mmap *map;
    ck_assert_int_eq(doca_mmap_create(NULL, &map), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_set_memrange(map, memory, sizeof(memory)), DOCA_SUCCESS);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(doca_mmap_dev_add(map, devs[i]), DOCA_SUCCESS);
    return map;
}

START_TEST(device_of_a_domain)
{
    struct doca_dev *dev, *again;
    struct ibv_pd *pd;
    ck_assert_int_eq(doca_dev_open_from_pd(NULL, &dev), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dev_open_from_pd(&domains[0], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dev_open_from_pd(&domains[0], &dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dev_open_from_pd(&domains[0], &again), DOCA_SUCCESS);
    ck_assert_ptr_eq(dev, again);
    ck_assert_ptr_null(doca_dev_as_devinfo(dev));
    ck_assert_int_eq(doca_dev_get_pd(dev, &pd), DOCA_SUCCESS);
    ck_assert_ptr_eq(pd, &domains[0]);
    ck_assert_int_eq(doca_dev_close(dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dev_close(dev), DOCA_SUCCESS);
}
END_TEST

START_TEST(keys)
{
    struct doca_dev *devs[2], *third;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    uint32_t key = 7;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(doca_dev_open_from_pd(&domains[i], &devs[i]), DOCA_SUCCESS);
    struct doca_mmap *map = make_map(devs, 2);
    ck_assert_int_eq(doca_mmap_start(map), DOCA_SUCCESS);
    ck_assert_int_eq(registered, 2);
    ck_assert_uint_eq(last_access, IBV_ACCESS_LOCAL_WRITE);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, map, memory, 8, &buf), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_mkey(buf, devs[0], NULL), DOCA_ERROR_INVALID_VALUE);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(doca_buf_get_mkey(buf, devs[i], &key), DOCA_SUCCESS);
        ck_assert_uint_eq(key, 0x100 + i);
    }
    struct ibv_pd other = {.context = &fake_context};
    ck_assert_int_eq(doca_dev_open_from_pd(&other, &third), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_mkey(buf, third, &key), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dev_close(third), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_stop(map), DOCA_SUCCESS);
    ck_assert_int_eq(registered, 0);
    ck_assert_int_eq(doca_mmap_start(map), DOCA_SUCCESS);
    ck_assert_int_eq(registered, 2);
    ck_assert_int_eq(doca_mmap_destroy(map), DOCA_SUCCESS);
    ck_assert_int_eq(registered, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(doca_dev_close(devs[i]), DOCA_SUCCESS);
}
END_TEST

START_TEST(registration_fails)
{
    struct doca_dev *dev;
    ck_assert_int_eq(doca_dev_open_from_pd(&domains[0], &dev), DOCA_SUCCESS);
    struct doca_mmap *map = make_map(&dev, 1);
    fail_with = ENOMEM;
    ck_assert_int_eq(doca_mmap_start(map), DOCA_ERROR_NO_MEMORY);
    fail_with = EFAULT;
    ck_assert_int_eq(doca_mmap_start(map), DOCA_ERROR_NOT_PERMITTED);
    fail_with = 0;
    ck_assert_int_eq(doca_mmap_start(map), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_destroy(map), DOCA_SUCCESS);
    ck_assert_int_eq(registered, 0);
    ck_assert_int_eq(doca_dev_close(dev), DOCA_SUCCESS);
}
END_TEST

START_TEST(others_refuse_it)
{
    struct doca_comm_channel_ep_t *ep;
    struct doca_dev *dev;
    struct doca_dma *dma;
    const void *desc;
    size_t size;
    ck_assert_int_eq(doca_dev_open_from_pd(&domains[0], &dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_create(&dma), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(doca_dma_as_ctx(dma), dev), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_destroy(dma), DOCA_SUCCESS);
    ck_assert_int_eq(doca_comm_channel_ep_create(&ep), DOCA_SUCCESS);
    ck_assert_int_eq(doca_comm_channel_ep_set_device(ep, dev), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_comm_channel_ep_destroy(ep), DOCA_SUCCESS);
    struct doca_mmap *map = make_map(&dev, 1);
    ck_assert_int_eq(
        doca_mmap_set_permissions(map, DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ),
        DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_start(map), DOCA_SUCCESS);
    ck_assert_uint_eq(last_access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
    ck_assert_int_eq(doca_mmap_export_rdma(map, dev, &desc, &size), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_mmap_destroy(map), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dev_close(dev), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("bridge", device_of_a_domain, keys, registration_fails, others_refuse_it)
