// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, on software functions or on the ibverbs device that DOCAD_TEST_FUNCTION names:
// messages, and bytes that are read, go behind the data of their buffers.

#include "child.h"
#include "env.h"
#include "nodes.h"
#include "rdma_3.h"

#include <string.h>

#define BEFORE 100u // bytes of data that a buffer has

struct pair {
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;
    struct doca_mmap *map; // b's, for a
};

static void pair_open(struct pair *p)
{
    const void *desc;
    size_t size;

    side_open(&p->a, NULL, 2);
    side_open(&p->b, p->a.pe, 2);
    OK(doca_rdma_task_receive_set_dst_buf_list_len(p->b.rdma, 2));
    OK(doca_rdma_set_max_send_buf_list_len(p->a.rdma, 2));
    side_start(&p->a);
    side_start(&p->b);
    side_join(&p->a, &p->ca, &p->b, &p->cb);
    OK(doca_mmap_export_rdma(p->b.map, p->b.dev, &desc, &size));
    OK(doca_mmap_create_from_export(NULL, desc, size, p->a.dev, &p->map));
}

static void pair_close(struct pair *p)
{
    OK(doca_mmap_destroy(p->map));
    side_close(&p->b);
    side_close(&p->a);
}

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
    size_t length;
    void *data;

    OK(doca_buf_get_data(buf, &data));
    OK(doca_buf_get_data_len(buf, &length));
    ck_assert_ptr_eq(data, s->memory + at + 1);
    ck_assert_uint_eq(length, BEFORE + n);
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

#define N_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static int receives(struct child *self, void *arg)
{
    size_t n = *(const size_t *)arg;
    struct pair p;

    (void)self;
    pair_open(&p);
    fill(p.a.memory, n, 1);
    struct doca_buf *from = data_at(&p.a, 0, n);
    struct doca_buf *to = begun_at(&p.b, 4096, 2 * n);
    for (unsigned turn = 1; turn <= 2; turn++) {
        post_receive(&p.b, to);
        submit_send(&p.a, p.ca, from);
        progress_until(&p.a, turn, 0);
        progress_until(&p.b, 0, turn);
        ck_assert_uint_eq(p.a.failed + p.b.receives_failed, 0);
        ck_assert_uint_eq(p.b.messages[turn - 1].length, n);
        if (turn == 1)
            assert_appended(&p.b, to, 4096, p.a.memory, n);
    }
    memcpy(p.a.memory + n, p.a.memory, n);
    assert_appended(&p.b, to, 4096, p.a.memory, 2 * n);
    // There is no room for one more.
    post_receive(&p.b, to);
    submit_send(&p.a, p.ca, from);
    progress_until(&p.b, 0, 3);
    progress_until(&p.a, 3, 0);
    ck_assert_uint_eq(p.b.receives_failed, 1);
    assert_appended(&p.b, to, 4096, p.a.memory, 2 * n);
    drop_buf(from), drop_buf(to);
    pair_close(&p);
    return 0;
}

START_TEST(messages_go_behind_the_data)
{
    size_t n = lengths[_i];
    child_join(child_start(nodes.host, "program", receives, &n));
}
END_TEST

static int receives_a_list(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    pair_open(&p);
    fill(p.a.memory, 3000, 2);
    struct doca_buf *from = data_at(&p.a, 0, 3000);
    struct doca_buf *first = begun_at(&p.b, 0, 1000), *second = begun_at(&p.b, 8192, 2500);
    OK(doca_buf_chain_list(first, second));
    post_receive(&p.b, first);
    submit_send(&p.a, p.ca, from);
    progress_until(&p.a, 1, 0);
    progress_until(&p.b, 0, 1);
    ck_assert_uint_eq(p.a.done, 1);
    assert_appended(&p.b, first, 0, p.a.memory, 1000);
    assert_appended(&p.b, second, 8192, p.a.memory + 1000, 2000);
    drop_buf(from), drop_buf(first);
    pair_close(&p);
    return 0;
}

START_TEST(messages_go_behind_the_data_of_a_list)
{
    child_join(child_start(nodes.host, "program", receives_a_list, NULL));
}
END_TEST

// ---- reads -------------------------------------------------------------------------------------

static void submit_read(struct pair *p, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_read *task;

    OK(doca_rdma_task_read_allocate_init(p->a.rdma, p->ca, from, to, (union doca_data){0}, &task));
    submit(doca_rdma_task_read_as_task(task));
}

static struct doca_buf *remote_at(struct pair *p, size_t at, size_t n)
{
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_data(p->a.inventory, p->map, p->b.memory + at, n, &buf));
    return buf;
}

static int reads(struct child *self, void *arg)
{
    size_t n = *(const size_t *)arg;
    struct pair p;

    (void)self;
    pair_open(&p);
    fill(p.b.memory, 2 * n, 3);
    struct doca_buf *from[] = {remote_at(&p, 0, n), remote_at(&p, n, n)};
    struct doca_buf *to = begun_at(&p.a, 4096, 2 * n);
    submit_read(&p, from[0], to);
    progress_until(&p.a, 1, 0);
    ck_assert_uint_eq(p.a.done, 1);
    assert_appended(&p.a, to, 4096, p.b.memory, n);
    submit_read(&p, from[1], to);
    progress_until(&p.a, 2, 0);
    ck_assert_uint_eq(p.a.done, 2);
    assert_appended(&p.a, to, 4096, p.b.memory, 2 * n);
    // There is no room for one more: the task fails by itself.
    submit_read(&p, from[1], to);
    progress_until(&p.a, 3, 0);
    ck_assert_uint_eq(p.a.failed, 1);
    ck_assert_int_eq(p.a.last, DOCA_ERROR_INVALID_VALUE);
    assert_appended(&p.a, to, 4096, p.b.memory, 2 * n);
    drop_buf(from[0]), drop_buf(from[1]), drop_buf(to);
    pair_close(&p);
    return 0;
}

START_TEST(what_is_read_goes_behind_the_data)
{
    size_t n = lengths[_i];
    child_join(child_start(nodes.host, "program", reads, &n));
}
END_TEST

static int reads_into_a_list(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    pair_open(&p);
    fill(p.b.memory, 3000, 4);
    struct doca_buf *from = remote_at(&p, 0, 3000);
    struct doca_buf *first = begun_at(&p.a, 0, 1000), *second = begun_at(&p.a, 8192, 2500);
    OK(doca_buf_chain_list(first, second));
    submit_read(&p, from, first);
    progress_until(&p.a, 1, 0);
    ck_assert_uint_eq(p.a.done, 1);
    assert_appended(&p.a, first, 0, p.b.memory, 1000);
    assert_appended(&p.a, second, 8192, p.b.memory + 1000, 2000);
    drop_buf(from), drop_buf(first);
    pair_close(&p);
    return 0;
}

START_TEST(what_is_read_goes_behind_the_data_of_a_list)
{
    child_join(child_start(nodes.host, "program", reads_into_a_list, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_append");
    TCase *tcase = tcase_create("doca3_rdma_append");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, messages_go_behind_the_data, 0, (int)N_LENGTHS);
    tcase_add_test(tcase, messages_go_behind_the_data_of_a_list);
    tcase_add_loop_test(tcase, what_is_read_goes_behind_the_data, 0, (int)N_LENGTHS);
    tcase_add_test(tcase, what_is_read_goes_behind_the_data_of_a_list);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
