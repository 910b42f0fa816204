// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lists of buffers in RDMA tasks of DOCA 3, on software functions or on the ibverbs device that
// DOCAD_TEST_FUNCTION names: as long as the capability lets them be, one longer, over several maps,
// with empty elements; and no buffer at all, which stands for no bytes.

#include "child.h"
#include "nodes.h"
#include "rdma_3.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define MOST    64u // elements that the test makes, if the device takes so many
#define ELEMENT 96u
#define SECOND  ((size_t)1 << 20) // of the pages where the other lists are

struct pair {
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;
    struct doca_mmap *more;       // of a, on memory of its own
    struct doca_mmap *there;      // b's memory, as a sees it
    struct doca_buf_inventory *n; // of both, for lists
    uint8_t *more_memory;
    uint32_t most, most_received;
};

static void ask_limits(struct pair *p)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(p->a.dev);
    uint32_t n;

    OK(doca_rdma_cap_get_max_send_buf_list_len(info, &p->most));
    OK(doca_rdma_cap_task_receive_get_max_dst_buf_list_len(info, DOCA_RDMA_TRANSPORT_TYPE_RC,
                                                           &p->most_received));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_max_send_buf_list_len(p->a.rdma, p->most + 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_rdma_task_receive_set_dst_buf_list_len(p->b.rdma, p->most_received + 1));
    OK(doca_rdma_get_max_send_buf_list_len(p->a.rdma, &n));
    ck_assert_uint_eq(n, 1);
    OK(doca_rdma_task_receive_get_dst_buf_list_len(p->b.rdma, &n));
    ck_assert_uint_eq(n, 1);
    p->most = p->most < MOST ? p->most : MOST;
    p->most_received = p->most_received < MOST ? p->most_received : MOST;
}

static void open_more(struct pair *p)
{
    p->more_memory = aligned_alloc(4096, SECOND);
    ck_assert_ptr_nonnull(p->more_memory);
    OK(doca_mmap_create(&p->more));
    OK(doca_mmap_add_dev(p->more, p->a.dev));
    OK(doca_mmap_set_permissions(p->more, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    OK(doca_mmap_set_memrange(p->more, p->more_memory, SECOND));
    OK(doca_mmap_start(p->more));
}

static void import(struct pair *p)
{
    const void *desc;
    size_t size;

    OK(doca_mmap_export_rdma(p->b.map, p->b.dev, &desc, &size));
    OK(doca_mmap_create_from_export(NULL, desc, size, p->a.dev, &p->there));
}

// `set` says whether both are told how long lists become.
static void open_pair(struct pair *p, bool set)
{
    *p = (struct pair){0};
    side_open(&p->a, NULL, 1);
    side_open(&p->b, p->a.pe, 1);
    ask_limits(p);
    if (set) {
        OK(doca_rdma_set_max_send_buf_list_len(p->a.rdma, p->most));
        OK(doca_rdma_task_receive_set_dst_buf_list_len(p->b.rdma, p->most_received));
    }
    OK(doca_buf_inventory_create(512, &p->n));
    OK(doca_buf_inventory_start(p->n));
    side_start(&p->a);
    side_start(&p->b);
    side_join(&p->a, &p->ca, &p->b, &p->cb);
    open_more(p);
    import(p);
}

static void close_pair(struct pair *p)
{
    OK(doca_mmap_destroy(p->there));
    side_stop(&p->a);
    OK(doca_mmap_destroy(p->more));
    OK(doca_buf_inventory_destroy(p->n));
    free(p->more_memory);
    side_close(&p->b);
    side_close(&p->a);
}

// ---- lists

static struct doca_buf *append(struct doca_buf *list, struct doca_buf *buf)
{
    if (!list)
        return buf;
    OK(doca_buf_chain_list(list, buf));
    return list;
}

// The place of an element: every other one is in the second map; every seventh is empty.
static uint8_t *place(const struct pair *p, uint32_t i)
{
    return (i % 2 ? p->more_memory : p->a.memory) + (size_t)i * 128;
}

static size_t part(uint32_t i)
{
    return i % 7 == 3 ? 0 : ELEMENT;
}

static size_t sum(uint32_t n)
{
    size_t s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += part(i);
    return s;
}

// Of a: with data in it, or room. An empty element has no data, or no room behind its data.
static struct doca_buf *list_of_a(struct pair *p, uint32_t n, bool data)
{
    struct doca_buf *list = NULL, *buf;

    for (uint32_t i = 0; i < n; i++) {
        struct doca_mmap *map = i % 2 ? p->more : p->a.map;
        OK(data == (part(i) != 0)
               ? doca_buf_inventory_buf_get_by_data(p->n, map, place(p, i), ELEMENT, &buf)
               : doca_buf_inventory_buf_get_by_addr(p->n, map, place(p, i), ELEMENT, &buf));
        if (data)
            memset(place(p, i), (int)(i + 1), ELEMENT);
        list = append(list, buf);
    }
    return list;
}

static struct doca_buf *room_of_b(struct pair *p, uint32_t n, size_t each)
{
    struct doca_buf *list = NULL, *buf;

    for (uint32_t i = 0; i < n; i++) {
        OK(doca_buf_inventory_buf_get_by_addr(p->n, p->b.map, p->b.memory + SECOND + i * each, each,
                                              &buf));
        list = append(list, buf);
    }
    return list;
}

static struct doca_buf *remote(struct pair *p, size_t at, size_t size)
{
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_data(p->n, p->there, p->b.memory + at, size, &buf));
    return buf;
}

static void assert_arrived(const struct pair *p, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, bytes += part(i - 1))
        for (size_t j = 0; j < part(i); j++)
            ck_assert_msg(bytes[j] == i + 1, "element %u: %u", i, bytes[j]);
    (void)p;
}

