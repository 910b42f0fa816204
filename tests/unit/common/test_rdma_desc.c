// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_desc.h"
#include "rdma_pair.h"

#include "memfd.h"
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct rdma_desc example(void)
{
    struct rdma_desc desc = {.endpoint_id = 0x123456789abc};
    memset(desc.node, 7, sizeof(desc.node));
    memset(desc.token, 9, sizeof(desc.token));
    strcpy(desc.pci_address, "0000:0b:00.0");
    strcpy(desc.vuid, "HOSTS0D0F1");
    return desc;
}

START_TEST(there_and_back)
{
    struct rdma_desc desc = example(), out;
    uint8_t bytes[RDMA_DESC_SIZE_MAX];
    struct errtext err;
    size_t size;
    ck_assert_int_eq(rdma_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
    ck_assert_uint_le(size, sizeof(bytes));
    ck_assert_int_eq(rdma_desc_decode(bytes, size, &out, &err), DOCA_SUCCESS);
    ck_assert_mem_eq(&desc, &out, sizeof(out));
}
END_TEST

START_TEST(altered)
{
    struct rdma_desc desc = example(), out;
    uint8_t bytes[RDMA_DESC_SIZE_MAX];
    struct errtext err;
    size_t size;
    ck_assert_int_eq(rdma_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
    for (size_t n = 0; n < size; n++)
        ck_assert_int_eq(rdma_desc_decode(bytes, n, &out, &err), DOCA_ERROR_INVALID_VALUE);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ck_assert_int_eq(rdma_desc_decode(bytes, size, &out, &err), DOCA_ERROR_INVALID_VALUE);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}
END_TEST

START_TEST(too_long)
{
    struct rdma_desc desc = example();
    uint8_t bytes[RDMA_DESC_SIZE_MAX];
    size_t size = 5;
    memset(desc.vuid, 'x', sizeof(desc.vuid) - 1);
    ck_assert_int_eq(rdma_desc_encode(&desc, bytes, &size), DOCA_SUCCESS); // the longest fits
    ck_assert_uint_le(size, sizeof(bytes));
}
END_TEST

START_TEST(pair_files)
{
    int fd = rdma_pair_create();
    uint32_t first = RDMA_ENTRIES;
    ck_assert_int_ge(fd, 0);
    struct rdma_pair_shared *pair = rdma_pair_map(fd, &first);
    ck_assert_ptr_nonnull(pair);
    ck_assert_uint_lt(first, RDMA_ENTRIES);
    pair->first = UINT32_MAX - 1; // another process may write what it likes
    struct rdma_pair_shared *again = rdma_pair_map(fd, &first);
    ck_assert_ptr_nonnull(again);
    ck_assert_uint_lt(first, RDMA_ENTRIES);
    rdma_pair_unmap(again);
    pair->magic++;
    ck_assert_ptr_null(rdma_pair_map(fd, &first));
    ck_assert_int_eq(errno, EPROTO);
    rdma_pair_unmap(pair);
    close(fd);
    fd = memfd_create_sealed("short", 4096);
    ck_assert_ptr_null(rdma_pair_map(fd, &first));
    close(fd);
    ck_assert_ptr_null(rdma_pair_map(-1, &first));
}
END_TEST

// Else the entries that a context polls for its pairs would be in few lines of its cache.
START_TEST(pairs_begin_apart)
{
    bool used[RDMA_ENTRIES] = {false};

    for (int i = 0; i < 64; i++) {
        uint32_t first;
        int fd = rdma_pair_create();
        struct rdma_pair_shared *pair = rdma_pair_map(fd, &first);
        ck_assert_ptr_nonnull(pair);
        ck_assert(!used[first]);
        used[first] = true;
        rdma_pair_unmap(pair);
        close(fd);
    }
}
END_TEST

UNIT_MAIN("rdma_desc", there_and_back, altered, too_long, pair_files, pairs_begin_apart)
