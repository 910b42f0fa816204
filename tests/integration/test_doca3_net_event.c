// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events that RDMA tasks of DOCA 3 read and change on the other side.

#include "env.h"
#include "net_event_3.h"
#include "nodes.h"

#include <string.h>

// ---- what all do

// Waits for what the other side sets and adds.
static int owns(struct child *self, void *arg)
{
    struct owner o;
    uint64_t value;

    side_open_on(&o.side, HOST_PF0, NULL, 1);
    o.side.self = self;
    side_start(&o.side);
    o.connection = side_offer(&o.side);
    make_event(self, &o, arg != NULL);
    side_take(&o.side, o.connection);
    OK(doca_sync_event_wait_eq(o.event, 7, UINT64_MAX));
    OK(doca_sync_event_update_set(o.event, 40));
    child_tell(self, "set");
    OK(doca_sync_event_wait_eq_yield(o.event, 42, UINT64_MAX));
    OK(doca_sync_event_get(o.event, &value));
    ck_assert_uint_eq(value, 42);
    child_wait(self, "end it");
    OK(doca_sync_event_stop(o.event));
    OK(doca_sync_event_destroy(o.event));
    child_tell(self, "ended");
    child_wait(self, "end");
    side_close(&o.side);
    return 0;
}

// Two values, one behind the other.
static void appends(struct user *u)
{
    struct doca_buf *both = room_at(&u->side, 256, 16);
    uint64_t values[2];
    size_t length;

    for (unsigned i = 1; i <= 2; i++) {
        get_event(u, both);
        progress_until(&u->side, 7 + i, 0);
        OK(doca_buf_get_data_len(both, &length));
        ck_assert_uint_eq(length, 8 * i);
    }
    memcpy(values, u->side.memory + 256, sizeof(values));
    ck_assert_uint_eq(values[0], 42);
    ck_assert_uint_eq(values[1], 42);
    OK(doca_buf_dec_refcount(both, NULL));
}

static int uses(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    set_event(&u, 7);
    progress_until(&u.side, 1, 0);
    child_wait(self, "set");
    get_event(&u, u.to);
    progress_until(&u.side, 2, 0);
    assert_value(&u, 40);
    add_to_event(&u, 2);
    progress_until(&u.side, 3, 0);
    assert_value(&u, 40);
    OK(doca_buf_reset_data_len(u.to));
    get_event(&u, u.to);
    progress_until(&u.side, 4, 0);
    assert_value(&u, 42);
    ck_assert_uint_eq(u.side.failed, 0);
    get_event(&u, u.to); // behind the data there is no room
    progress_until(&u.side, 5, 0);
    ck_assert_uint_eq(u.side.failed, 1);
    ck_assert_int_eq(u.side.last, DOCA_ERROR_INVALID_VALUE);
    assert_value(&u, 42);
    // A buffer that is too short, or none, costs only its task.
    struct doca_buf *small = room_at(&u.side, 128, 7);
    get_event(&u, small);
    progress_until(&u.side, 6, 0);
    get_event(&u, NULL);
    progress_until(&u.side, 7, 0);
    ck_assert_uint_eq(u.side.failed, 3);
    ck_assert_int_eq(u.side.last, DOCA_ERROR_INVALID_VALUE);
    appends(&u);
    ck_assert_uint_eq(u.side.done, 6);
    child_tell(self, "used");
    child_wait(self, "ended");
    add_to_event(&u, 1); // the event has gone
    progress_until(&u.side, 10, 0);
    ck_assert_uint_eq(u.side.failed, 4);
    ck_assert_int_ne(u.side.last, DOCA_ERROR_INVALID_VALUE);
    OK(doca_buf_dec_refcount(small, NULL));
    close_user(&u);
    return 0;
}

// The counter is in a page that both map, or in the owner's own memory, which only docad's engine
// reaches; the user is on the same node, or on the linked one.
START_TEST(another_program)
{
    struct child *a = child_start(nodes.host, "owner", owns, _i % 2 ? &nodes : NULL);
    struct child *b = child_start(_i < 2 ? nodes.host : nodes.dpu, "user", uses,
                                  (void *)(_i < 2 ? HOST_PF0 : DPU_P0));
    pass_on(a, b);
    pass_on(a, b);
    pass_on(b, a);
    child_wait(a, "set");
    child_tell(b, "set");
    child_wait(b, "used");
    child_tell(a, "end it");
    child_wait(a, "ended");
    child_tell(b, "ended");
    child_join(b);
    child_tell(a, "end");
    child_join(a);
}
END_TEST

