// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, on software functions or on the ibverbs device that DOCAD_TEST_FUNCTION names:
// what a task reads and writes is what its buffers said when it was submitted. Here the program
// gives them back right afterwards and uses them for other memory, or points them elsewhere.

#include "nodes.h"
#include "rdma_3.h"

#include <string.h>

#define PIECES 2
#define FROM   ((size_t)0)
#define TO     ((size_t)2 << 20)
#define OTHER  ((size_t)4 << 20) // this is not to be touched
#define WORD   ((size_t)5 << 20)

static void takes_lists(struct sides *s)
{
    OK(doca_rdma_task_receive_set_dst_buf_list_len(s->b.rdma, PIECES));
    OK(doca_rdma_set_max_send_buf_list_len(s->a.rdma, PIECES));
}

static const struct sides_plan plan = {.set = takes_lists};

enum change { GIVEN_BACK, POINTED_ELSEWHERE, CHANGES };

// As long as messages that go in an entry, in chunks, and straight from the sender's memory.
static const size_t lengths[] = {8, 64, 3000, 100000, 1 << 20};

#define N_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static struct {
    size_t length;
    unsigned pieces;
    enum change change;
} with;

static void fill(uint8_t *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

// The buffers of one end of a task, before and after it was submitted.
struct given {
    struct side *side;
    struct doca_buf *bufs[PIECES];
    unsigned n;
};

static struct given give(struct side *side, size_t at, bool data, unsigned pieces)
{
    struct given given = {.side = side, .n = pieces};
    size_t done = 0;

    for (unsigned i = 0; i < pieces; i++) {
        size_t share = i + 1 < pieces ? with.length / 3 + 1 : with.length - done;
        given.bufs[i] = data ? data_at(side, at + done, share) : room_at(side, at + done, share);
        if (i)
            OK(doca_buf_chain_list(given.bufs[0], given.bufs[i]));
        done += share;
    }
    return given;
}

static void change(struct given *given)
{
    struct side *side = given->side;

    for (unsigned i = 0; i < given->n && with.change == POINTED_ELSEWHERE; i++)
        OK(doca_buf_inventory_buf_reuse_by_addr(given->bufs[i], side->memory + OTHER + 64 * i, 64));
    if (with.change == POINTED_ELSEWHERE)
        return;
    drop_buf(given->bufs[0]);
    for (unsigned i = 0; i < given->n; i++) // the same elements of the inventory
        given->bufs[i] = room_at(side, OTHER + 64 * i, 64);
}

// Says what became of the buffers, and gives them back.
static void check(struct given *given)
{
    size_t has;

    for (unsigned i = 0; i < given->n; i++) {
        OK(doca_buf_get_data_len(given->bufs[i], &has));
        ck_assert_uint_eq(has, 0);
    }
    for (unsigned i = 0; i < (with.change == GIVEN_BACK ? given->n : 1); i++)
        drop_buf(given->bufs[i]);
    for (size_t i = 0; i < 256; i++)
        ck_assert_uint_eq(given->side->memory[OTHER + i], 0x5a);
}

static void prepare(struct sides *s)
{
    fill(s->a.memory + FROM, with.length, 1);
    fill(s->b.memory + FROM, with.length, 2);
    memset(s->a.memory + OTHER, 0x5a, 256);
    memset(s->b.memory + OTHER, 0x5a, 256);
}

// ---- messages ----------------------------------------------------------------------------------

// The receive is there before its message.
static void receives(struct sides *s)
{
    prepare(s);
    struct given from = give(&s->a, FROM, true, with.pieces);
    struct given to = give(&s->b, TO, false, with.pieces);
    post_receive(&s->b, to.bufs[0]);
    change(&to);
    submit_send(&s->a, s->at_a[0], from.bufs[0]);
    change(&from);
    progress_until(&s->a, 1, 0);
    progress_until(&s->b, 0, 1);
    ck_assert_uint_eq(s->a.failed + s->b.receives_failed, 0);
    ck_assert_uint_eq(s->b.messages[0].length, with.length);
    ck_assert(memcmp(s->b.memory + TO, s->a.memory + FROM, with.length) == 0);
    check(&from);
    check(&to);
}

#define WAITING 3

// Messages that wait for receives, in chunks as far as they fit in.
static void sends(struct sides *s)
{
    struct given from[WAITING], to;

    prepare(s);
    for (unsigned i = 0; i < WAITING; i++) {
        from[i] = give(&s->a, FROM, true, with.pieces);
        submit_send(&s->a, s->at_a[0], from[i].bufs[0]);
        change(&from[i]);
    }
    for (unsigned i = 0; i < WAITING; i++) {
        memset(s->b.memory + TO, 0, with.length);
        to = give(&s->b, TO, false, with.pieces);
        post_receive(&s->b, to.bufs[0]);
        change(&to);
        progress_until(&s->b, 0, i + 1);
        ck_assert(memcmp(s->b.memory + TO, s->a.memory + FROM, with.length) == 0);
        check(&to);
    }
    progress_until(&s->a, WAITING, 0);
    ck_assert_uint_eq(s->a.failed + s->b.receives_failed, 0);
    for (unsigned i = 0; i < WAITING; i++)
        check(&from[i]);
}

// ---- remote memory -----------------------------------------------------------------------------

static void submit_read(struct sides *s, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_read *task;
    OK(doca_rdma_task_read_allocate_init(s->a.rdma, s->at_a[0], from, to, (union doca_data){0},
                                         &task));
    submit(doca_rdma_task_read_as_task(task));
}

static void submit_write(struct sides *s, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_rdma_task_write *task;
    OK(doca_rdma_task_write_allocate_init(s->a.rdma, s->at_a[0], from, to, (union doca_data){0},
                                          &task));
    submit(doca_rdma_task_write_as_task(task));
}

static void submit_add(struct sides *s, struct doca_buf *word, struct doca_buf *result)
{
    struct doca_rdma_task_atomic_fetch_add *task;
    OK(doca_rdma_task_atomic_fetch_add_allocate_init(s->a.rdma, s->at_a[0], word, result, 5,
                                                     (union doca_data){0}, &task));
    submit(doca_rdma_task_atomic_fetch_add_as_task(task));
}

// They wait for a message before them, which waits for its receive.
static void accesses(struct sides *s)
{
    struct doca_mmap *map = sides_map(s);
    uint64_t *word = (uint64_t *)(void *)(s->b.memory + WORD), before;

    prepare(s);
    *word = 7;
    struct doca_buf *message = data_at(&s->a, FROM, 8);
    submit_send(&s->a, s->at_a[0], message);
    struct doca_buf *remote[] = {remote_at(&s->a, map, s->b.memory + FROM, with.length),
                                 remote_at(&s->a, map, s->b.memory + TO, with.length),
                                 remote_at(&s->a, map, s->b.memory + WORD, 8)};
    struct given read = give(&s->a, TO, false, with.pieces);
    submit_read(s, remote[0], read.bufs[0]);
    change(&read);
    struct given written = give(&s->a, FROM, true, with.pieces);
    submit_write(s, written.bufs[0], remote[1]);
    change(&written);
    struct doca_buf *result = data_at(&s->a, WORD, 8);
    submit_add(s, remote[2], result);
    drop_buf(result);
    for (unsigned i = 0; i < 3; i++)
        drop_buf(remote[i]);
    struct doca_buf *others[] = {remote_at(&s->a, map, s->b.memory + OTHER, 64),
                                 remote_at(&s->a, map, s->b.memory + OTHER, 64),
                                 remote_at(&s->a, map, s->b.memory + OTHER, 64)};
    struct doca_buf *room = room_at(&s->b, WORD + 64, 8);
    post_receive(&s->b, room);
    progress_until(&s->b, 0, 1);
    progress_until(&s->a, 4, 0);
    ck_assert_uint_eq(s->a.failed + s->b.receives_failed, 0);
    ck_assert(memcmp(s->a.memory + TO, s->b.memory + FROM, with.length) == 0);
    ck_assert(memcmp(s->b.memory + TO, s->a.memory + FROM, with.length) == 0);
    memcpy(&before, s->a.memory + WORD, 8);
    ck_assert_uint_eq(before, 7);
    ck_assert_uint_eq(*word, 12);
    for (unsigned i = 0; i < 3; i++)
        drop_buf(others[i]);
    check(&read);
    check(&written);
    drop_buf(message), drop_buf(room);
    OK(doca_mmap_destroy(map));
}

// ------------------------------------------------------------------------------------------------

// For each length, of one buffer and of a list.
static void run(int i, sides_fn fn)
{
    with.length = lengths[(size_t)i % N_LENGTHS];
    for (with.pieces = 1; with.pieces <= PIECES; with.pieces++)
        run_sides(&plan, fn);
}

START_TEST(receives_that_are_posted)
{
    with.change = (enum change)((size_t)_i / N_LENGTHS);
    run(_i, receives);
}
END_TEST

START_TEST(sends_that_wait)
{
    with.change = (enum change)((size_t)_i / N_LENGTHS);
    run(_i, sends);
}
END_TEST

START_TEST(accesses_that_wait)
{
    with.change = (enum change)((size_t)_i / N_LENGTHS);
    run(_i, accesses);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_given_back");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, receives_that_are_posted, 0, (int)(N_LENGTHS * CHANGES));
    tcase_add_loop_test(tcase, sends_that_wait, 0, (int)(N_LENGTHS * CHANGES));
    tcase_add_loop_test(tcase, accesses_that_wait, 0, (int)(N_LENGTHS * CHANGES));
    return run_suite(suite);
}