static void assert_lengths(struct doca_buf *list, size_t each, size_t total)
{
    for (; list; total -= each < total ? each : total) {
        size_t length;
        OK(doca_buf_get_data_len(list, &length));
        ck_assert_uint_eq(length, each < total ? each : total);
        OK(doca_buf_get_next_in_list(list, &list));
    }
}

// ---- sends

static void sends(struct pair *p, uint32_t n, bool immediate)
{
    struct doca_buf *from = list_of_a(p, n, true);
    const size_t each = (sum(n) + p->most_received - 1) / p->most_received;
    struct doca_buf *to = room_of_b(p, p->most_received, each);
    const unsigned received = p->b.received, done = p->a.done;

    memset(p->b.memory + SECOND, 0, SECOND);
    post_receive(&p->b, to);
    if (immediate)
        submit_send_imm(&p->a, p->ca, from, htonl(9));
    else
        submit_send(&p->a, p->ca, from);
    progress_until(&p->a, done + 1, 0);
    progress_until(&p->b, 0, received + 1);
    ck_assert_uint_eq(p->a.failed + p->b.receives_failed, 0);
    ck_assert_uint_eq(p->b.messages[received].length, sum(n));
    assert_arrived(p, p->b.memory + SECOND, n);
    assert_lengths(to, each, sum(n));
    drop_buf(from), drop_buf(to);
}

// ---- reads and writes

static void submit_write(struct pair *p, struct doca_buf *from, struct doca_buf *to, bool immediate)
{
    struct doca_rdma_task_write_imm *with;
    struct doca_rdma_task_write *task;

    if (immediate) {
        OK(doca_rdma_task_write_imm_allocate_init(p->a.rdma, p->ca, from, to, htonl(3),
                                                  (union doca_data){0}, &with));
        submit(doca_rdma_task_write_imm_as_task(with));
    } else {
        OK(doca_rdma_task_write_allocate_init(p->a.rdma, p->ca, from, to, (union doca_data){0},
                                              &task));
        submit(doca_rdma_task_write_as_task(task));
    }
}

static void submit_read(struct pair *p, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_read *task;

    OK(doca_rdma_task_read_allocate_init(p->a.rdma, p->ca, from, to, (union doca_data){0}, &task));
    submit(doca_rdma_task_read_as_task(task));
}

