// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections of DOCA 3 while docad is restarted, and while memory is taken back, on software
// functions or on the ibverbs device that DOCAD_TEST_FUNCTION names.

#include "child.h"
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

// A side with two connections to the other program.
struct party {
    struct side side;
    struct doca_rdma_connection *first, *second;
};

static void party_open(struct party *p)
{
    side_open(&p->side, NULL, 2);
    side_start(&p->side);
}

static struct doca_rdma_connection *offer(struct child *self, struct party *p)
{
    struct details mine;
    struct doca_rdma_connection *connection = side_export(&p->side, &mine);

    child_send(self, mine.bytes, mine.size);
    return connection;
}

static void take(struct child *self, struct party *p, struct doca_rdma_connection *connection)
{
    struct details other;

    other.size = child_receive(self, other.bytes, sizeof(other.bytes));
    side_connect(&p->side, connection, &other);
}

static void party_meet(struct party *p, struct child *self)
{
    p->first = offer(self, p);
    p->second = offer(self, p);
    take(self, p, p->first);
    take(self, p, p->second);
}

static void send_map(struct child *self, struct party *p)
{
    uint8_t *at = p->side.memory;
    const void *desc;
    size_t size;

    OK(doca_mmap_export_rdma(p->side.map, p->side.dev, &desc, &size));
    child_send(self, desc, size);
    child_send(self, &at, sizeof(at));
}

static struct doca_mmap *take_map(struct child *self, struct party *p, uint8_t **at)
{
    uint8_t desc[1024];
    struct doca_mmap *map;

    size_t size = child_receive(self, desc, sizeof(desc));
    OK(doca_mmap_create_from_export(NULL, desc, size, p->side.dev, &map));
    ck_assert_uint_eq(child_receive(self, at, sizeof(*at)), sizeof(*at));
    return map;
}