// ---- a task that waits for its turn

static int connects_late(struct child *self, void *arg)
{
    struct owner o;

    (void)arg;
    side_open_on(&o.side, HOST_PF0, NULL, 1);
    o.side.self = self;
    side_start(&o.side);
    o.connection = side_offer(&o.side);
    make_event(self, &o, false);
    side_take(&o.side, o.connection);
    child_tell(self, "connected");
    child_wait(self, "end");
    OK(doca_sync_event_stop(o.event));
    OK(doca_sync_event_destroy(o.event));
    side_close(&o.side);
    return 0;
}

static int gives_its_buffer_back(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    memset(u.side.memory + 64, 0xff, 8);
    get_event(&u, u.to);
    OK(doca_buf_dec_refcount(u.to, NULL));
    child_tell(self, "waits");
    progress_until(&u.side, 1, 0);
    ck_assert_uint_eq(u.side.done, 1);
    ck_assert_uint_eq(u.side.failed, 0);
    ck_assert_uint_eq(u.side.memory[64], 0); // the event's value, although the buffer has gone
    OK(doca_buf_dec_refcount(u.from, NULL));
    OK(doca_sync_event_remote_net_destroy(u.event));
    side_close(&u.side);
    return 0;
}

// A program that sleeps learns that the other side has connected.
static int sleeps_meanwhile(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    get_event(&u, u.to);
    child_tell(self, "waits");
    sleep_until(&u.side, 1, 0);
    ck_assert_uint_eq(u.side.done, 1);
    assert_value(&u, 0);
    close_user(&u);
    return 0;
}

static void waits_for_the_owner(child_fn user)
{
    uint8_t bytes[1024];
    struct child *a = child_start(nodes.host, "owner", connects_late, NULL);
    struct child *b = child_start(nodes.host, "user", user, (void *)HOST_PF0);
    pass_on(a, b);
    pass_on(a, b);
    size_t size = child_receive(b, bytes, sizeof(bytes));
    child_wait(b, "waits");
    child_send(a, bytes, size);
    child_wait(a, "connected");
    child_join(b);
    child_tell(a, "end");
    child_join(a);
}

START_TEST(a_buffer_that_was_given_back_meanwhile)
{
    waits_for_the_owner(gives_its_buffer_back);
}
END_TEST

START_TEST(a_program_that_sleeps_meanwhile)
{
    waits_for_the_owner(sleeps_meanwhile);
}
END_TEST

// ---- what the other side permits

static void sets(struct user *u)
{
    set_event(u, 7);
}

static void adds(struct user *u)
{
    add_to_event(u, 7);
}

static void gets(struct user *u)
{
    OK(doca_buf_reset_data_len(u->to));
    get_event(u, u->to);
}

static const struct {
    uint32_t permissions; // of the owner's context
    void (*may)(struct user *u), (*may_not)(struct user *u);
    uint64_t value; // afterwards
} grants[] = {
    {DOCA_ACCESS_FLAG_RDMA_READ, gets, sets, 0},
    {DOCA_ACCESS_FLAG_RDMA_WRITE, sets, adds, 7},
    {DOCA_ACCESS_FLAG_RDMA_ATOMIC, adds, gets, 7},
    {DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, NULL, sets, 0},
    {DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE, sets, adds, 7},
};

static int permits(struct child *self, void *arg)
{
    const unsigned i = *(const unsigned *)arg;
    struct owner o;
    uint64_t value;

    side_open_on(&o.side, HOST_PF0, NULL, 1);
    o.side.self = self;
    OK(doca_rdma_set_permissions(o.side.rdma, grants[i].permissions));
    side_start(&o.side);
    o.connection = side_offer(&o.side);
    make_event(self, &o, false);
    side_take(&o.side, o.connection);
    child_tell(self, "connected");
    child_wait(self, "end");
    OK(doca_sync_event_get(o.event, &value));
    ck_assert_uint_eq(value, grants[i].value);
    OK(doca_sync_event_stop(o.event));
    OK(doca_sync_event_destroy(o.event));
    side_close(&o.side);
    return 0;
}