static void writes(struct pair *p, uint32_t n, bool immediate)
{
    struct doca_buf *from = list_of_a(p, n, true), *to = remote(p, SECOND, sum(n));
    const unsigned done = p->a.done, received = p->b.received;

    memset(p->b.memory + SECOND, 0, SECOND);
    if (immediate)
        post_receive(&p->b, NULL);
    submit_write(p, from, to, immediate);
    progress_until(&p->a, done + 1, 0);
    if (immediate) {
        progress_until(&p->b, 0, received + 1);
        ck_assert_uint_eq(p->b.messages[received].length, sum(n));
    }
    ck_assert_uint_eq(p->a.failed + p->b.receives_failed, 0);
    assert_arrived(p, p->b.memory + SECOND, n);
    drop_buf(from), drop_buf(to);
}

static void reads(struct pair *p, uint32_t n)
{
    struct doca_buf *to = list_of_a(p, n, false), *from = remote(p, SECOND, sum(n));
    const unsigned done = p->a.done;
    size_t length, total = 0;

    for (size_t i = 0; i < sum(n); i++)
        p->b.memory[SECOND + i] = (uint8_t)(i * 7);
    submit_read(p, from, to);
    progress_until(&p->a, done + 1, 0);
    ck_assert_uint_eq(p->a.failed, 0);
    struct doca_buf *buf = to;
    for (uint32_t i = 0; i < n; i++) {
        OK(doca_buf_get_data_len(buf, &length));
        ck_assert_uint_eq(length, ELEMENT);
        for (size_t j = 0; j < part(i); j++)
            ck_assert_uint_eq(place(p, i)[j], (uint8_t)((total + j) * 7));
        total += part(i);
        OK(doca_buf_get_next_in_list(buf, &buf));
    }
    drop_buf(to), drop_buf(from);
}

static int longest(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    open_pair(&p, true);
    for (uint32_t n = 1; n <= p.most; n = n < p.most && 8 * n > p.most ? p.most : 8 * n) {
        sends(&p, n, false);
        sends(&p, n, true);
        writes(&p, n, false);
        writes(&p, n, true);
        reads(&p, n);
    }
    close_pair(&p);
    return 0;
}

START_TEST(lists_as_long_as_they_may_be)
{
    child_join(child_start(nodes.host, "program", longest, NULL));
}
END_TEST

// ---- too long

static void assert_refused(struct pair *p, struct doca_task *task, bool receive)
{
    struct side *s = receive ? &p->b : &p->a;
    unsigned *failed = receive ? &s->receives_failed : &s->failed;
    const unsigned before = *failed;

    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
    ck_assert_uint_eq(*failed, before);
    s->last = DOCA_SUCCESS;
    submit(task);
    progress_until(s, receive ? 0 : s->done + before + 1, receive ? s->received + before + 1 : 0);
    ck_assert_uint_eq(*failed, before + 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_INVALID_VALUE);
}

static void refuses_accesses(struct pair *p, uint32_t n)
{
    const union doca_data none = {0};
    struct doca_buf *list = list_of_a(p, n, true), *room = list_of_a(p, n, false);
    struct doca_buf *there = remote(p, SECOND, sum(n));
    struct doca_rdma_task_write_imm *with;
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_read *read;

    OK(doca_rdma_task_write_allocate_init(p->a.rdma, p->ca, list, there, none, &write));
    assert_refused(p, doca_rdma_task_write_as_task(write), false);
    OK(doca_rdma_task_write_imm_allocate_init(p->a.rdma, p->ca, list, there, 0, none, &with));
    assert_refused(p, doca_rdma_task_write_imm_as_task(with), false);
    OK(doca_rdma_task_read_allocate_init(p->a.rdma, p->ca, there, room, none, &read));
    assert_refused(p, doca_rdma_task_read_as_task(read), false);
    drop_buf(list), drop_buf(room), drop_buf(there);
}

static void refuses_sends(struct pair *p, uint32_t n)
{
    const union doca_data none = {0};
    struct doca_buf *list = list_of_a(p, n, true);
    struct doca_rdma_task_send *send;
    struct doca_rdma_task_send_imm *with;

    OK(doca_rdma_task_send_allocate_init(p->a.rdma, p->ca, list, none, &send));
    assert_refused(p, doca_rdma_task_send_as_task(send), false);
    OK(doca_rdma_task_send_imm_allocate_init(p->a.rdma, p->ca, list, 0, none, &with));
    assert_refused(p, doca_rdma_task_send_imm_as_task(with), false);
    drop_buf(list);
}

