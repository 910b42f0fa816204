// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_buf_inventory: states, ranges, running out, duplicates.

#include "buf/buf.h"
#include "fake_core.h"
#include "log_capture.h"
#include "unit.h"

#include <doca_buf_inventory.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t memory[4096];

static struct doca_buf_inventory *started(size_t n)
{
    struct doca_buf_inventory *inventory = NULL;
    ck_assert_int_eq(doca_buf_inventory_create(NULL, n, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    return inventory;
}

static uint32_t free_elements(struct doca_buf_inventory *inventory)
{
    uint32_t n;
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(inventory, &n), DOCA_SUCCESS);
    return n;
}

START_TEST(wrong_arguments_are_refused)
{
    struct doca_buf_inventory *inventory = NULL;
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 4, 0, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 0, 0, &inventory), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 4, 1, &inventory), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, (size_t)1 << 32, 0, &inventory),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(inventory);
    ck_assert_int_eq(doca_buf_inventory_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_stop(NULL), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(properties_are_as_created)
{
    union doca_data data = {.u64 = 0x1234}, got;
    struct doca_buf_inventory *inventory;
    uint32_t n;
    ck_assert_int_eq(doca_buf_inventory_create(&data, 5, 0, &inventory), DOCA_SUCCESS);
    data.u64 = 0; // it was copied
    ck_assert_int_eq(doca_buf_inventory_get_user_data(inventory, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 0x1234);
    ck_assert_int_eq(doca_buf_inventory_get_num_elements(inventory, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 5);
    ck_assert_uint_eq(free_elements(inventory), 5);
    ck_assert_int_eq(doca_buf_inventory_get_user_data(inventory, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_get_num_elements(inventory, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(inventory, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_get_user_data(NULL, &got), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_get_num_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_get_num_free_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);

    ck_assert_int_eq(doca_buf_inventory_create(NULL, 1, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_get_user_data(inventory, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

START_TEST(buffers_come_between_start_and_stop)
{
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf = NULL, *other = NULL;

    ck_assert_int_eq(doca_buf_inventory_create(NULL, 2, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(buf);
    ck_assert_int_eq(doca_buf_inventory_stop(inventory), DOCA_SUCCESS); // nothing to stop
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_stop(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &other),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS); // also while stopped
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &other),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(other, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS); // still started
}
END_TEST

START_TEST(maps_may_be_started_afterwards)
{
    struct doca_mmap map = fake_map(memory, 100, 0), rangeless = {.usable = false};
    struct doca_buf_inventory *inventory = started(3), *stopped = started(1);
    struct doca_buf *buf, *copy, *more = NULL;

    map.usable = false;
    ck_assert_int_eq(doca_buf_inventory_stop(stopped), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, memory, 6, &buf),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(map.bufs, 1);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(inventory, buf, &copy), DOCA_SUCCESS);
    ck_assert_uint_eq(copy->len, 6);
    ck_assert_uint_eq(copy->data_len, 6);
    // These calls check the same as others do.
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, memory + 95, 6, &more),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &rangeless, memory, 6, &more),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(stopped, &map, memory, 6, &more),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, memory, 6, &more),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(more, NULL), DOCA_SUCCESS);
    more = NULL;
    ck_assert_uint_eq(free_elements(inventory), 1);

    // No access is allowed before the map is usable; then as much as the map allows by that time.
    ck_assert(!buf_settle(buf));
    ck_assert_int_eq(buf->flags & (BUF_READABLE | BUF_WRITABLE), 0);
    for (uint32_t access = 1; access <= DOCA_ACCESS_DPU_READ_WRITE; access <<= 1) {
        map.memory.access = access;
        ck_assert_int_eq((buf_local_flags(&map.memory) & BUF_WRITABLE) != 0,
                         access == DOCA_ACCESS_LOCAL_READ_WRITE ||
                             access == DOCA_ACCESS_DPU_READ_WRITE);
    }
    map.memory.access = DOCA_ACCESS_LOCAL_READ_WRITE;
    map.usable = true;
    ck_assert(buf_settle(buf));
    ck_assert_int_eq(buf->flags, BUF_DIRECT | BUF_READABLE | BUF_WRITABLE);
    ck_assert(buf_settle(copy));
    ck_assert_int_eq(copy->flags, buf->flags);
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_refcount_rm(copy, NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(map.bufs, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(stopped), DOCA_SUCCESS);
}
END_TEST

START_TEST(ranges_must_lie_in_the_map)
{
    struct doca_mmap map = fake_map(memory + 10, 100, DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory = started(4);
    struct doca_buf *buf = NULL;
    static const struct {
        ptrdiff_t offset;
        size_t length;
        bool fits;
    } cases[] = {
        {0, 100, true},  {99, 1, true},         {50, 50, true},
        {0, 101, false}, {-1, 10, false},       {99, 2, false},
        {100, 1, false}, {50, SIZE_MAX, false}, {50, SIZE_MAX - 49, false},
        {0, 0, false},   {1000, 1, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        doca_error_t r = doca_buf_inventory_buf_by_addr(
            inventory, &map, memory + 10 + cases[i].offset, cases[i].length, &buf);
        ck_assert_int_eq(r, cases[i].fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        if (cases[i].fits)
            ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    }
    ck_assert_uint_eq(free_elements(inventory), 4);
    ck_assert_uint_eq(map.bufs, 0);
    struct doca_buf *out = NULL;
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(NULL, &map, memory + 10, 1, &out),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, NULL, memory + 10, 1, &out),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, NULL, 1, &out),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory + 10, 1, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(out);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

START_TEST(the_three_constructors_place_the_data)
{
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory = started(3);
    struct doca_buf *buf[3];
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory + 8, 40, &buf[0]),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, memory + 8, 40, &buf[1]),
                     DOCA_SUCCESS);
    ck_assert_int_eq(
        doca_buf_inventory_buf_by_args(inventory, &map, memory + 8, 40, memory + 20, 5, &buf[2]),
        DOCA_SUCCESS);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_ptr_eq(buf[i]->head, memory + 8);
        ck_assert_uint_eq(buf[i]->len, 40);
        ck_assert_ptr_eq(buf[i]->data, i == 2 ? memory + 20 : memory + 8);
        ck_assert_uint_eq(buf[i]->data_len, i == 0 ? 0 : i == 1 ? 40 : 5);
        ck_assert_int_eq(doca_buf_refcount_rm(buf[i], NULL), DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

START_TEST(an_empty_inventory_says_so_and_recovers)
{
    enum { N = 100 };
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory = started(N);
    struct doca_buf *buf[N], *more = NULL;
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < N; i++) {
            ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf[i]),
                             DOCA_SUCCESS);
            ck_assert_uint_eq(free_elements(inventory), N - 1 - i);
            for (uint32_t k = 0; k < i; k++)
                ck_assert_ptr_ne(buf[k], buf[i]);
        }
        ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &more),
                         DOCA_ERROR_NO_MEMORY);
        ck_assert_int_eq(doca_buf_inventory_buf_dup(inventory, buf[0], &more),
                         DOCA_ERROR_NO_MEMORY);
        ck_assert_ptr_null(more);
        ck_assert_uint_eq(map.bufs, N);
        for (uint32_t i = 0; i < N; i++)
            ck_assert_int_eq(doca_buf_refcount_rm(buf[(i * 7) % N], NULL), DOCA_SUCCESS);
        ck_assert_uint_eq(map.bufs, 0);
    }
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

START_TEST(duplicates_are_of_the_same_place)
{
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *a = started(2), *b = started(1);
    struct doca_buf *src, *tail, *dup = NULL;

    ck_assert_int_eq(doca_buf_inventory_buf_by_args(a, &map, memory, 100, memory + 10, 20, &src),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(a, &map, memory, 1, &tail), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_chain(src, tail), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(NULL, src, &dup), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(b, NULL, &dup), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(b, src, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_stop(a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(b, src, &dup), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_inventory_start(a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_stop(b), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_dup(b, src, &dup), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_inventory_start(b), DOCA_SUCCESS);
    ck_assert_ptr_null(dup);

    ck_assert_int_eq(doca_buf_inventory_buf_dup(b, src, &dup), DOCA_SUCCESS);
    ck_assert_ptr_ne(dup, src);
    ck_assert_ptr_eq(dup->head, memory);
    ck_assert_uint_eq(dup->len, 100);
    ck_assert_ptr_eq(dup->data, memory + 10);
    ck_assert_uint_eq(dup->data_len, 20);
    ck_assert_ptr_null(dup->next);
    ck_assert_uint_eq(map.bufs, 3);
    ck_assert_int_eq(doca_buf_refcount_rm(src, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(a), DOCA_SUCCESS);
    ck_assert_ptr_eq(dup->head, memory); // stands by itself
    ck_assert_int_eq(doca_buf_refcount_rm(dup, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(b), DOCA_SUCCESS);
}
END_TEST

START_TEST(an_import_is_direct_where_it_is_mapped)
{
    struct doca_mmap map;
    struct doca_buf_inventory *inventory = started(1);
    struct doca_buf *buf;
    const ptrdiff_t shift = 1 << 20;
    uint8_t *there = (uint8_t *)((uintptr_t)memory + (uintptr_t)shift); // the exporter's address
    static const struct {
        size_t offset, length;
        bool direct;
    } cases[] = {
        {0, 10, false},     {0, 101, false},   {100, 1, true},  {100, 3000, true},
        {100, 3001, false}, {1500, 100, true}, {3099, 1, true}, {3100, 1, false},
        {3100, 996, false}, {0, 4096, false},
    };

    fake_import(&map, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, shift);
    fake_part(&map, 0, false);
    fake_part(&map, 100, true);
    fake_part(&map, 3100, false);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, there + cases[i].offset,
                                                        cases[i].length, &buf),
                         DOCA_SUCCESS);
        ck_assert_int_eq((buf->flags & BUF_DIRECT) != 0, cases[i].direct);
        ck_assert_uint_eq(buf->flags & (BUF_IMPORTED | BUF_READABLE | BUF_WRITABLE),
                          BUF_IMPORTED | BUF_READABLE);
        ck_assert_ptr_eq(buf->data, there + cases[i].offset);
        if (cases[i].direct)
            ck_assert_ptr_eq(buf->data + buf->to_local, memory + cases[i].offset);
        ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    }
    // Our own address of the same byte means nothing to the map.
    ck_assert_int_eq(doca_buf_inventory_buf_by_data(inventory, &map, memory, 10, &buf),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

// One buffer is no plural, and an inventory that gives none says what is missing.
START_TEST(messages_count)
{
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory;
    struct standard standard = standard_capture();
    struct doca_buf *buf;

    ck_assert_int_eq(doca_buf_inventory_create(NULL, 1, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf),
                     DOCA_ERROR_INVALID_VALUE);
    assert_matches(log_text(standard.err), "not started; doca_buf_inventory_start\\(\\)");
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_ERROR_NOT_PERMITTED);
    assert_matches(log_text(standard.err), "1 of 1 buffer is in use");
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

// Pages of the buffers of an inventory that are in memory, which begin with this one.
static size_t pages_in_memory(const struct doca_buf *first, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    uintptr_t begin = (uintptr_t)first & -page, end = (uintptr_t)(first + n) & -page;
    size_t pages = (end - begin) / page;
    unsigned char *in = malloc(pages);

    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(mincore((void *)begin, end - begin, in), 0);
    for (size_t i = 0; i < pages; i++)
        count += in[i] & 1;
    free(in);
    return count;
}

// Buffers that are never taken cost no memory; all can be taken.
START_TEST(unused_buffers_cost_no_memory)
{
    enum { N = 1 << 22, USED = 20000 };
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory = started(N);
    struct doca_buf **buf = calloc(USED, sizeof(*buf));
    size_t each = (size_t)sysconf(_SC_PAGESIZE) / sizeof(**buf);

    ck_assert_ptr_nonnull(buf);
    for (unsigned i = 0; i < USED; i++) {
        ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf[i]),
                         DOCA_SUCCESS);
        ck_assert_ptr_eq(buf[i], buf[0] + i);
        ck_assert_uint_eq(buf[i]->generation, buf[0]->generation);
        ck_assert(buf_exists(buf[i]));
    }
    ck_assert(!buf_exists(buf[0] + N - 1));
    ck_assert_uint_eq(free_elements(inventory), N - USED);
    ck_assert_uint_le(pages_in_memory(buf[0], N), USED / each + 4);
    for (unsigned i = 0; i < USED; i++)
        ck_assert_int_eq(doca_buf_refcount_rm(buf[i], NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(free_elements(inventory), N);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    free(buf);
}
END_TEST

START_TEST(all_buffers_can_be_taken)
{
    enum { N = 5001 };
    struct doca_mmap map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory = started(N);
    struct doca_buf *buf[N], *more;

    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < N; i++)
            ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &buf[i]),
                             DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_inventory_buf_by_addr(inventory, &map, memory, 6, &more),
                         DOCA_ERROR_NO_MEMORY);
        for (unsigned i = 0; i < N; i++)
            ck_assert_int_eq(doca_buf_refcount_rm(buf[i], NULL), DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("inventory", wrong_arguments_are_refused, properties_are_as_created,
          buffers_come_between_start_and_stop, maps_may_be_started_afterwards,
          ranges_must_lie_in_the_map, the_three_constructors_place_the_data,
          an_empty_inventory_says_so_and_recovers, duplicates_are_of_the_same_place,
          an_import_is_direct_where_it_is_mapped, messages_count, unused_buffers_cost_no_memory,
          all_buffers_can_be_taken)