static void pass_on(struct child *from, struct child *to)
{
    uint8_t bytes[1024];

    child_send(to, bytes, child_receive(from, bytes, sizeof(bytes)));
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

// ---- restarts ----------------------------------------------------------------------------------

static void add_one(struct party *p, struct doca_buf *word, struct doca_buf *before)
{
    struct doca_rdma_task_atomic_fetch_add *task;

    OK(doca_rdma_task_atomic_fetch_add_allocate_init(p->side.rdma, p->first, word, before, 1,
                                                     (union doca_data){0}, &task));
    submit(doca_rdma_task_atomic_fetch_add_as_task(task));
}

// Counts in the owner's memory and in messages, until it is told to end.
static int counts(struct child *self, void *arg)
{
    struct doca_buf *word, *before;
    struct party p;
    uint8_t *there;
    uint32_t n = 0;

    (void)arg;
    party_open(&p);
    party_meet(&p, self);
    struct doca_mmap *map = take_map(self, &p, &there);
    OK(doca_buf_inventory_buf_get_by_data(p.side.inventory, map, there + COUNTER, 8, &word));
    before = room_at(&p.side, RESULT, 8);
    child_tell(self, "counting");
    while (!child_hears(self)) {
        add_one(&p, word, before);
        submit_send_imm(&p.side, p.second, NULL, htonl(n++));
        progress_until(&p.side, 2 * n, 0);
        ck_assert_uint_eq(p.side.failed, 0);
        ck_assert_uint_eq(*(uint64_t *)(void *)(p.side.memory + RESULT), n - 1);
    }
    child_wait(self, "enough");
    child_send(self, &n, sizeof(n));
    child_wait(self, "end");
    OK(doca_buf_dec_refcount(word, NULL));
    OK(doca_buf_dec_refcount(before, NULL));
    OK(doca_mmap_destroy(map));
    side_close(&p.side);
    return 0;
}

static void take_message(struct party *p, uint32_t number)
{
    progress_until(&p->side, 0, 1);
    ck_assert_uint_eq(p->side.receives_failed, 0);
    ck_assert_uint_eq(ntohl(p->side.messages[0].immediate), number);
    ck_assert_ptr_eq(p->side.messages[0].connection, p->second);
    p->side.received = 0;
}

static int is_counted_at(struct child *self, void *arg)
{
    uint32_t n = 0, all = UINT32_MAX;
    struct party p;

    (void)arg;
    party_open(&p);
    party_meet(&p, self);
    send_map(self, &p);
    while (n < all) {
        post_receive(&p.side, NULL);
        while (!p.side.received && n < all) {
            doca_pe_progress(p.side.pe);
            if (all == UINT32_MAX && child_hears(self))
                ck_assert_uint_eq(child_receive(self, &all, sizeof(all)), sizeof(all));
        }
        if (n < all)
            take_message(&p, n++);
    }
    ck_assert_uint_eq(*(uint64_t *)(void *)(p.side.memory + COUNTER), all);
    child_tell(self, "counted");
    child_wait(self, "end");
    side_close(&p.side);
    return 0;
}

// Nothing is lost, and nothing is done twice.
START_TEST(work_goes_on_while_docad_restarts)
{
    struct daemon *d = daemon_start(&(struct daemon_options){.run = manager_run});
    struct child *owner = child_start(d, "owner", is_counted_at, NULL);
    struct child *worker = child_start(d, "worker", counts, NULL);

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

// ---- memory that is taken back -----------------------------------------------------------------

static void read_there(struct party *p, struct doca_buf *remote, struct doca_buf *room)
{
    struct doca_rdma_task_read *task;
    void *head;

    OK(doca_buf_get_head(room, &head));
    OK(doca_buf_set_data(room, head, 0));
    OK(doca_rdma_task_read_allocate_init(p->side.rdma, p->first, remote, room, (union doca_data){0},
                                         &task));
    submit(doca_rdma_task_read_as_task(task));
}

static int reads(struct child *self, void *arg)
{
    const doca_error_t *expected = arg;
    struct doca_buf *remote, *room;
    struct party p;
    uint8_t *there;

    party_open(&p);
    party_meet(&p, self);
    struct doca_mmap *map = take_map(self, &p, &there);
    OK(doca_buf_inventory_buf_get_by_data(p.side.inventory, map, there, 64, &remote));
    room = room_at(&p.side, 0, 64);
    read_there(&p, remote, room);
    progress_until(&p.side, 1, 0);
    ck_assert_uint_eq(p.side.done, 1);
    child_tell(self, "read");
    child_wait(self, "taken back");
    read_there(&p, remote, room);
    progress_until(&p.side, 2, 0);
    ck_assert_uint_eq(p.side.failed, 1);
    ck_assert_int_eq(p.side.last, *expected);
    submit_send_imm(&p.side, p.second, NULL, htonl(9)); // nothing has happened to this one
    progress_until(&p.side, 3, 0);
    ck_assert_uint_eq(p.side.done, 2);
    OK(doca_buf_dec_refcount(remote, NULL));
    OK(doca_buf_dec_refcount(room, NULL));
    OK(doca_mmap_destroy(map));
    child_tell(self, "sent");
    child_wait(self, "end");
    side_close(&p.side);
    return 0;
}

static int lends(struct child *self, void *arg)
{
    const bool *stops = arg;
    struct party p;

    party_open(&p);
    party_meet(&p, self);
    send_map(self, &p);
    child_wait(self, "take back");
    if (*stops)
        OK(doca_mmap_stop(p.side.map));
    child_tell(self, "taken back");
    post_receive(&p.side, NULL);
    progress_until(&p.side, 0, 1);
    ck_assert_uint_eq(p.side.receives_failed, 0);
    ck_assert_ptr_eq(p.side.messages[0].connection, p.second);
    child_wait(self, "end");
    side_close(&p.side);
    return 0;
}

// By the owner, or by docactl. The connection that reads it ends, the other one does not.
START_TEST(memory_is_taken_back)
{
    bool by_owner = _i;
    doca_error_t expected = by_owner ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_NOT_PERMITTED;
    struct child *owner = child_start(nodes.host, "owner", lends, &by_owner);
    struct child *reader = child_start(nodes.host, "reader", reads, &expected);

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
    TCase *memory = tcase_create("memory");

    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_set_timeout(restarts, 120);
    tcase_add_loop_test(restarts, work_goes_on_while_docad_restarts, 0, 2);
    suite_add_tcase(suite, restarts);
    tcase_add_checked_fixture(memory, setup_pair, env_teardown);
    tcase_add_loop_test(memory, memory_is_taken_back, 0, 2);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
