// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA tasks on devices that imitate a card with a seed or with times: the order in which those of
// contexts and connections are completed, tasks that wait for the other side, and tasks whose time
// has not come.

#include "child.h"
#include "nodes.h"
#include "rdma_3.h"

#include <doca_dma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS   16u
#define EACH    4u // writes of a connection
#define IN_VAIN 64 // polls that must find nothing

static void imitate(const char *card)
{
    ck_assert_int_eq(setenv("DOCAD_CARD", card, 1), 0);
}

static void imitate_seed(unsigned seed)
{
    char card[64];

    snprintf(card, sizeof(card), "software,reorder=%u", seed);
    imitate(card);
}

static void poll_in_vain(struct doca_pe *pe)
{
    for (unsigned i = 0; i < IN_VAIN; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 0);
}

// ---- the order of completions
// --------------------------------------------------------------------

#define LINES 2u // of work: each keeps its order

static char order[LINES * EACH + 1];
static unsigned n_over, next_of[LINES];

static void over(union doca_data data)
{
    unsigned line = (unsigned)(data.u64 / EACH);

    ck_assert_uint_eq(data.u64 % EACH, next_of[line]); // in its order
    next_of[line]++;
    order[n_over++] = (char)('0' + line);
}

static void write_over(struct doca_rdma_task_write *task, union doca_data data,
                       union doca_data ctx_data)
{
    (void)ctx_data;
    OK(doca_task_get_status(doca_rdma_task_write_as_task(task)));
    doca_task_free(doca_rdma_task_write_as_task(task));
    over(data);
}

static void copy_over(struct doca_dma_task_memcpy *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)ctx_data;
    OK(doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    over(data);
}

static void count_writes(struct sides *s)
{
    OK(doca_rdma_task_write_set_conf(s->a.rdma, write_over, write_over, TASKS));
}

static void submit_write(struct side *side, struct doca_rdma_connection *connection,
                         struct doca_buf *from, struct doca_buf *to, uint64_t number)
{
    struct doca_rdma_task_write *task;

    OK(doca_rdma_task_write_allocate_init(side->rdma, connection, from, to,
                                          (union doca_data){.u64 = number}, &task));
    submit(doca_rdma_task_write_as_task(task));
}

struct dma {
    struct doca_dma *dma;
    struct doca_ctx *ctx;
};

static void dma_open(struct dma *d, struct side *side)
{
    OK(doca_dma_create(side->dev, &d->dma));
    d->ctx = doca_dma_as_ctx(d->dma);
    OK(doca_pe_connect_ctx(side->pe, d->ctx));
    OK(doca_dma_task_memcpy_set_conf(d->dma, copy_over, copy_over, EACH));
    OK(doca_ctx_start(d->ctx));
}

static void dma_close(struct dma *d)
{
    OK(doca_ctx_stop(d->ctx));
    OK(doca_dma_destroy(d->dma));
}

static void submit_copy(struct dma *d, struct doca_buf *from, struct doca_buf *to, uint64_t number)
{
    struct doca_dma_task_memcpy *task;

    OK(doca_dma_task_memcpy_alloc_init(d->dma, from, to, (union doca_data){.u64 = number}, &task));
    submit(doca_dma_task_memcpy_as_task(task));
}

// The lines are both connections of a context, or a context of RDMA and one of DMA.
static void run_lines(bool with_dma)
{
    struct sides s;
    struct doca_buf *from, *to, *copies[EACH];
    struct dma dma;

    sides_open(&s, &(struct sides_plan){.connections = 2, .set = count_writes});
    struct doca_mmap *map = sides_map(&s);
    s.a.memory[0] = 0x5a;
    from = data_at(&s.a, 0, 1);
    to = remote_at(&s.a, map, s.b.memory, 1);
    if (with_dma)
        dma_open(&dma, &s.a);
    n_over = next_of[0] = next_of[1] = 0;
    for (unsigned i = 0; i < EACH; i++) {
        copies[i] = room_at(&s.a, 4096 + i, 1);
        submit_write(&s.a, s.at_a[0], from, to, i);
        if (with_dma)
            submit_copy(&dma, from, copies[i], EACH + i);
        else
            submit_write(&s.a, s.at_a[1], from, to, EACH + i);
    }
    ck_assert_uint_eq(s.b.memory[0], 0x5a); // without progress
    while (n_over < LINES * EACH)
        (void)doca_pe_progress(s.a.pe);
    for (unsigned i = 0; i < EACH; i++)
        drop_buf(copies[i]);
    drop_buf(from);
    drop_buf(to);
    if (with_dma)
        dma_close(&dma);
    OK(doca_mmap_destroy(map));
    sides_close(&s);
}

static int orders(struct child *self, void *arg)
{
    bool with_dma = *(const bool *)arg;
    char first[sizeof(order)], before[sizeof(order)];
    unsigned n_same = 0;

    (void)self;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        imitate_seed(seed);
        run_lines(with_dma);
        memcpy(before, order, sizeof(order));
        run_lines(with_dma);
        ck_assert_str_eq(order, before);
        if (seed == 1)
            memcpy(first, order, sizeof(order));
        n_same += strcmp(order, first) == 0;
    }
    ck_assert_uint_lt(n_same, SEEDS);
    return 0;
}

START_TEST(a_seed_orders_connections_and_contexts)
{
    bool with_dma = _i;

    child_join(child_start(nodes.host, "program", orders, &with_dma));
}
END_TEST

// ---- tasks that wait for the other side
// ----------------------------------------------------------