// Such a task is refused to who asks, and otherwise fails and ends the connection, as an access to
// memory does.
static int asks_for_more(struct child *self, void *arg)
{
    const unsigned i = *(const unsigned *)arg;
    unsigned n = 0;
    struct user u;

    open_user(self, &u, HOST_PF0);
    child_wait(self, "connected");
    if (grants[i].may) {
        grants[i].may(&u);
        progress_until(&u.side, ++n, 0);
    }
    ck_assert_uint_eq(u.side.failed, 0);
    grants[i].may_not(&u);
    progress_until(&u.side, ++n, 0);
    ck_assert_uint_eq(u.side.failed, 1);
    ck_assert_int_eq(u.side.last, DOCA_ERROR_NOT_PERMITTED);
    if (grants[i].may) {
        grants[i].may(&u);
        progress_until(&u.side, ++n, 0);
        ck_assert_uint_eq(u.side.failed, 2);
    }
    close_user(&u);
    return 0;
}

static void is_not_called(struct doca_rdma_task_remote_net_sync_event_get *task,
                          union doca_data task_data, union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
    ck_abort_msg("a task that was refused has ended");
}

// What the other side permits is not known before the connection is made, and not what is wrong.
static void asks_too_early(struct user *u)
{
    struct doca_rdma_task_remote_net_sync_event_get *task;
    struct details details;
    struct side s;

    side_open_on(&s, HOST_PF0, u->side.pe, 1);
    OK(doca_rdma_task_remote_net_sync_event_get_set_conf(s.rdma, is_not_called, is_not_called, 1));
    side_start(&s);
    struct doca_rdma_connection *connection = side_export(&s, &details);
    struct doca_buf *to = room_at(&s, 64, 8);
    OK(doca_rdma_task_remote_net_sync_event_get_allocate_init(s.rdma, connection, u->event, to,
                                                              (union doca_data){0}, &task));
    struct doca_task *as_task = doca_rdma_task_remote_net_sync_event_get_as_task(task);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_task_try_submit(as_task));
    doca_task_free(as_task);
    OK(doca_buf_dec_refcount(to, NULL));
    side_close(&s);
}

static int asks_first(struct child *self, void *arg)
{
    struct doca_rdma_task_remote_net_sync_event_get *task;
    struct user u;

    (void)arg;
    open_user(self, &u, HOST_PF0);
    child_wait(self, "connected");
    OK(doca_rdma_task_remote_net_sync_event_get_allocate_init(u.side.rdma, u.connection, u.event,
                                                              u.to, (union doca_data){0}, &task));
    struct doca_task *as_task = doca_rdma_task_remote_net_sync_event_get_as_task(task);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(as_task));
    doca_task_free(as_task);
    asks_too_early(&u);
    set_event(&u, 7); // the connection stands
    progress_until(&u.side, 1, 0);
    ck_assert_uint_eq(u.side.done, 1);
    close_user(&u);
    return 0;
}

static void asks(child_fn user, unsigned grant)
{
    struct child *a = child_start(nodes.host, "owner", permits, &grant);
    struct child *b = child_start(nodes.host, "user", user, &grant);
    pass_on(a, b);
    pass_on(a, b);
    pass_on(b, a);
    child_wait(a, "connected");
    child_tell(b, "connected");
    child_join(b);
    child_tell(a, "end");
    child_join(a);
}

START_TEST(what_the_other_side_does_not_permit)
{
    asks(asks_for_more, (unsigned)_i);
}
END_TEST

START_TEST(what_the_other_side_does_not_permit_is_refused)
{
    asks(asks_first, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_net_event");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, another_program, 0, 4);
    tcase_add_test(tcase, a_buffer_that_was_given_back_meanwhile);
    tcase_add_test(tcase, a_program_that_sleeps_meanwhile);
    tcase_add_loop_test(tcase, what_the_other_side_does_not_permit, 0,
                        sizeof(grants) / sizeof(grants[0]));
    tcase_add_test(tcase, what_the_other_side_does_not_permit_is_refused);
    return run_suite(suite);
}