static void refuses_receives(struct pair *p, uint32_t n)
{
    struct doca_buf *list = room_of_b(p, n, ELEMENT);
    struct doca_rdma_task_receive *task;

    OK(doca_rdma_task_receive_allocate_init(p->b.rdma, list, (union doca_data){0}, &task));
    assert_refused(p, doca_rdma_task_receive_as_task(task), true);
    drop_buf(list);
}

// Such a task fails, and only that one.
static int too_long(struct child *self, void *arg)
{
    struct pair p;

    (void)self;
    open_pair(&p, arg != NULL);
    const uint32_t most = arg ? p.most : 1, received = arg ? p.most_received : 1;
    refuses_accesses(&p, most + 1);
    refuses_sends(&p, most + 1);
    refuses_receives(&p, received + 1);
    p.a.failed = p.b.receives_failed = p.a.done = 0;
    if (!arg)
        p.most_received = 1;
    sends(&p, most, false);
    reads(&p, most);
    close_pair(&p);
    return 0;
}

// By default a list is one buffer.
START_TEST(lists_that_are_too_long)
{
    child_join(child_start(nodes.host, "program", too_long, _i ? &nodes : NULL));
}
END_TEST

// ---- no bytes

static int empty(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    open_pair(&p, true);
    struct doca_buf *there = remote(&p, 0, 8), *here = room_at(&p.a, 0, 8);
    struct doca_buf *nothing = room_at(&p.a, 64, 8), *nowhere = data_at(&p.a, 0, 8);
    OK(doca_buf_set_data_len(nowhere, 0));
    memset(p.b.memory, 0x77, 8);
    submit_write(&p, NULL, there, false);
    submit_write(&p, NULL, NULL, false);
    submit_write(&p, nothing, there, false); // without data
    submit_write(&p, nowhere, there, false);
    submit_read(&p, NULL, here);
    submit_read(&p, NULL, NULL);
    progress_until(&p.a, 6, 0);
    post_receive(&p.b, NULL);
    post_receive(&p.b, NULL);
    post_receive(&p.b, NULL);
    submit_write(&p, NULL, there, true);
    submit_send(&p.a, p.ca, nothing);
    submit_send_imm(&p.a, p.ca, nowhere, htonl(4));
    progress_until(&p.a, 9, 0);
    progress_until(&p.b, 0, 3);
    ck_assert_uint_eq(p.a.failed + p.b.receives_failed, 0);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(p.b.messages[i].length, 0);
    ck_assert_int_eq(p.b.messages[0].opcode, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
    ck_assert_int_eq(p.b.messages[2].opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_uint_eq(p.b.memory[i], 0x77);
    size_t length;
    OK(doca_buf_get_data_len(here, &length));
    ck_assert_uint_eq(length, 0);
    // Bytes without a destination are a mistake, and cost only their task.
    OK(doca_buf_set_data_len(nowhere, 8));
    submit_read(&p, there, NULL);
    submit_write(&p, nowhere, NULL, false);
    submit_write(&p, nowhere, NULL, true);
    progress_until(&p.a, 12, 0);
    ck_assert_uint_eq(p.a.failed, 3);
    ck_assert_int_eq(p.a.last, DOCA_ERROR_INVALID_VALUE);
    submit_read(&p, there, here);
    progress_until(&p.a, 13, 0);
    ck_assert_uint_eq(p.a.failed, 3);
    drop_buf(there), drop_buf(here), drop_buf(nothing), drop_buf(nowhere);
    close_pair(&p);
    return 0;
}

START_TEST(no_bytes)
{
    child_join(child_start(nodes.host, "program", empty, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_lists");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, lists_as_long_as_they_may_be);
    tcase_add_loop_test(tcase, lists_that_are_too_long, 0, 2);
    tcase_add_test(tcase, no_bytes);
    return run_suite(suite);
}