// A message without a receive keeps neither the other connection nor the other context waiting.
static void waits(struct sides *s)
{
    struct doca_mmap *map = sides_map(s);
    struct doca_buf *message = data_at(&s->a, 0, 8), *room = room_at(&s->b, 4096, 8);
    struct doca_buf *from = data_at(&s->a, 64, 1), *to = remote_at(&s->a, map, s->b.memory, 1);

    n_over = next_of[0] = next_of[1] = 0;
    submit_send(&s->a, s->at_a[0], message);
    submit_write(&s->a, s->at_a[1], from, to, 0);
    while (n_over < 1)
        (void)doca_pe_progress(s->a.pe);
    poll_in_vain(s->a.pe);
    post_receive(&s->b, room);
    progress_until(&s->a, 1, 0);
    progress_until(&s->b, 0, 1);
    drop_buf(message);
    drop_buf(room);
    drop_buf(from);
    drop_buf(to);
    OK(doca_mmap_destroy(map));
}

START_TEST(a_send_without_receive_keeps_nothing_waiting)
{
    imitate_seed((unsigned)_i);
    run_sides(&(struct sides_plan){.connections = 2, .set = count_writes}, waits);
    unsetenv("DOCAD_CARD");
}
END_TEST

// ---- the end of what was done, and of what was not
// -----------------------------------------------

static void submit_sends(struct sides *s)
{
    struct doca_buf *message = data_at(&s->a, 0, 8), *room = room_at(&s->b, 4096, 8);

    post_receive(&s->b, room); // for the first one
    for (unsigned i = 0; i < EACH; i++)
        submit_send(&s->a, s->at_a[0], message);
    for (unsigned i = 0; i < IN_VAIN; i++)
        (void)doca_pe_progress(s->b.pe); // it is received
    drop_buf(message);
    drop_buf(room);
}

static void stops(struct sides *s)
{
    submit_sends(s);
    side_stop(&s->a);
    ck_assert_uint_eq(s->a.done, 1);
    ck_assert_uint_eq(s->a.failed, EACH - 1);
    ck_assert_int_eq(s->a.last, DOCA_ERROR_SHUTDOWN);
}

static void is_left(struct sides *s)
{
    submit_sends(s);
    side_stop(&s->b);
    ck_assert_uint_eq(s->b.received, 1);
    progress_until(&s->a, EACH, 0);
    ck_assert_uint_eq(s->a.done, 1);
}

START_TEST(tasks_are_reported_with_the_end_of_what_they_need)
{
    static const char *const cards[] = {
        "software,reorder=3", "software,timing=yes,rdma.send.latency_ns=1000000000000",
        "software,timing=yes,rdma.send.task_ns=1000000000000,reorder=2"};

    imitate(cards[_i / 2]);
    run_sides(&(struct sides_plan){.connections = 1}, _i % 2 ? stops : is_left);
    unsetenv("DOCAD_CARD");
}
END_TEST

// ---- times
// ---------------------------------------------------------------------------------------

static void read_one(struct sides *s, struct doca_rdma_connection *connection,
                     struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_read *task;

    OK(doca_rdma_task_read_allocate_init(s->a.rdma, connection, from, to, (union doca_data){0},
                                         &task));
    submit(doca_rdma_task_read_as_task(task));
}

// Reads take a nanosecond, messages and their receives longer than any test.
static void takes_time(struct sides *s)
{
    struct doca_mmap *map = sides_map(s);
    struct doca_buf *message = data_at(&s->a, 0, 8), *room = room_at(&s->b, 4096, 8);
    struct doca_buf *to = room_at(&s->a, 128, 16), *from = remote_at(&s->a, map, s->b.memory, 8);

    s->a.memory[0] = 0x5a;
    post_receive(&s->b, room);
    submit_send(&s->a, s->at_a[0], message);
    read_one(s, s->at_a[1], from, to);
    progress_until(&s->a, 1, 0);
    poll_in_vain(s->a.pe);
    ck_assert_uint_eq(s->b.memory[4096], 0x5a); // is there, and not reported
    ck_assert_uint_eq(s->b.received, 0);
    read_one(s, s->at_a[0], from, to); // behind the message
    poll_in_vain(s->a.pe);
    drop_buf(message);
    drop_buf(room);
    drop_buf(to);
    drop_buf(from);
    OK(doca_mmap_destroy(map));
}

// A program that sleeps is woken when the time is over.
static void is_woken(struct sides *s)
{
    struct doca_buf *message = data_at(&s->a, 0, 8), *room = room_at(&s->b, 4096, 8);

    post_receive(&s->b, room);
    submit_send(&s->a, s->at_a[0], message);
    sleep_until(&s->a, 1, 0);
    sleep_until(&s->b, 0, 1);
    drop_buf(message);
    drop_buf(room);
}

START_TEST(tasks_take_their_time)
{
    imitate("software,timing=yes,rdma.send.latency_ns=1000000000000,rdma.read.latency_ns=1");
    run_sides(&(struct sides_plan){.connections = 2}, takes_time);
    imitate("software,timing=yes,rdma.send.latency_ns=1000000");
    run_sides(&(struct sides_plan){.connections = 1}, is_woken);
    unsetenv("DOCAD_CARD");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_cards_rdma");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, a_seed_orders_connections_and_contexts, 0, 2);
    tcase_add_loop_test(tcase, a_send_without_receive_keeps_nothing_waiting, 1, 4);
    tcase_add_loop_test(tcase, tasks_are_reported_with_the_end_of_what_they_need, 0, 6);
    tcase_add_test(tcase, tasks_take_their_time);
    return run_suite(suite);
}
