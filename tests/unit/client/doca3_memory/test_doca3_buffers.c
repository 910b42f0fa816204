// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers and inventories of DOCA 3: references, lists, growth, and buffers that are pointed
// elsewhere.

#include "buf/buf.h"
#include "fake_core.h"
#include "unit.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>

static uint8_t memory[4096];
static struct doca_mmap map;
static struct doca_buf_inventory *inventory;

static void setup(void)
{
    map = fake_map(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    ck_assert_int_eq(doca_buf_inventory_create(4, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
}

static void teardown(void)
{
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_uint_eq(map.bufs, 0);
}

static struct doca_buf *take(size_t offset, size_t length)
{
    struct doca_buf *buf = NULL;
    ck_assert_int_eq(
        doca_buf_inventory_buf_get_by_addr(inventory, &map, memory + offset, length, &buf),
        DOCA_SUCCESS);
    return buf;
}

static void give(struct doca_buf *buf)
{
    ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
}

static uint32_t free_elements(void)
{
    uint32_t n;
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(inventory, &n), DOCA_SUCCESS);
    return n;
}

// ---- references --------------------------------------------------------------------------

START_TEST(references_are_counted)
{
    struct doca_buf *buf = take(0, 10);
    uint16_t n = 0;

    ck_assert_int_eq(doca_buf_inc_refcount(buf, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1); // the value before
    ck_assert_int_eq(doca_buf_inc_refcount(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_refcount(buf, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(doca_buf_dec_refcount(buf, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(doca_buf_dec_refcount(buf, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(free_elements(), 3); // it is still out
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_buf_dec_refcount(buf, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(free_elements(), 4);
    ck_assert_int_eq(doca_buf_dec_refcount(buf, &n), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_inc_refcount(buf, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(free_elements(), 4);
}
END_TEST

START_TEST(only_heads_are_duplicated)
{
    struct doca_buf *head = take(0, 10), *next = take(10, 10), *dup = NULL;
    uint8_t in_list;

    ck_assert_int_eq(doca_buf_chain_list(head, next), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(inventory, next, &dup), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(dup);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(inventory, head, &dup), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_is_in_list(dup, &in_list), DOCA_SUCCESS);
    ck_assert_uint_eq(in_list, 0);
    give(dup);
    give(head);
}
END_TEST

START_TEST(references_end_at_65535)
{
    struct doca_buf *buf = take(0, 10);
    uint16_t n = 7;

    for (unsigned i = 1; i < UINT16_MAX; i++)
        ck_assert_int_eq(doca_buf_inc_refcount(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inc_refcount(buf, &n), DOCA_ERROR_TOO_BIG);
    ck_assert_uint_eq(n, 7);
    for (unsigned i = 0; i < UINT16_MAX; i++)
        give(buf);
    ck_assert_uint_eq(free_elements(), 4);
}
END_TEST

START_TEST(null_is_refused)
{
    struct doca_buf *buf = take(0, 10), *other;
    uint8_t flag;
    uint32_t n;

    ck_assert_int_eq(doca_buf_inc_refcount(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_dec_refcount(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_set_data_len(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_next_in_list(NULL, &other), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_next_in_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_last_in_list(NULL, &other), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_last_in_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_is_last_in_list(NULL, &flag), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_is_last_in_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_is_first_in_list(NULL, &flag), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_is_first_in_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_list_len(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_list_len(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_chain_list(NULL, buf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_chain_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_chain_list_tail(buf, NULL, buf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_unchain_list(buf, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_addr(NULL, memory, 1),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_data(buf, NULL, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_create(4, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_set_user_data(NULL, (union doca_data){0}),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_expand(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    give(buf);
}
END_TEST

START_TEST(data_must_fit)
{
    struct doca_buf *buf = take(0, 10);
    size_t length;

    ck_assert_int_eq(doca_buf_set_data(buf, memory + 4, 2), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_set_data_len(buf, 6), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_set_data_len(buf, 7), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_data_len(buf, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, 6);
    give(buf);
}
END_TEST

// ---- lists -------------------------------------------------------------------------------

START_TEST(lists_have_a_head_that_owns_them)
{
    struct doca_buf *a = take(0, 1), *b = take(1, 1), *c = take(2, 1), *got = NULL;
    uint8_t flag;
    uint32_t n;

    ck_assert_int_eq(doca_buf_chain_list(a, b), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_chain_list_tail(a, b, c), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_next_in_list(a, &got), DOCA_SUCCESS);
    ck_assert_ptr_eq(got, b);
    ck_assert_int_eq(doca_buf_get_last_in_list(a, &got), DOCA_SUCCESS);
    ck_assert_ptr_eq(got, c);
    ck_assert_int_eq(doca_buf_get_list_len(a, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(doca_buf_get_list_len(b, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2); // from this one on
    ck_assert_int_eq(doca_buf_is_first_in_list(a, &flag), DOCA_SUCCESS);
    ck_assert_uint_eq(flag, 1);
    ck_assert_int_eq(doca_buf_is_last_in_list(b, &flag), DOCA_SUCCESS);
    ck_assert_uint_eq(flag, 0);
    // Only the head's references count.
    ck_assert_int_eq(doca_buf_dec_refcount(b, NULL), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_inc_refcount(b, NULL), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_inc_refcount(a, NULL), DOCA_SUCCESS);
    give(a);
    ck_assert_uint_eq(free_elements(), 1);
    ck_assert_int_eq(doca_buf_unchain_list(a, c), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_unchain_list(a, c), DOCA_ERROR_INVALID_VALUE);
    give(a); // and b
    ck_assert_uint_eq(free_elements(), 3);
    give(c);
}
END_TEST

START_TEST(only_heads_are_chained)
{
    struct doca_buf *a = take(0, 1), *b = take(1, 1), *c = take(2, 1);

    ck_assert_int_eq(doca_buf_chain_list(a, a), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_chain_list_tail(a, c, b), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_chain_list_tail(a, b, b), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_chain_list(a, b), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_chain_list(b, c), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_chain_list(c, b), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_chain_list_tail(a, a, c), DOCA_ERROR_NOT_PERMITTED);
    // What becomes part of a list must not have other owners.
    ck_assert_int_eq(doca_buf_inc_refcount(c, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_chain_list(a, c), DOCA_ERROR_NOT_PERMITTED);
    give(c);
    ck_assert_int_eq(doca_buf_chain_list(a, c), DOCA_SUCCESS);
    give(a);
}
END_TEST

// ---- inventories -------------------------------------------------------------------------

START_TEST(inventories_grow_while_buffers_are_out)
{
    struct doca_buf *bufs[7];
    uint32_t n;

    for (size_t i = 0; i < 4; i++)
        bufs[i] = take(i, 1);
    struct doca_buf *none = NULL;
    ck_assert_int_eq(doca_buf_inventory_buf_get_by_data(inventory, &map, memory, 1, &none),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(doca_buf_inventory_expand(inventory, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_expand(inventory, UINT32_MAX - 3),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_expand(inventory, 3), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_get_num_elements(inventory, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 7);
    for (size_t i = 4; i < 7; i++)
        bufs[i] = take(i, 1);
    ck_assert_uint_eq(free_elements(), 0);
    for (size_t i = 0; i < 7; i++) {
        void *head;
        ck_assert_int_eq(doca_buf_get_head(bufs[i], &head), DOCA_SUCCESS);
        ck_assert_ptr_eq(head, memory + i);
        give(bufs[i]);
    }
    ck_assert_uint_eq(free_elements(), 7);
}
END_TEST

// DOCA 3 names no error for an inventory that was not started, and programs rely on that.
START_TEST(buffers_of_an_inventory_that_was_not_started)
{
    struct doca_buf_inventory *fresh;
    struct doca_buf *buf, *copy, *none = NULL;

    ck_assert_int_eq(doca_buf_inventory_create(2, &fresh), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_get_by_addr(fresh, &map, memory, 10, &buf),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(fresh, buf, &copy), DOCA_SUCCESS);
    give(copy);
    // One that was stopped gives none.
    ck_assert_int_eq(doca_buf_inventory_stop(fresh), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_get_by_addr(fresh, &map, memory, 10, &none),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_start(fresh), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_get_by_addr(fresh, &map, memory, 10, &copy),
                     DOCA_SUCCESS);
    give(copy);
    give(buf);
    ck_assert_int_eq(doca_buf_inventory_destroy(fresh), DOCA_SUCCESS);
}
END_TEST

START_TEST(user_data_is_set_while_stopped)
{
    union doca_data data = {.u64 = 0x77}, got;

    ck_assert_int_eq(doca_buf_inventory_set_user_data(inventory, data), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_inventory_stop(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_get_user_data(inventory, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 0);
    ck_assert_int_eq(doca_buf_inventory_set_user_data(inventory, data), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_get_user_data(inventory, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 0x77);
}
END_TEST

START_TEST(a_buffer_is_pointed_elsewhere)
{
    struct doca_buf *buf = take(0, 10);
    size_t length;
    void *at;

    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_data(buf, memory + 100, 20), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_data(buf, &at), DOCA_SUCCESS);
    ck_assert_ptr_eq(at, memory + 100);
    ck_assert_int_eq(doca_buf_get_data_len(buf, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, 20);
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 200, 30), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_head(buf, &at), DOCA_SUCCESS);
    ck_assert_ptr_eq(at, memory + 200);
    ck_assert_int_eq(doca_buf_get_len(buf, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, 30);
    ck_assert_int_eq(doca_buf_get_data_len(buf, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, 0);
    // What is refused changes nothing.
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 4090, 7),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_data(buf, memory + 4096, 1),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_get_head(buf, &at), DOCA_SUCCESS);
    ck_assert_ptr_eq(at, memory + 200);
    ck_assert_uint_eq(map.bufs, 1);
    give(buf);
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 7),
                     DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(maps_that_count_nothing_are_not_touched)
{
    map.uncounted = true;
    struct doca_buf *buf = take(0, 10), *second = take(1, 1);
    ck_assert_uint_eq(map.bufs, 0);
    map.uncounted = false; // another map at the same address
    struct doca_buf *third = take(2, 1);
    ck_assert_uint_eq(map.bufs, 1);
    give(buf);
    give(second);
    ck_assert_uint_eq(map.bufs, 1);
    give(third);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("doca3_buffers");
    tcase_add_checked_fixture(tcase, setup, teardown);
    const TTest *const tests[] = {
        references_are_counted,
        only_heads_are_duplicated,
        references_end_at_65535,
        null_is_refused,
        data_must_fit,
        lists_have_a_head_that_owns_them,
        only_heads_are_chained,
        inventories_grow_while_buffers_are_out,
        buffers_of_an_inventory_that_was_not_started,
        user_data_is_set_while_stopped,
        a_buffer_is_pointed_elsewhere,
        maps_that_count_nothing_are_not_touched,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("doca3_buffers", tcase);
}
