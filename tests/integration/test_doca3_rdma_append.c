// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, on software functions or on the ibverbs device that DOCAD_TEST_FUNCTION names:
// messages, and bytes that are read, go behind the data of their buffers.

#include "nodes.h"
#include "rdma_3.h"

#include <string.h>

#define BEFORE 100u // bytes of data that a buffer has

static void takes_lists(struct sides *s)
{
    OK(doca_rdma_task_receive_set_dst_buf_list_len(s->b.rdma, 2));
    OK(doca_rdma_set_max_send_buf_list_len(s->a.rdma, 2));
}

static const struct sides_plan plan = {.connections = 2, .set = takes_lists};

// A buffer of `room` bytes behind BEFORE bytes of data, and a byte in front of them.
static struct doca_buf *begun_at(struct side *s, size_t at, size_t room)
{
    struct doca_buf *buf = room_at(s, at, 1 + BEFORE + room);
    memset(s->memory + at, 0xee, 1 + BEFORE + room);
    OK(doca_buf_set_data(buf, s->memory + at + 1, BEFORE));
    return buf;
}

// The buffer at `at` has its data, and behind them n bytes, the first of which are at `from`.
static void assert_appended(struct side *s, struct doca_buf *buf, size_t at, const uint8_t *from,
                            size_t n)
{
    size_t has;
    void *data;

    OK(doca_buf_get_data(buf, &data));
    OK(doca_buf_get_data_len(buf, &has));
    ck_assert_ptr_eq(data, s->memory + at + 1);
    ck_assert_uint_eq(has, BEFORE + n);
    for (size_t i = 0; i <= BEFORE; i++)
        ck_assert_uint_eq(s->memory[at + i], 0xee);
    ck_assert(memcmp(s->memory + at + 1 + BEFORE, from, n) == 0);
}

static void fill(uint8_t *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

// As long as messages that go in an entry, in chunks, and straight from the sender's memory.
static const size_t lengths[] = {1, 32, 64, 3000, 100000, 1 << 20};

static size_t length;

#define N_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static void receives(struct sides *s)
{
    fill(s->a.memory, length, 1);
    struct doca_buf *from = data_at(&s->a, 0, length);
    struct doca_buf *to = begun_at(&s->b, 4096, 2 * length);
    for (unsigned turn = 1; turn <= 2; turn++) {
        post_receive(&s->b, to);
        submit_send(&s->a, s->at_a[0], from);
        progress_until(&s->a, turn, 0);
        progress_until(&s->b, 0, turn);
        ck_assert_uint_eq(s->a.failed + s->b.receives_failed, 0);
        ck_assert_uint_eq(s->b.messages[turn - 1].length, length);
        if (turn == 1)
            assert_appended(&s->b, to, 4096, s->a.memory, length);
    }
    memcpy(s->a.memory + length, s->a.memory, length);
    assert_appended(&s->b, to, 4096, s->a.memory, 2 * length);
    // There is no room for one more.
    post_receive(&s->b, to);
    submit_send(&s->a, s->at_a[0], from);
    progress_until(&s->b, 0, 3);
    progress_until(&s->a, 3, 0);
    ck_assert_uint_eq(s->b.receives_failed, 1);
    assert_appended(&s->b, to, 4096, s->a.memory, 2 * length);
    drop_buf(from), drop_buf(to);
}

START_TEST(messages_go_behind_the_data)
{
    length = lengths[_i];
    run_sides(&plan, receives);
}
END_TEST

static void receives_a_list(struct sides *s)
{
    fill(s->a.memory, 3000, 2);
    struct doca_buf *from = data_at(&s->a, 0, 3000);
    struct doca_buf *first = begun_at(&s->b, 0, 1000), *second = begun_at(&s->b, 8192, 2500);
    OK(doca_buf_chain_list(first, second));
    post_receive(&s->b, first);
    submit_send(&s->a, s->at_a[0], from);
    progress_until(&s->a, 1, 0);
    progress_until(&s->b, 0, 1);
    ck_assert_uint_eq(s->a.done, 1);
    assert_appended(&s->b, first, 0, s->a.memory, 1000);
    assert_appended(&s->b, second, 8192, s->a.memory + 1000, 2000);
    drop_buf(from), drop_buf(first);
}

START_TEST(messages_go_behind_the_data_of_a_list)
{
    run_sides(&plan, receives_a_list);
}
END_TEST

// ---- reads

static void submit_read(struct sides *s, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_read *task;

    OK(doca_rdma_task_read_allocate_init(s->a.rdma, s->at_a[0], from, to, (union doca_data){0},
                                         &task));
    submit(doca_rdma_task_read_as_task(task));
}

static struct doca_buf *there(struct sides *s, struct doca_mmap *map, size_t at, size_t n)
{
    return remote_at(&s->a, map, s->b.memory + at, n);
}

static void reads(struct sides *s)
{
    struct doca_mmap *map = sides_map(s);
    fill(s->b.memory, 2 * length, 3);
    struct doca_buf *from[] = {there(s, map, 0, length), there(s, map, length, length)};
    struct doca_buf *to = begun_at(&s->a, 4096, 2 * length);
    submit_read(s, from[0], to);
    progress_until(&s->a, 1, 0);
    ck_assert_uint_eq(s->a.done, 1);
    assert_appended(&s->a, to, 4096, s->b.memory, length);
    submit_read(s, from[1], to);
    progress_until(&s->a, 2, 0);
    ck_assert_uint_eq(s->a.done, 2);
    assert_appended(&s->a, to, 4096, s->b.memory, 2 * length);
    // There is no room for one more: the task fails by itself.
    submit_read(s, from[1], to);
    progress_until(&s->a, 3, 0);
    ck_assert_uint_eq(s->a.failed, 1);
    ck_assert_int_eq(s->a.last, DOCA_ERROR_INVALID_VALUE);
    assert_appended(&s->a, to, 4096, s->b.memory, 2 * length);
    drop_buf(from[0]), drop_buf(from[1]), drop_buf(to);
    OK(doca_mmap_destroy(map));
}

START_TEST(what_is_read_goes_behind_the_data)
{
    length = lengths[_i];
    run_sides(&plan, reads);
}
END_TEST

static void reads_into_a_list(struct sides *s)
{
    struct doca_mmap *map = sides_map(s);
    fill(s->b.memory, 3000, 4);
    struct doca_buf *from = there(s, map, 0, 3000);
    struct doca_buf *first = begun_at(&s->a, 0, 1000), *second = begun_at(&s->a, 8192, 2500);
    OK(doca_buf_chain_list(first, second));
    submit_read(s, from, first);
    progress_until(&s->a, 1, 0);
    ck_assert_uint_eq(s->a.done, 1);
    assert_appended(&s->a, first, 0, s->b.memory, 1000);
    assert_appended(&s->a, second, 8192, s->b.memory + 1000, 2000);
    drop_buf(from), drop_buf(first);
    OK(doca_mmap_destroy(map));
}

START_TEST(what_is_read_goes_behind_the_data_of_a_list)
{
    run_sides(&plan, reads_into_a_list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_append");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, messages_go_behind_the_data, 0, (int)N_LENGTHS);
    tcase_add_test(tcase, messages_go_behind_the_data_of_a_list);
    tcase_add_loop_test(tcase, what_is_read_goes_behind_the_data, 0, (int)N_LENGTHS);
    tcase_add_test(tcase, what_is_read_goes_behind_the_data_of_a_list);
    return run_suite(suite);
}
