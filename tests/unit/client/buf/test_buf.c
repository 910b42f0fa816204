// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_buf: data, lists, giving back.

#include "buf/buf.h"
#include "fake_core.h"
#include "unit.h"

#include <doca_buf_inventory.h>

#define N 8

static uint8_t memory[4096];
static struct doca_mmap map;
static struct doca_buf_inventory *inventory;
static struct doca_buf *buf[N];

static void setup(void)
{
    map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, N, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    for (size_t i = 0; i < N; i++)
        ck_assert_int_eq(
            doca_buf_inventory_buf_by_addr(inventory, &map, memory + i * 100, 100, &buf[i]),
            DOCA_SUCCESS);
}

static uint32_t free_elements(void)
{
    uint32_t n;
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(inventory, &n), DOCA_SUCCESS);
    return n;
}

// Gives back what a test left, in whatever lists it is.
static void teardown(void)
{
    for (size_t i = 0; i < N; i++)
        if (buf[i] && buf[i]->refcount && !buf[i]->prev)
            ck_assert_int_eq(doca_buf_refcount_rm(buf[i], NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(free_elements(), N);
    ck_assert_uint_eq(map.bufs, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}

static void chain(size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++)
        ck_assert_int_eq(doca_buf_list_chain(buf[from], buf[i]), DOCA_SUCCESS);
}

START_TEST(data_is_placed_within_the_buffer)
{
    void *p;
    size_t n;
    setup();
    ck_assert_int_eq(doca_buf_get_head(buf[1], &p), DOCA_SUCCESS);
    ck_assert_ptr_eq(p, memory + 100);
    ck_assert_int_eq(doca_buf_get_len(buf[1], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 100);
    ck_assert_int_eq(doca_buf_get_data(buf[1], &p), DOCA_SUCCESS);
    ck_assert_ptr_eq(p, memory + 100);
    ck_assert_int_eq(doca_buf_get_data_len(buf[1], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(doca_buf_set_data(buf[1], memory + 110, 20), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_data(buf[1], &p), DOCA_SUCCESS);
    ck_assert_ptr_eq(p, memory + 110);
    ck_assert_int_eq(doca_buf_get_data_len(buf[1], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 20);
    ck_assert_int_eq(doca_buf_get_len(buf[1], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 100);
    ck_assert_int_eq(doca_buf_reset_data_len(buf[1]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_data(buf[1], &p), DOCA_SUCCESS);
    ck_assert_ptr_eq(p, memory + 110);
    ck_assert_int_eq(doca_buf_get_data_len(buf[1], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 0);
    teardown();
}
END_TEST

START_TEST(there_is_one_reference)
{
    uint16_t count = 77;
    setup();
    ck_assert_int_eq(doca_buf_refcount_add(buf[0], &count), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_buf_refcount_add(NULL, NULL), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_uint_eq(count, 77);
    ck_assert_int_eq(doca_buf_get_refcount(buf[0], &count), DOCA_SUCCESS);
    ck_assert_uint_eq(count, 1);
    count = 77;
    ck_assert_int_eq(doca_buf_refcount_rm(buf[0], &count), DOCA_SUCCESS);
    ck_assert_uint_eq(count, 1); // before the call
    ck_assert_uint_eq(free_elements(), 1);
    ck_assert_int_eq(doca_buf_refcount_rm(buf[1], NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(free_elements(), 2);
    ck_assert_uint_eq(map.bufs, N - 2);
    teardown();
}
END_TEST

START_TEST(null_and_given_back_buffers_are_refused)
{
    void *p = memory;
    size_t n = 77;
    uint16_t count = 77;
    uint32_t elements = 77;
    uint8_t in = 77;
    bool yes = true;
    struct doca_buf *other = buf[0];

    setup();
    struct doca_buf *gone = buf[7];
    ck_assert_int_eq(doca_buf_refcount_rm(gone, NULL), DOCA_SUCCESS);
    buf[7] = NULL;
    struct doca_buf *bad[] = {NULL, gone};
    for (size_t i = 0; i < 2; i++) {
        struct doca_buf *b = bad[i];
        ck_assert_int_eq(doca_buf_refcount_rm(b, &count), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_get_refcount(b, &count), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_get_len(b, &n), b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_get_head(b, &p), b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_get_data_len(b, &n), b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_get_data(b, &p), b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_set_data(b, memory, 1), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_reset_data_len(b), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_next(b, &other), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_last(b, &other), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_is_last(b, &yes), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_is_first(b, &yes), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_is_in_list(b, &in), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_num_elements(b, &elements), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_chain(b, buf[1]), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_chain(buf[1], b), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_unchain(b, buf[1]), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_buf_list_unchain(buf[1], b), DOCA_ERROR_INVALID_VALUE);
        ck_assert_ptr_eq(p, b ? b->data : memory);
        ck_assert_uint_eq(n, b ? b->data_len : 77);
    }
    n = 77;
    p = memory;
    ck_assert_int_eq(doca_buf_get_refcount(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_len(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_head(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_data_len(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_data(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_set_data(buf[1], NULL, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_next(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_last(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_is_last(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_is_first(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_is_in_list(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[1], NULL), DOCA_ERROR_INVALID_VALUE);
    // and nothing was written
    ck_assert_uint_eq(n, 77);
    ck_assert_uint_eq(count, 77);
    ck_assert_uint_eq(elements, 77);
    ck_assert_uint_eq(in, 77);
    ck_assert_ptr_eq(p, memory);
    teardown();
}
END_TEST

START_TEST(a_single_buffer_is_a_list_of_one)
{
    struct doca_buf *other = buf[1];
    uint32_t n;
    uint8_t in = 1;
    bool first = false, last = false;
    setup();
    ck_assert_int_eq(doca_buf_list_next(buf[0], &other), DOCA_SUCCESS);
    ck_assert_ptr_null(other);
    ck_assert_int_eq(doca_buf_list_last(buf[0], &other), DOCA_SUCCESS);
    ck_assert_ptr_eq(other, buf[0]);
    ck_assert_int_eq(doca_buf_list_is_last(buf[0], &last), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_is_first(buf[0], &first), DOCA_SUCCESS);
    ck_assert(first && last);
    ck_assert_int_eq(doca_buf_is_in_list(buf[0], &in), DOCA_SUCCESS);
    ck_assert_uint_eq(in, 0);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[0], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1);
    teardown();
}
END_TEST

START_TEST(lists_grow_behind_and_are_cut)
{
    struct doca_buf *other;
    uint32_t n = 77;
    uint8_t in;
    bool first, last;

    setup();
    chain(0, 3);
    chain(3, 5);
    ck_assert_int_eq(doca_buf_list_chain(buf[0], buf[3]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[0], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(doca_buf_list_next(buf[i], &other), DOCA_SUCCESS);
        ck_assert_ptr_eq(other, i < 4 ? buf[i + 1] : NULL);
        ck_assert_int_eq(doca_buf_list_last(buf[i], &other), DOCA_SUCCESS);
        ck_assert_ptr_eq(other, buf[4]);
        ck_assert_int_eq(doca_buf_list_is_first(buf[i], &first), DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_list_is_last(buf[i], &last), DOCA_SUCCESS);
        ck_assert_int_eq(first, i == 0);
        ck_assert_int_eq(last, i == 4);
        ck_assert_int_eq(doca_buf_is_in_list(buf[i], &in), DOCA_SUCCESS);
        ck_assert_uint_eq(in, 1);
    }
    n = 77;
    ck_assert_int_eq(doca_buf_list_num_elements(buf[1], &n), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(n, 77);

    ck_assert_int_eq(doca_buf_list_unchain(buf[0], buf[2]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[0], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[2], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(doca_buf_list_unchain(buf[0], buf[3]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_unchain(buf[2], buf[2]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_unchain(buf[3], buf[2]), DOCA_ERROR_INVALID_VALUE); // before
    ck_assert_int_eq(doca_buf_list_unchain(buf[5], buf[0]), DOCA_ERROR_INVALID_VALUE);
    teardown();
}
END_TEST

START_TEST(only_heads_of_two_lists_are_chained)
{
    uint32_t n;
    setup();
    chain(0, 3);
    ck_assert_int_eq(doca_buf_list_chain(buf[0], buf[0]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_chain(buf[0], buf[1]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_chain(buf[1], buf[0]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_chain(buf[5], buf[2]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_chain(buf[2], buf[5]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[0], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    teardown();
}
END_TEST

START_TEST(a_head_takes_its_list_along)
{
    uint16_t count = 77;
    struct doca_buf_inventory *second;
    struct doca_buf *foreign;
    uint32_t n;

    setup();
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 1, 0, &second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(second, &map, memory, 6, &foreign),
                     DOCA_SUCCESS);
    chain(0, 3);
    ck_assert_int_eq(doca_buf_list_chain(buf[0], foreign), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(buf[1], &count), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_refcount_rm(foreign, &count), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(count, 77);
    ck_assert_uint_eq(free_elements(), 0);
    ck_assert_int_eq(doca_buf_refcount_rm(buf[0], &count), DOCA_SUCCESS);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(free_elements(), 3);
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(second, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1); // each to its own inventory
    ck_assert_int_eq(doca_buf_inventory_destroy(second), DOCA_SUCCESS);

    // A buffer that was cut off stays, and one taken anew is in no list.
    chain(3, 6);
    ck_assert_int_eq(doca_buf_list_unchain(buf[3], buf[4]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(buf[3], NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_num_elements(buf[4], &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 1, &buf[i]),
                         DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_list_num_elements(buf[i], &n), DOCA_SUCCESS);
        ck_assert_uint_eq(n, 1);
    }
    teardown();
}
END_TEST

UNIT_MAIN("buf", data_is_placed_within_the_buffer, there_is_one_reference,
          null_and_given_back_buffers_are_refused, a_single_buffer_is_a_list_of_one,
          lists_grow_behind_and_are_cut, only_heads_of_two_lists_are_chained,
          a_head_takes_its_list_along)
