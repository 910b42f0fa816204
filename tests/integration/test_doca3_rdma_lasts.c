// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections of DOCA 3 while docad is restarted, and while memory is taken back, on software
// functions or on the ibverbs device that DOCAD_TEST_FUNCTION names.

#include "deadline.h"
#include "env.h"
#include "manager.h"
#include "nodes.h"
#include "rdma_3.h"

#include <arpa/inet.h>
#include <signal.h>
#include <string.h>

#define COUNTER 4096 // in the owner's memory: what the worker adds to
#define RESULT  8192 // in the worker's

// A side has two connections to the other program.
static struct doca_rdma_connection *first, *second;

static void meet(struct side *s)
{
    first = side_offer(s);
    second = side_offer(s);
    side_take(s, first);
    side_take(s, second);
}

static void introduce(struct child *owner, struct child *worker)
{
    pass_on(owner, worker);
    pass_on(owner, worker);
    pass_on(worker, owner);
    pass_on(worker, owner);
    pass_on(owner, worker); // the map
    pass_on(owner, worker);
}

// ---- restarts

static void add_one(struct side *s, struct doca_buf *word, struct doca_buf *before)
{
    struct doca_rdma_task_atomic_fetch_add *task;

    OK(doca_rdma_task_atomic_fetch_add_allocate_init(s->rdma, first, word, before, 1,
                                                     (union doca_data){0}, &task));
    submit(doca_rdma_task_atomic_fetch_add_as_task(task));
}

// Counts in the owner's memory and in messages, until it is told to end.
static void counts(struct side *s)
{
    uint8_t *there;
    uint32_t n = 0;

    meet(s);
    struct doca_mmap *map = side_take_map(s, &there);
    struct doca_buf *word = remote_at(s, map, there + COUNTER, 8);
    struct doca_buf *before = room_at(s, RESULT, 8);
    child_tell(s->self, "counting");
    while (!child_hears(s->self)) {
        add_one(s, word, before);
        submit_send_imm(s, second, NULL, htonl(n++));
        progress_until(s, 2 * n, 0);
        ck_assert_uint_eq(s->failed, 0);
        ck_assert_uint_eq(*(uint64_t *)(void *)(s->memory + RESULT), n - 1);
    }
    child_wait(s->self, "enough");
    child_send(s->self, &n, sizeof(n));
    child_wait(s->self, "end");
    drop_buf(word);
    drop_buf(before);
    OK(doca_mmap_destroy(map));
}

static void take_message(struct side *s, uint32_t number)
{
    progress_until(s, 0, 1);
    ck_assert_uint_eq(s->receives_failed, 0);
    ck_assert_uint_eq(ntohl(s->messages[0].immediate), number);
    ck_assert_ptr_eq(s->messages[0].connection, second);
    s->received = 0;
}

static void is_counted_at(struct side *s)
{
    uint32_t n = 0, all = UINT32_MAX;

    meet(s);
    side_send_map(s);
    while (n < all) {
        post_receive(s, NULL);
        while (!s->received && n < all) {
            doca_pe_progress(s->pe);
            if (all == UINT32_MAX && child_hears(s->self))
                ck_assert_uint_eq(child_receive(s->self, &all, sizeof(all)), sizeof(all));
        }
        if (n < all)
            take_message(s, n++);
    }
    ck_assert_uint_eq(*(uint64_t *)(void *)(s->memory + COUNTER), all);
    child_tell(s->self, "counted");
    child_wait(s->self, "end");
}

// Nothing is lost, and nothing is done twice.
START_TEST(work_goes_on_while_docad_restarts)
{
    struct daemon *d = daemon_start(&(struct daemon_options){.run = manager_run});
    struct child *owner = side_start_in(d, "owner", 2, is_counted_at);
    struct child *worker = side_start_in(d, "worker", 2, counts);

    introduce(owner, worker);
    child_wait(worker, "counting");
    for (int i = 0; i < 2; i++)
        manager_restart(d, _i ? SIGKILL : SIGTERM);
    child_tell(worker, "enough");
    pass_on(worker, owner); // the number
    child_wait(owner, "counted");
    child_tell(worker, "end");
    child_join(worker);
    child_tell(owner, "end");
    child_join(owner);
}
END_TEST

// ---- memory that is taken back

static bool by_owner; // or by docactl

static void read_there(struct side *s, struct doca_buf *remote, struct doca_buf *room)
{
    struct doca_rdma_task_read *task;
    void *head;

    OK(doca_buf_get_head(room, &head));
    OK(doca_buf_set_data(room, head, 0));
    OK(doca_rdma_task_read_allocate_init(s->rdma, first, remote, room, (union doca_data){0},
                                         &task));
    submit(doca_rdma_task_read_as_task(task));
}

static void reads(struct side *s)
{
    uint8_t *there;

    meet(s);
    struct doca_mmap *map = side_take_map(s, &there);
    struct doca_buf *remote = remote_at(s, map, there, 64);
    struct doca_buf *room = room_at(s, 0, 64);
    read_there(s, remote, room);
    progress_until(s, 1, 0);
    ck_assert_uint_eq(s->done, 1);
    child_tell(s->self, "read");
    child_wait(s->self, "taken back");
    read_there(s, remote, room);
    progress_until(s, 2, 0);
    ck_assert_uint_eq(s->failed, 1);
    ck_assert_int_eq(s->last, by_owner ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_NOT_PERMITTED);
    submit_send_imm(s, second, NULL, htonl(9)); // nothing has happened to this one
    progress_until(s, 3, 0);
    ck_assert_uint_eq(s->done, 2);
    drop_buf(remote);
    drop_buf(room);
    OK(doca_mmap_destroy(map));
    child_tell(s->self, "sent");
    child_wait(s->self, "end");
}

static void lends(struct side *s)
{
    meet(s);
    side_send_map(s);
    child_wait(s->self, "take back");
    if (by_owner)
        OK(doca_mmap_stop(s->map));
    child_tell(s->self, "taken back");
    post_receive(s, NULL);
    progress_until(s, 0, 1);
    ck_assert_uint_eq(s->receives_failed, 0);
    ck_assert_ptr_eq(s->messages[0].connection, second);
    child_wait(s->self, "end");
}

// By the owner, or by docactl. The connection that reads it ends, the other one does not.
START_TEST(memory_is_taken_back)
{
    by_owner = _i;
    struct child *owner = side_start_in(nodes.host, "owner", 2, lends);
    struct child *reader = side_start_in(nodes.host, "reader", 2, reads);

    introduce(owner, reader);
    child_wait(reader, "read");
    if (!by_owner)
        revoke_all_of(nodes.host, owner);
    child_tell(owner, "take back");
    child_wait(owner, "taken back");
    child_tell(reader, "taken back");
    child_wait(reader, "sent");
    child_tell(reader, "end");
    child_join(reader);
    child_tell(owner, "end");
    child_join(owner);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_lasts");
    TCase *restarts = tcase_create("restarts");
    TCase *memory = case_near(suite);

    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_set_timeout(restarts, 120);
    tcase_add_loop_test(restarts, work_goes_on_while_docad_restarts, 0, 2);
    suite_add_tcase(suite, restarts);
    tcase_add_loop_test(memory, memory_is_taken_back, 0, 2);
    return run_suite(suite);
}
